// Owns the rows between reading and writing: numbers only, one row after the other in a typed array.
// Texts are dimension ids by then, but for those that the row keeps itself (its number is a hash then), and those of
// which an entry keeps the newest. A field without a value is NaN.

/** A value of a row that is noted for an entry of a dimension once the row is written. */
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
  noted: Noted[];
  kept: (string | null)[];
  /** Characters of texts that wait because of the batch: for their ids, or as noted values. */
  characters: number;
  values: Float64Array;
  /** 16 bytes a row, for rows that are found again by what they say. */
  fingerprints: Uint8Array;
  /** Rows [start, end) are in use. */
  start: number;
  end: number;
  /** The first new row; those before it are held back from the batch before. */
  first: number;
}

const PRINT_BYTES = 16;
const FIRST_ROWS = 16;

/** An empty batch. `makeRoom` gives its rows their places. */
export function rowBatch(shape: RowShape): RowBatch {
  return {
    width: shape.width,
    notes: shape.notes,
    texts: shape.texts,
    kept: [],
    noted: [],
    characters: 0,
    values: new Float64Array(0),
    fingerprints: new Uint8Array(0),
    start: 0,
    end: 0,
    first: 0,
  };
}

/** Makes sure of places for so many rows before those in use, and behind them. Rows in use keep their order, not their places. */
export function makeRoom(batch: RowBatch, before: number, behind: number): void {
  const { width, notes, texts, start, end, first } = batch;
  const places = batch.fingerprints.length / PRINT_BYTES;
  if (start >= before && places - end >= behind) return;
  // Twice as many at least, so that the work of moving rows is a share of that of adding them.
  const front = start >= before ? first : Math.max(first - start + before, first * 2);
  const rest = places - first;
  const back = places - end >= behind ? rest : Math.max(end - first + behind, rest * 2, FIRST_ROWS);
  const shift = front - first;
  const values = new Float64Array((front + back) * width);
  values.set(batch.values.subarray(start * width, end * width), (start + shift) * width);
  const fingerprints = new Uint8Array((front + back) * PRINT_BYTES);
  const prints = batch.fingerprints.subarray(start * PRINT_BYTES, end * PRINT_BYTES);
  fingerprints.set(prints, (start + shift) * PRINT_BYTES);
  batch.noted = moved(batch.noted, notes, batch, shift, front + back);
  batch.kept = moved(batch.kept, texts, batch, shift, front + back);
  Object.assign(batch, { values, fingerprints, start: start + shift, end: end + shift, first: front });
}

function moved<T>(
  from: readonly (T | null)[],
  each: number,
  { start, end }: RowBatch,
  shift: number,
  places: number,
): (T | null)[] {
  const to = new Array<T | null>(places * each).fill(null);
  for (let at = start * each; at < end * each; at += 1) to[at + shift * each] = from[at] ?? null;
  return to;
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
  to.fingerprints.set(
    from.fingerprints.subarray(row * PRINT_BYTES, (row + 1) * PRINT_BYTES),
    place * PRINT_BYTES,
  );
  for (let slot = 0; slot < notes; slot += 1) {
    to.noted[place * notes + slot] = from.noted[row * notes + slot] ?? null;
  }
  for (let text = 0; text < texts; text += 1) {
    to.kept[place * texts + text] = from.kept[row * texts + text] ?? null;
  }
}
