// The ranges of ids and times in a piece: new page views that are derived and written together.
import { isGenerated } from '../rows/generated-ids';
import { type RowBatch, valueAt } from '../rows/row-batch';

interface Span {
  low: number;
  high: number;
}

/** The ranges of the values in a piece or batch. */
interface Piece {
  /** Ids from the file. */
  readonly ids: Span;
  /** The times of rows without an id, which are recognized by their time and other values. */
  readonly times: Span;
}

export const noSpan = (): Span => ({ low: Number.POSITIVE_INFINITY, high: Number.NEGATIVE_INFINITY });

export const emptyPiece = (): Piece => ({ ids: noSpan(), times: noSpan() });

export function widen(span: Span, value: number): void {
  if (value < span.low) span.low = value;
  if (value > span.high) span.high = value;
}

export function spanOf(values: Iterable<number>): Span {
  const span = noSpan();
  for (const value of values) widen(span, value);
  return span;
}

/** Adds rows of a batch to the piece, and returns it. */
export function addRows(
  piece: Piece,
  batch: RowBatch,
  rows: Uint32Array,
  fields: Readonly<Record<'pv_id' | 'at', number>>,
): Piece {
  for (const row of rows) {
    const id = valueAt(batch, row, fields.pv_id);
    if (isGenerated(id)) widen(piece.times, valueAt(batch, row, fields.at));
    else widen(piece.ids, id);
  }
  return piece;
}

export const overlaps = (one: Span, other: Span): boolean => one.low <= other.high && other.low <= one.high;
