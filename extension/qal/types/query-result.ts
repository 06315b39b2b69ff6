// The result of a query, before a contract turns it into a response.
export type Value = string | number | null;

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
