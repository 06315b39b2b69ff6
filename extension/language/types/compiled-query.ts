// The types between sql, run and shape.

/** A statement for the driver: text with $1.. and its values. */
export interface CompiledQuery {
  readonly text: string;
  readonly bindings: readonly unknown[];
}

/** The values of one row, in the order of the statement's columns. */
export type Row = readonly (string | number | null)[];

/** Rows in order, in batches that are never empty. */
export type RowBatches = AsyncGenerator<readonly Row[], void, undefined>;

/** Reads all rows or stops early; called again with all rows if an engine fails meanwhile. */
export type TakeRows<Taken> = (rows: RowBatches) => Promise<Taken>;
