// The result of a query, before a contract turns it into a response.
import type { ColumnType } from '../../../manifests/reader/schema';
import type { Row, RowBatches } from './compiled-query';
import type { EngineChoice } from './engine';

export type Value = string | number | null;

/** The page that the rows are. */
export interface Page {
  readonly offset: number;
  /** Changes with every change of the data that the query can see. */
  readonly dataVersion: string;
}

interface OutputColumn {
  readonly name: string;
  readonly type: ColumnType;
}

/** A result without its rows. */
export interface ResultHead {
  readonly view: string;
  readonly columns: readonly OutputColumn[];
  /** The count of a count_only query, whose only row holds it too; null for a table. */
  readonly count: number | null;
  readonly limit: number;
  readonly rowCount: number;
  /** Rows of the view before `limit`, if known. */
  readonly totalCount: number | null;
  readonly truncated: boolean;
}

/** A result and the engine that computed it. */
export interface AnsweredResult<Rows> extends ResultHead {
  readonly answeredBy: EngineChoice;
  readonly rows: Rows;
}

/** The answer to a query. */
export interface Answer<Rows> extends AnsweredResult<Rows> {
  /** Whether the result cache answered. */
  readonly cached: boolean;
  /** Present if requested. */
  readonly page: Page | null;
}

/** Rows that are read while they are sent. They hold a connection until they are iterated, or ended after their first step. */
export type LiveRows = RowBatches;

/** An answer that holds its place in the queue at least until its rows are read. */
export interface StreamedAnswer extends Answer<LiveRows> {
  /** Also keeps the place until this work has ended. */
  holdPlaceUntil(ended: Promise<unknown>): void;
}

/** Input of the formats for many rows. */
export type StreamedTable = Pick<StreamedAnswer, 'columns' | 'rows' | 'holdPlaceUntil'>;

/** Rows that are completely read: JSON text, a little in memory and the rest in a file. */
export interface KeptRows {
  /** Size of all texts. */
  readonly bytes: number;
  /** The rows as arrays, `[1,"a"],[2,"b"]`, with whole rows in each text. Throws once the rows are evicted. */
  texts(): AsyncGenerator<Buffer, void, undefined>;
  /** The same rows as values. */
  batches(): RowBatches;
  /** Releases the file; the last holder deletes it. */
  release(): void;
}

/** Rows with several holders. */
export interface HeldRows extends KeptRows {
  /** Adds a holder, which must release the rows. */
  hold(): void;
  /** Whether the rows were evicted for newer ones. */
  readonly isGone: boolean;
}

export interface RowStore {
  /** Reads all rows. Throws what they throw, and `tooLarge()` as soon as their texts exceed `mostBytes`. */
  keep(rows: RowBatches, mostBytes: number, tooLarge: () => Error): Promise<HeldRows>;
  /** Bytes in files. */
  use(): number;
}

/** Rows that are written later, in batches. */
interface WrittenRows {
  mapBatches(change: (rows: readonly Row[]) => readonly unknown[]): unknown;
}

/** Input of a contract's response format. */
export interface QueryResult<Rows = readonly Row[] | WrittenRows> extends Omit<ResultHead, 'columns'> {
  readonly columns: readonly string[];
  readonly rows: Rows;
}

/** A small answer with all its rows. */
export interface WholeAnswer extends QueryResult<readonly Row[]>, Omit<Answer<unknown>, 'columns' | 'rows'> {}

/** The bytes of an answer. They hold a connection until they are iterated, or ended after their first step. */
export type Pieces = AsyncGenerator<Uint8Array, void, undefined>;
