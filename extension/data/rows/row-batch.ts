// Rows between reading and writing, as numbers in a typed array, one row after another. Strings have been replaced with dimension
// ids, except those that are stored in the row itself, which are its extras. NaN means no value.

/** A row as read by its format; undefined and null mean no value. */
export type RawRow = Readonly<Record<string, unknown>>;

/** The source of a row, for reports: the text of its line, which may be JSON, or the cells or object that were read. */
export type Origin = { readonly text: string; readonly isJson: boolean } | { readonly row: unknown };

export type Extra = string | number | null;

export interface RowShape {
  /** Numbers per row. */
  readonly width: number;
  /** Extras per row: the strings stored in it. */
  readonly extras: number;
}

export interface RowBatch {
  readonly shape: RowShape;
  values: Float64Array;
  extras: Extra[];
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
export const rowBatch = (shape: RowShape): RowBatch => ({
  shape,
  values: new Float64Array(0),
  extras: [],
  fingerprints: new Uint8Array(0),
  lines: new Float64Array(0),
  origins: [],
  characters: 0,
  end: 0,
});

/** Makes room for this many more rows. */
export function makeRoom(batch: RowBatch, more: number): void {
  const { shape, end, values, extras, fingerprints, lines } = batch;
  const room = fingerprints.length / FINGERPRINT_BYTES;
  if (room - end >= more) return;
  // At least double, so that moving rows costs no more than adding them.
  const places = Math.max(end + more, room * 2, FIRST_ROWS);
  batch.values = new Float64Array(places * shape.width);
  batch.values.set(values.subarray(0, end * shape.width));
  batch.fingerprints = new Uint8Array(places * FINGERPRINT_BYTES);
  batch.fingerprints.set(fingerprints.subarray(0, end * FINGERPRINT_BYTES));
  batch.lines = new Float64Array(places);
  batch.lines.set(lines.subarray(0, end));
  batch.extras = new Array<Extra>(places * shape.extras).fill(null);
  for (let at = 0; at < end * shape.extras; at += 1) batch.extras[at] = extras[at] ?? null;
}

/** The number in a field of a row; NaN if the field has no value. */
export const valueAt = ({ values, shape }: RowBatch, row: number, field: number): number =>
  values[row * shape.width + field] ?? Number.NaN;

/** Removes all rows of a batch. */
export function emptyBatch(batch: RowBatch): void {
  batch.end = 0;
  batch.extras.fill(null);
  batch.origins = [];
  batch.characters = 0;
}

/** The indexes of all rows in the batch. */
export const placesOf = ({ end }: RowBatch): Uint32Array => new Uint32Array(end).map((_, place) => place);
