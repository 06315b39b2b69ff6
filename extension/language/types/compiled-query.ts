/** A statement for the driver; its text has placeholders such as $1. */
export interface CompiledQuery {
  readonly text: string;
  readonly bindings: readonly unknown[];
}

/** Values in the order of the statement's columns. */
export type Row = readonly (string | number | null)[];

/** Batches are never empty. */
export type RowBatches = AsyncGenerator<readonly Row[], void, undefined>;

/** Reads all rows or stops early. If one engine fails, the function is called again with all rows from the other engine. */
export type TakeRows<Taken> = (rows: RowBatches) => Promise<Taken>;
