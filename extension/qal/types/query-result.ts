// The result of a query, before a contract turns it into a response.
import type { ColumnType } from '../../../manifests/reader/schema';
import type { RowBatches } from './compiled-query';

export type Value = string | number | null;

/** Which part of a list the rows are. */
export interface Page {
  readonly offset: number;
  /** Another text after every change of the data that the query could see. */
  readonly dataVersion: string;
}

/** `rows` for a table, `count` for count_only. */
export interface QueryResult {
  readonly view: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Value[])[];
  readonly count: number | null;
  readonly limit: number;
  /** Rows of the view before `limit`, when known. */
  readonly totalCount: number | null;
  readonly truncated: boolean;
}

/** The bytes of an answer. They occupy a connection until they are iterated, or ended after their first step. */
export type Pieces = AsyncGenerator<Uint8Array, void, undefined>;

/** A result whose rows come some at a time. A count is a table of one cell. */
export interface BatchedResult {
  readonly view: string;
  readonly columns: readonly { readonly name: string; readonly type: ColumnType }[];
  readonly limit: number;
  /** Rows of the view before `limit`. */
  readonly totalCount: number;
  /** How many rows the batches have; they throw where they cannot give them all. */
  readonly rowCount: number;
  readonly truncated: boolean;
  /** They occupy a connection until they are iterated, or ended after their first step. */
  readonly batches: RowBatches;
}
