// Rows between reading and writing, as numbers in a typed array for each field that has values: most files contain a third of the
// fields. Strings have been replaced with dimension ids, except those that are stored in the row itself, which are its extras.

/** A row as read by its format; undefined and null mean no value. */
export type RawRow = Readonly<Record<string, unknown>>;

/** The source of a row, for reports: the text of its line, which may be JSON, or the cells or object that were read. */
export type Origin = { readonly text: string; readonly isJson: boolean } | { readonly row: unknown };

type Extra = string | null;

export interface RowBatch {
  /** The values of each field by row, NaN for none; undefined if no row has one. */
  readonly columns: (Float64Array | undefined)[];
  /** The strings stored in a row, one row after another, `extrasPerRow` for each. */
  extras: Extra[];
  readonly extrasPerRow: number;
  /** 16 bytes per row, for rows without an id. */
  fingerprints: Uint8Array;
  /** The line number of each row in the file. */
  lines: Float64Array;
  /** The sources of the rows, if their reader keeps them. */
  origins: (Origin | undefined)[];
  /** The number of characters that the batch keeps in memory, here or in a dimension. */
  characters: number;
  /** Rows [0, end) are in use. */
  end: number;
}

export const FINGERPRINT_BYTES = 16;
const FIRST_ROWS = 16;

/** An empty batch without room for rows: see `makeRoom`. */
export const rowBatch = (extrasPerRow: number): RowBatch => ({
  columns: [],
  extras: [],
  extrasPerRow,
  fingerprints: new Uint8Array(0),
  lines: new Float64Array(0),
  origins: [],
  characters: 0,
  end: 0,
});

/** Makes room for this many more rows. */
export function makeRoom(batch: RowBatch, more: number): void {
  const { columns, extrasPerRow, end, extras, fingerprints, lines } = batch;
  const room = lines.length;
  if (room - end >= more) return;
  // At least double, so that moving rows costs no more than adding them.
  const places = Math.max(end + more, room * 2, FIRST_ROWS);
  for (const [field, values] of columns.entries()) {
    if (values === undefined) continue;
    const larger = new Float64Array(places).fill(Number.NaN, end);
    larger.set(values.subarray(0, end));
    columns[field] = larger;
  }
  batch.fingerprints = new Uint8Array(places * FINGERPRINT_BYTES);
  batch.fingerprints.set(fingerprints.subarray(0, end * FINGERPRINT_BYTES));
  batch.lines = new Float64Array(places);
  batch.lines.set(lines.subarray(0, end));
  batch.extras = new Array<Extra>(places * extrasPerRow).fill(null);
  for (let at = 0; at < end * extrasPerRow; at += 1) batch.extras[at] = extras[at] ?? null;
}

/** The number in a field of a row; NaN if the field has no value. */
export const valueAt = ({ columns }: RowBatch, row: number, field: number): number =>
  columns[field]?.[row] ?? Number.NaN;

/** Sets the number in a field of a row. The batch must have room for the row. */
export function setValue({ columns, lines }: RowBatch, row: number, field: number, value: number): void {
  let values = columns[field];
  if (values === undefined) {
    if (Number.isNaN(value)) return;
    values = new Float64Array(lines.length).fill(Number.NaN);
    columns[field] = values;
  }
  values[row] = value;
}

/** Makes room for another row, without values, which is not part of the batch yet. */
export function beginRow(batch: RowBatch): void {
  makeRoom(batch, 1);
  const { columns, end, extras, extrasPerRow } = batch;
  for (const values of columns) if (values !== undefined) values[end] = Number.NaN;
  extras.fill(null, end * extrasPerRow, (end + 1) * extrasPerRow);
}

/** Removes all rows of a batch. */
export function emptyBatch(batch: RowBatch): void {
  batch.end = 0;
  batch.extras.fill(null);
  batch.origins = [];
  batch.characters = 0;
}

/** The indexes of all rows in the batch. */
export const placesOf = ({ end }: RowBatch): Uint32Array => new Uint32Array(end).map((_, place) => place);
