// Owns the types between sql, run and shape.

/** A statement as the driver takes it: text with $1.. and its values. */
export interface CompiledQuery {
  readonly text: string;
  readonly bindings: readonly unknown[];
  /** Whether one plan is best for all values: it finds what it reads by whole keys, never by ranges. */
  readonly byKeys?: boolean;
}

/** One row: the values in the order of the statement's columns. */
export type Row = readonly (string | number | null)[];
