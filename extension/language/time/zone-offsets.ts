// The offsets of a zone between its clock changes.
// Never from the database, whose zone data may be of another year than the runtime's.
import { Temporal } from 'temporal-polyfill';
import type { LocalClock } from './local-clock';
import { remembered } from './remembered';

/** The importer refuses times outside this range, so clock changes there do not matter. */
const ROWS = { from: Date.UTC(1970) / 1000, to: Date.UTC(2101) / 1000 };

/** The offsets of a zone over [start, end) in epoch seconds, in chronological order. */
export const zoneOffsets = remembered((start: number, end: number, zone: string): LocalClock => {
  const from = Math.min(Math.max(start, ROWS.from), ROWS.to);
  const to = Math.min(end, ROWS.to);
  const offsets: { until: number; seconds: number }[] = [];
  let piece = Temporal.Instant.fromEpochMilliseconds(from * 1000).toZonedDateTimeISO(zone);
  for (;;) {
    const next = piece.getTimeZoneTransition('next');
    const seconds = piece.offsetNanoseconds / 1e9;
    const until = next === null ? Number.POSITIVE_INFINITY : next.epochMilliseconds / 1000;
    if (next === null || until >= to) return [...offsets, { until: null, seconds }];
    // A transition may change only the name or the rules.
    if (next.offsetNanoseconds !== piece.offsetNanoseconds) offsets.push({ until, seconds });
    piece = next;
  }
});
