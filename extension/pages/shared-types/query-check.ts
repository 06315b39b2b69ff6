// The response of POST check: what the server found out about a query without running it.

/** An edit to a query; `path` is relative to the query. */
export type QueryEdit =
  | { readonly path: readonly (string | number)[]; readonly value: unknown }
  | { readonly path: readonly (string | number)[]; readonly remove: true }
  | { readonly path: readonly (string | number)[]; readonly rename: string };

export interface CheckedFault {
  readonly code: string;
  readonly message: string;
  /** Position in the query, such as `make.top.keep[0]`. */
  readonly at?: string | undefined;
  readonly hint?: string | undefined;
  /** `certain`: the query cannot have meant anything else. */
  readonly repair?: { readonly certain: boolean; readonly edits: readonly QueryEdit[] } | undefined;
}

/** Hours and weekdays are cyclic numbers. */
export type TimeUnit = 'instant' | 'date' | 'week' | 'month' | 'hour' | 'weekday';

export interface AnswerColumn {
  readonly name: string;
  readonly type: 'id' | 'int' | 'num' | 'flag' | 'text' | 'datetime' | 'date';
  /** For a calculated column: whether values from two rows can be added. Null for a kept column. */
  readonly measure: 'additive' | 'other' | null;
  readonly time: TimeUnit | null;
}

export interface CheckedQuery {
  readonly version: string;
  readonly faults: readonly CheckedFault[];
  /** Columns of the result; empty if there are errors. */
  readonly columns: readonly AnswerColumn[];
}
