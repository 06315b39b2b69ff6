// The ranges of values in a piece of a site change, and which stored rows the piece can affect.
import type { ClientBase } from 'pg';
import { FIRST_GENERATED_ID, isGenerated } from '../rows/generated-ids';
import { type RowBatch, valueAt } from '../rows/row-batch';
import { ANY_SITE } from '../storage/planner';
import { PAUSE } from './steps';

interface Span {
  low: number;
  high: number;
}

/** The ranges of the values in a piece or batch. */
export interface Piece {
  /** Ids from the file. */
  readonly ids: Span;
  readonly visits: Span;
  /** The times of rows without an id, which are recognized by their time and other values. */
  readonly times: Span;
  /** The times of rows without a visit, which join the visit of a view within half an hour. */
  readonly visitTimes: Span;
}

export const noSpan = (): Span => ({ low: Number.POSITIVE_INFINITY, high: Number.NEGATIVE_INFINITY });

export const emptyPiece = (): Piece => ({
  ids: noSpan(),
  visits: noSpan(),
  times: noSpan(),
  visitTimes: noSpan(),
});

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
  fields: Readonly<Record<'pv_id' | 'session_id' | 'at', number>>,
): Piece {
  for (const row of rows) {
    const id = valueAt(batch, row, fields.pv_id);
    const visit = valueAt(batch, row, fields.session_id);
    const at = valueAt(batch, row, fields.at);
    if (isGenerated(id)) widen(piece.times, at);
    else widen(piece.ids, id);
    if (Number.isNaN(visit)) widen(piece.visitTimes, at);
    else widen(piece.visits, visit);
  }
  return piece;
}

export const overlaps = (one: Span, other: Span): boolean => one.low <= other.high && other.low <= one.high;

/** The ranges of stored visits and times that a piece can affect; null if there are none. */
export interface StoredBounds {
  readonly lowVisit: string | null;
  readonly highVisit: string | null;
  readonly first: string | null;
  readonly last: string | null;
}

export const ALL_BOUNDS: StoredBounds = {
  lowVisit: '0',
  highVisit: String(FIRST_GENERATED_ID - 1),
  first: '-infinity',
  last: 'infinity',
};

/** For a piece with fewer rows, querying the bounds is not worthwhile. */
const FEW_ROWS = 4096;

/**
 * For a piece of `staged` rows: the lowest and highest stored visit in its range, and the first and last stored time near its rows
 * without a visit.
 */
export async function storedBounds(
  client: ClientBase,
  siteId: number,
  staged: number,
  { visits, visitTimes }: Piece,
): Promise<StoredBounds> {
  if (staged < FEW_ROWS) return ALL_BOUNDS;
  const { rows: found } = await client.query<StoredBounds>(STORED, [
    siteId,
    ...limitsOf(visits),
    ...limitsOf(visitTimes),
  ]);
  return found[0] ?? ALL_BOUNDS;
}

const limitsOf = ({ low, high }: Span): readonly (number | null)[] =>
  low > high ? [null, null] : [low, high];

/** SQL: the lowest (ASC) or highest value between `low` and `high` in an indexed field of the site's views. */
export const storedLimit = (field: string, low: string, high: string, order: 'ASC' | 'DESC'): string =>
  `(SELECT ${field} FROM analytics.page_view WHERE site_id = ${ANY_SITE} AND ${field} BETWEEN ${low} AND ${high} ORDER BY ${field} ${order} LIMIT 1)`;

const visit = (order: 'ASC' | 'DESC') => storedLimit('session_id', '$2::bigint', '$3::bigint', order);
const time = (order: 'ASC' | 'DESC') =>
  storedLimit('at', `to_timestamp($4::float8) - ${PAUSE}`, `to_timestamp($5::float8) + ${PAUSE}`, order);

const STORED = `SELECT ${visit('ASC')} AS "lowVisit", ${visit('DESC')} AS "highVisit", ${time('ASC')}::text AS first, ${time('DESC')}::text AS last`;
