// The calendar days of a range of instants: those whose own midnight lies in it.
// [start, end) in epoch seconds + zone -> [first, end) as `YYYY-MM-DD`; none where both are equal.
// A day that clocks skip has the midnight of the day after it, as all local times that clocks skip.
import { Temporal } from 'temporal-polyfill';
import { instantOf } from './local-time';

/** The first and last date that four digits and the database can write; no row is near either. */
const FIRST_DATE = Temporal.PlainDate.from('0001-01-01');
const LAST_DATE = Temporal.PlainDate.from('9999-12-31');

/** Clocks skip or repeat one day at most, so the midnight two days before has always passed. */
const DAYS_BACK = 2;

const midnightOf = (day: Temporal.PlainDate, zone: string): number => instantOf(`${day}T00:00:00`, zone);

/** The first writable day whose midnight is at the instant or after it. */
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

/** The days whose midnight lies in a range. Months, and other rows known by their first day, count by that day. */
export function daysWithin(
  { start, end }: { readonly start: number; readonly end: number },
  zone: string,
): { readonly first: string; readonly end: string } {
  return { first: firstDayFrom(start, zone), end: firstDayFrom(end, zone) };
}
