// What sql, run and shape hand on.

/** A statement as the driver takes it: text with $1.. and its values. */
export interface CompiledQuery {
  readonly text: string;
  readonly bindings: readonly unknown[];
  /** Whether one plan of the database serves all values: the statement looks up whole keys, never ranges. */
  readonly byKeys?: boolean;
}

/** The values of one row, in the order of the statement's columns. */
export type Row = readonly (string | number | null)[];
