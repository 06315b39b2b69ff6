// The calendar days whose midnight is in a range of instants.
// [start, end) in epoch seconds + zone -> [first, end) as `YYYY-MM-DD`; empty if both are equal.
// A day that clocks skip has the midnight of the next day, as for all skipped local times.
import { Temporal } from 'temporal-polyfill';
import { instantOf } from './local-time';

/** The first and last date with a four-digit year that the database can store; no row is near either. */
const FIRST_DATE = Temporal.PlainDate.from('0001-01-01');
const LAST_DATE = Temporal.PlainDate.from('9999-12-31');

/** Clocks skip or repeat at most one day, so the midnight two days before has always passed. */
const DAYS_BACK = 2;

const midnightOf = (day: Temporal.PlainDate, zone: string): number => instantOf(`${day}T00:00:00`, zone);

/** The first valid day whose midnight is at or after the instant. */
function firstDayFrom(instant: number, zone: string): string {
  const today = Temporal.Instant.fromEpochMilliseconds(instant * 1000)
    .toZonedDateTimeISO(zone)
    .toPlainDate();
  let day = today.subtract({ days: DAYS_BACK });
  while (midnightOf(day, zone) < instant) day = day.add({ days: 1 });
  if (Temporal.PlainDate.compare(day, FIRST_DATE) < 0) return FIRST_DATE.toString();
  if (Temporal.PlainDate.compare(day, LAST_DATE) > 0) return LAST_DATE.toString();
  return day.toString();
}

/** The days whose midnight is in a range. Months, and other rows identified by their first day, count by that day. */
export function daysWithin(
  { start, end }: { readonly start: number; readonly end: number },
  zone: string,
): { readonly first: string; readonly end: string } {
  return { first: firstDayFrom(start, zone), end: firstDayFrom(end, zone) };
}
