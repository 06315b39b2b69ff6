// The result of a query, before a contract turns it into a response.
import type { ColumnType } from '../../../manifests/reader/schema';
import type { Row, RowBatches } from './compiled-query';
import type { EngineChoice } from './engine';

export type Value = string | number | null;

/** Which part of a list the rows are. */
export interface Page {
  readonly offset: number;
  /** Another text after every change of the data that the query could see. */
  readonly dataVersion: string;
}

interface OutputColumn {
  readonly name: string;
  readonly type: ColumnType;
}

/** What a result is, besides its rows. */
export interface ResultHead {
  readonly view: string;
  readonly columns: readonly OutputColumn[];
  /** Of count_only, whose rows are a table of this one cell; null for a table. */
  readonly count: number | null;
  readonly limit: number;
  readonly rowCount: number;
  /** Rows of the view before `limit`, when known. */
  readonly totalCount: number | null;
  readonly truncated: boolean;
}

/** A result, and the engine that it came from. */
export interface AnsweredResult<Rows> extends ResultHead {
  readonly answeredBy: EngineChoice;
  readonly rows: Rows;
}

/** What a query is answered with. */
export interface Answer<Rows> extends AnsweredResult<Rows> {
  /** Whether it is the result of an earlier query. */
  readonly cached: boolean;
  /** Where one was asked for. */
  readonly page: Page | null;
}

/** Rows that are read while they are sent. They occupy a connection until they are iterated, or ended after their first step. */
export type LiveRows = RowBatches;

/** An answer that occupies its place in the queue until its rows are read, or for longer. */
export interface StreamedAnswer extends Answer<LiveRows> {
  /** Keeps the place until this work has ended, too. */
  holdPlaceUntil(ended: Promise<unknown>): void;
}

/** What formats for many rows write. */
export type StreamedTable = Pick<StreamedAnswer, 'columns' | 'rows' | 'holdPlaceUntil'>;

/** Rows that are there as a whole: as JSON text, little of it in memory and the rest in a file. */
export interface KeptRows {
  /** Of the texts, together. */
  readonly bytes: number;
  /** The rows as arrays, `[1,"a"],[2,"b"]`: whole rows in each text. They throw for rows that were given up for others. */
  texts(): AsyncGenerator<Buffer, void, undefined>;
  /** The same as values. */
  batches(): RowBatches;
  /** Lets go of the file; the last one who holds it deletes it. */
  release(): void;
}

/** Rows that several may hold. */
export interface HeldRows extends KeptRows {
  /** One more who has to release them. */
  hold(): void;
  /** Whether they were given up for newer ones. */
  readonly isGone: boolean;
}

export interface RowStore {
  /** Reads rows to their end. Throws what they throw, and `tooLarge()` as soon as their texts have more than `mostBytes`. */
  keep(rows: RowBatches, mostBytes: number, tooLarge: () => Error): Promise<HeldRows>;
  /** Bytes in files. */
  use(): number;
}

/** Rows that are written later, some at a time. */
interface WrittenRows {
  mapBatches(change: (rows: readonly Row[]) => readonly unknown[]): unknown;
}

/** A result as contracts make a response of it. */
export interface QueryResult<Rows = readonly Row[] | WrittenRows> extends Omit<ResultHead, 'columns'> {
  readonly columns: readonly string[];
  readonly rows: Rows;
}

/** A small answer with all of its rows. */
export interface WholeAnswer extends QueryResult<readonly Row[]>, Omit<Answer<unknown>, 'columns' | 'rows'> {}

/** The bytes of an answer. They occupy a connection until they are iterated, or ended after their first step. */
export type Pieces = AsyncGenerator<Uint8Array, void, undefined>;
