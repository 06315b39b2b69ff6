// Owns the rows between reading and writing: numbers only, one row after the other in a typed array.
// Texts are dictionary ids by then, but for those that the row keeps itself (its number is a hash then), and those of
// which an entry keeps the newest. A field without a value is NaN.

/** A value of a row that is noted for an entry of a dictionary once the row is written. */
export type Noted = string | number | null;

export interface RowShape {
  /** Numbers of a row. */
  readonly width: number;
  /** Noted values of a row. */
  readonly notes: number;
  /** Texts that a row keeps itself. */
  readonly texts: number;
}

export interface RowBatch extends RowShape {
  readonly noted: Noted[];
  readonly kept: (string | null)[];
  /** Characters of texts that wait because of the batch: for their ids, or as noted values. */
  characters: number;
  readonly values: Float64Array;
  /** 16 bytes a row, for rows that are found again by what they say. */
  readonly fingerprints: Uint8Array;
  /** Rows [start, end) are in use; those before `start` are free for rows held back from the batch before. */
  start: number;
  end: number;
  readonly first: number;
  readonly capacity: number;
}

/** An empty batch with room for `rows` new rows, and `held` before them. */
export function rowBatch({ width, notes, texts }: RowShape, rows: number, held: number): RowBatch {
  const capacity = rows + held;
  return {
    width,
    notes,
    texts,
    kept: new Array<string | null>(capacity * texts).fill(null),
    noted: new Array<Noted>(capacity * notes).fill(null),
    characters: 0,
    values: new Float64Array(capacity * width),
    fingerprints: new Uint8Array(capacity * 16),
    start: held,
    end: held,
    first: held,
    capacity,
  };
}

/** Forgets the rows of a batch. */
export function emptyBatch(batch: RowBatch): void {
  batch.start = batch.first;
  batch.end = batch.first;
  batch.noted.fill(null);
  batch.kept.fill(null);
  batch.characters = 0;
}

/** Copies a row of one batch to a place of another. */
export function moveRow(from: RowBatch, row: number, to: RowBatch, place: number): void {
  const { width, notes, texts } = from;
  to.values.set(from.values.subarray(row * width, (row + 1) * width), place * width);
  to.fingerprints.set(from.fingerprints.subarray(row * 16, row * 16 + 16), place * 16);
  for (let slot = 0; slot < notes; slot += 1) {
    to.noted[place * notes + slot] = from.noted[row * notes + slot] ?? null;
  }
  for (let text = 0; text < texts; text += 1) {
    to.kept[place * texts + text] = from.kept[row * texts + text] ?? null;
  }
}
