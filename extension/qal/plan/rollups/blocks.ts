// Owns the splitting of a range into whole local days of a site, which blocks cover, and the rest of it.
// Instants in epoch seconds, days by number; everything is half-open.

import { BLOCK_BASE, TOP_LEVEL } from '../../../../manifests/reader/rollups';
import type { LocalClock } from '../../../time/local-clock';
import { dayBounds, dayOf } from '../../../time/local-days';
import type { CountedDays } from '../../types/resolved-query';

export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Days [first, end), which are the instants of the span. */
export interface WholeDays {
  readonly first: number;
  readonly end: number;
  readonly span: Span;
}

/** A range of which some days may be whole. */
interface SplitRange {
  readonly days: WholeDays | null;
  /** What of the range lies beside them. */
  readonly spans: readonly Span[];
}

interface AlignedBlock {
  readonly level: number;
  readonly block: number;
}

const boundOf = (clock: LocalClock, day: number): number => dayBounds(clock, day, day)[0] ?? 0;

const nonEmpty = (spans: readonly Span[]): readonly Span[] => spans.filter(({ start, end }) => start < end);

/** The part of a range in which the site has rows; empty when it ends where it starts, or before. */
export function spanOfRows({ clock, firstDay, endDay }: CountedDays, { start, end }: Span): Span {
  return { start: Math.max(start, boundOf(clock, firstDay)), end: Math.min(end, boundOf(clock, endDay)) };
}

/** Splits the part of a range in which the site has rows; only days within `within` count as whole. */
export function splitRange(rollups: CountedDays, range: Span, within: Span): SplitRange {
  const rows = spanOfRows(rollups, range);
  const inner = { start: Math.max(rows.start, within.start), end: Math.min(rows.end, within.end) };
  const days = wholeDays(rollups.clock, inner);
  if (days === null) return { days, spans: nonEmpty([rows]) };
  const before = { start: rows.start, end: days.span.start };
  const after = { start: days.span.end, end: rows.end };
  return { days, spans: nonEmpty([before, after]) };
}

function wholeDays(clock: LocalClock, { start, end }: Span): WholeDays | null {
  if (start >= end) return null;
  const startsIn = dayOf(clock, start);
  const first = boundOf(clock, startsIn) < start ? startsIn + 1 : startsIn;
  const last = dayOf(clock, end);
  const span = { start: boundOf(clock, first), end: boundOf(clock, last) };
  return span.start < span.end ? { first, end: last, span } : null;
}

/** As few blocks as the days need; where the site has no rows before or after them, they may reach further. */
export function blocksOf(
  { first, end }: WholeDays,
  { firstDay, endDay }: CountedDays,
): readonly AlignedBlock[] {
  const longest = BLOCK_BASE ** TOP_LEVEL;
  const from = first <= firstDay ? Math.floor(first / longest) * longest : first;
  const to = end >= endDay ? Math.ceil(end / longest) * longest : end;
  const blocks: AlignedBlock[] = [];
  for (let day = from; day < to; ) {
    const level = levelAt(day, to);
    const length = BLOCK_BASE ** level;
    blocks.push({ level, block: day / length });
    day += length;
  }
  return blocks;
}

/** The level of the longest block that begins with the day and ends in time. */
function levelAt(day: number, end: number): number {
  let level = 0;
  while (level < TOP_LEVEL) {
    const longer = BLOCK_BASE ** (level + 1);
    if (day % longer !== 0 || day + longer > end) break;
    level += 1;
  }
  return level;
}
