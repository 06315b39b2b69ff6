/** PostgreSQL reads rows; DuckDB reads the columnar copy. */
export type Engine = 'rows' | 'columns';

export interface EngineChoice {
  readonly engine: Engine;
  /** One sentence for people who read the plan. */
  readonly because: string;
}
