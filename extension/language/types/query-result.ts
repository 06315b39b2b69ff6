import type { ColumnType } from '../../../manifests/reader/schema';
import type { Row, RowBatches } from './compiled-query';
import type { EngineChoice } from './engine';

export type Value = string | number | null;

export interface Page {
  readonly offset: number;
  /** Changes whenever the data that the query can see changes. */
  readonly dataVersion: string;
}

/** A part of a valid query that may not mean what was intended. */
export interface Note {
  /** A path into the query. */
  readonly at: string;
  readonly message: string;
  readonly hint?: string;
}

export interface ResultHead {
  readonly view: string;
  readonly columns: readonly { readonly name: string; readonly type: ColumnType }[];
  /** The count of a count_only query, which is also in its only row; null for a table. */
  readonly count: number | null;
  readonly limit: number;
  readonly rowCount: number;
  /** The number of rows before `limit`, if known. */
  readonly totalCount: number | null;
  readonly truncated: boolean;
}

export interface AnsweredResult<Rows> extends ResultHead {
  readonly answeredBy: EngineChoice;
  readonly rows: Rows;
}

export interface Answer<Rows> extends AnsweredResult<Rows> {
  readonly cached: boolean;
  /** Null if the query did not request a page. */
  readonly page: Page | null;
  /** Empty if the feature is off. */
  readonly notes: readonly Note[];
}

/**
 * Rows that are read as they are sent. They hold a connection until all are read or, once reading has begun, until they are
 * closed.
 */
export type LiveRows = RowBatches;

/** An answer that holds its slot at least until its rows are read. */
export interface StreamedAnswer extends Answer<LiveRows> {
  /** Holds the slot until this promise settles, even if all rows have been read. */
  holdPlaceUntil(ended: Promise<unknown>): void;
}

export type StreamedTable = Pick<StreamedAnswer, 'columns' | 'rows' | 'holdPlaceUntil'>;

/** Rows that have been read completely and kept as JSON: a small part in memory, and the rest in a file. */
export interface KeptRows {
  /** The total size of the JSON. */
  readonly bytes: number;
  /** Yields rows as JSON arrays, `[1,"a"],[2,"b"]`, never splitting a row. Throws once the rows are evicted. */
  texts(): AsyncGenerator<Buffer, void, undefined>;
  batches(): RowBatches;
  /** The file is deleted when the last holder releases it. */
  release(): void;
}

/** Rows with several holders. */
export interface HeldRows extends KeptRows {
  /** Adds a holder, which must release the rows later. */
  hold(): void;
  /** Whether the rows have been evicted to make room. */
  readonly isGone: boolean;
}

export interface RowStore {
  /** Reads all rows. Throws any error from reading them, and `tooLarge()` as soon as their JSON exceeds `maxBytes`. */
  keep(rows: RowBatches, maxBytes: number, tooLarge: () => Error): Promise<HeldRows>;
  /** The number of bytes in files. */
  use(): number;
}

/** Rows that are written later, in batches. */
interface WrittenRows {
  mapBatches(change: (rows: readonly Row[]) => readonly unknown[]): unknown;
}

export interface QueryResult<Rows = readonly Row[] | WrittenRows> extends Omit<ResultHead, 'columns'> {
  readonly columns: readonly string[];
  readonly rows: Rows;
}

/** A small answer with all of its rows. */
export interface WholeAnswer extends QueryResult<readonly Row[]>, Omit<Answer<unknown>, 'columns' | 'rows'> {}

/** The bytes of an answer. They hold a connection until all are read or, once reading has begun, until they are closed. */
export type Pieces = AsyncGenerator<Uint8Array, void, undefined>;
