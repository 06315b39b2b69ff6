// The rows between reading and writing: numbers only, one row after the other in a typed array. Texts have become ids of
// dimensions. A text that the row stores itself, or that waits for its dimension, is an extra. NaN means no value.

import type { Origin } from './raw-row';

export type Extra = string | number | null;

export interface RowShape {
  /** Numbers of a row. */
  readonly width: number;
  /** Extras of a row: first the texts that it stores, then the values noted for its dimensions. */
  readonly extras: number;
}

export interface RowBatch {
  readonly shape: RowShape;
  values: Float64Array;
  extras: Extra[];
  /** 16 bytes a row, for rows without an id. */
  fingerprints: Uint8Array;
  /** Line of the file. */
  lines: Float64Array;
  /** Where rows came from, as far as their reader remembers it. */
  origins: (Origin | undefined)[];
  /** Characters of text that the batch keeps in memory, here or in a dimension. */
  characters: number;
  /** Rows [start, end) are in use. */
  start: number;
  end: number;
  /** The first new row; rows before it were held back from the previous batch. */
  first: number;
}

export const FINGERPRINT_BYTES = 16;
const FIRST_ROWS = 16;

/** An empty batch without any room: see `makeRoom`. */
export const rowBatch = (shape: RowShape): RowBatch => ({
  shape,
  values: new Float64Array(0),
  extras: [],
  fingerprints: new Uint8Array(0),
  lines: new Float64Array(0),
  origins: [],
  characters: 0,
  start: 0,
  end: 0,
  first: 0,
});

/** Makes room for so many rows before and behind those in use. Rows keep their order, but may move. */
export function makeRoom(batch: RowBatch, before: number, behind: number): void {
  const { shape, start, end, first } = batch;
  const places = batch.fingerprints.length / FINGERPRINT_BYTES;
  if (start >= before && places - end >= behind) return;
  // At least double, so that moving rows costs no more than adding them.
  const front = start >= before ? first : Math.max(first - start + before, first * 2);
  const rest = places - first;
  const back = places - end >= behind ? rest : Math.max(end - first + behind, rest * 2, FIRST_ROWS);
  const to = start + front - first;
  const { values, extras, fingerprints } = batch;
  batch.values = new Float64Array((front + back) * shape.width);
  batch.values.set(values.subarray(start * shape.width, end * shape.width), to * shape.width);
  batch.fingerprints = new Uint8Array((front + back) * FINGERPRINT_BYTES);
  batch.fingerprints.set(
    fingerprints.subarray(start * FINGERPRINT_BYTES, end * FINGERPRINT_BYTES),
    to * FINGERPRINT_BYTES,
  );
  const { lines, origins } = batch;
  if (origins.length > 0) {
    batch.origins = [];
    for (let row = start; row < end; row += 1) batch.origins[row - start + to] = origins[row];
  }
  batch.lines = new Float64Array(front + back);
  batch.lines.set(lines.subarray(start, end), to);
  batch.extras = new Array<Extra>((front + back) * shape.extras).fill(null);
  for (let at = 0; at < (end - start) * shape.extras; at += 1)
    batch.extras[to * shape.extras + at] = extras[start * shape.extras + at] ?? null;
  Object.assign(batch, { start: to, end: to + end - start, first: front });
}

/** Removes all rows of a batch. */
export function emptyBatch(batch: RowBatch): void {
  batch.start = batch.first;
  batch.end = batch.first;
  batch.extras.fill(null);
  batch.origins = [];
  batch.characters = 0;
}

/** Copies a row of one batch to a place of another of the same shape. */
export function copyRow(from: RowBatch, row: number, to: RowBatch, place: number): void {
  const { width, extras } = from.shape;
  to.values.set(from.values.subarray(row * width, (row + 1) * width), place * width);
  const print = from.fingerprints.subarray(row * FINGERPRINT_BYTES, (row + 1) * FINGERPRINT_BYTES);
  to.fingerprints.set(print, place * FINGERPRINT_BYTES);
  to.lines[place] = from.lines[row] ?? 0;
  if (from.origins[row] !== undefined) to.origins[place] = from.origins[row];
  for (let extra = 0; extra < extras; extra += 1)
    to.extras[place * extras + extra] = from.extras[row * extras + extra] ?? null;
}

/** The places of the rows that are new in the batch. */
export const newPlaces = ({ first, end }: RowBatch): Uint32Array =>
  new Uint32Array(end - first).map((_, i) => first + i);
