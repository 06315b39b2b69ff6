// What the page is told about a query without running it: the answer of POST check. Types only; the server builds it.

/** An edit of a query; `path` counts from the query itself. */
export type QueryEdit =
  | { readonly path: readonly (string | number)[]; readonly value: unknown }
  | { readonly path: readonly (string | number)[]; readonly remove: true }
  | { readonly path: readonly (string | number)[]; readonly rename: string };

export interface CheckedFault {
  readonly code: string;
  readonly message: string;
  /** Place in the query, such as `make.top.keep[0]`. */
  readonly at?: string | undefined;
  readonly hint?: string | undefined;
  /** `certain`: nothing else can have been meant. */
  readonly repair?: { readonly certain: boolean; readonly edits: readonly QueryEdit[] } | undefined;
}

/** What a point in time stands for; hours and weekdays are numbers that come round. */
export type TimeUnit = 'instant' | 'date' | 'week' | 'month' | 'hour' | 'weekday';

export interface AnswerColumn {
  readonly name: string;
  readonly type: 'id' | 'int' | 'num' | 'flag' | 'text' | 'datetime' | 'date';
  /** Of a calculated column: whether the values of two rows can be added up. Null for a kept one. */
  readonly measure: 'additive' | 'other' | null;
  readonly time: TimeUnit | null;
}

export interface CheckedQuery {
  readonly version: string;
  readonly faults: readonly CheckedFault[];
  /** Of the answer; none where there are faults. */
  readonly columns: readonly AnswerColumn[];
}
