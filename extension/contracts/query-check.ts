// What a check of a query finds, before a contract turns it into a response.
import type { QueryError } from '../errors/query-error';
import type { JsonObject } from '../qal/types/json';
import type { EngineChoice } from '../qal/types/query-context';

export interface QueryCheck {
  /** Those of the shape, then those of the names, each in document order. What depends on a fault is not judged. */
  readonly faults: readonly QueryError[];
  /** The corrected query, where there are faults and each has a certain repair. */
  readonly repaired: JsonObject | undefined;
  /** Of the query, or of the corrected one. */
  readonly reads: QueryReads | undefined;
}

/** What a query would read. */
export interface QueryReads {
  /** [start, end) as instants. */
  readonly bounds: { readonly start: string; readonly end: string; readonly zone: string };
  readonly answeredBy: EngineChoice;
  /** Of each material and period once, as the planner expects them before any filter. */
  readonly rows: readonly { readonly material: string; readonly rows: number }[];
}
