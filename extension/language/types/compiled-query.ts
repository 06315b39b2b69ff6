// What sql, run and shape hand on.

/** A statement as the driver takes it: text with $1.. and its values. */
export interface CompiledQuery {
  readonly text: string;
  readonly bindings: readonly unknown[];
}

/** The values of one row, in the order of the statement's columns. */
export type Row = readonly (string | number | null)[];

/** Rows in their order, some at a time; no batch is empty. */
export type RowBatches = AsyncGenerator<readonly Row[], void, undefined>;

/** Reads rows to their end, or leaves them early; called again with all of them where an engine fails in between. */
export type TakeRows<Taken> = (rows: RowBatches) => Promise<Taken>;
