import { Temporal } from 'temporal-polyfill';
import { localOf } from './local-time';
import { memoized } from './memoized';

/** Offsets from UTC in seconds, with the instant until which each one applies. */
export type LocalClock = readonly { readonly until: number | null; readonly seconds: number }[];

/** The importer rejects times outside this range, so clock changes outside it do not matter. */
const ROWS = { from: Date.UTC(1970) / 1000, to: Date.UTC(2101) / 1000 };

/**
 * The offsets of a zone over [start, end) in epoch seconds, in chronological order. They come from the runtime, since the
 * database may have zone data from a different year.
 */
export const zoneOffsets = memoized((start: number, end: number, zone: string): LocalClock => {
  const from = Math.min(Math.max(start, ROWS.from), ROWS.to);
  const to = Math.min(end, ROWS.to);
  const offsets: { until: number; seconds: number }[] = [];
  let piece = Temporal.Instant.fromEpochMilliseconds(from * 1000).toZonedDateTimeISO(zone);
  for (;;) {
    const next = piece.getTimeZoneTransition('next');
    const seconds = piece.offsetNanoseconds / 1e9;
    const until = next === null ? Number.POSITIVE_INFINITY : next.epochMilliseconds / 1000;
    if (next === null || until >= to) return [...offsets, { until: null, seconds }];
    // Some transitions change only the zone's abbreviation.
    if (next.offsetNanoseconds !== piece.offsetNanoseconds) offsets.push({ until, seconds });
    piece = next;
  }
});

/** Adds the offsets at instants that are earlier than any row. */
export function withEarlyInstants(clock: LocalClock, instants: readonly number[], zone: string): LocalClock {
  const early = instants.filter((instant) => instant < ROWS.from).sort((one, other) => one - other);
  const offsetAt = (instant: number): number => localOf(instant, zone).offsetNanoseconds / 1e9;
  return [...early.map((instant) => ({ until: instant + 1, seconds: offsetAt(instant) })), ...clock];
}
