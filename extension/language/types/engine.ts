// The engines that run a plan.

/** What runs a statement: PostgreSQL over its rows, or DuckDB over the column copy. */
export type Engine = 'rows' | 'columns';

export interface EngineChoice {
  readonly engine: Engine;
  /** One sentence for the reader of a plan. */
  readonly because: string;
}
