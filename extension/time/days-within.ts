// Owns which calendar days belong to a range of instants: those whose own midnight lies in it.
// [start, end) in epoch seconds + zone -> [first, end) as `YYYY-MM-DD`; no day belongs to it when both are equal.
// A day that clocks skip has a midnight too, the one of the day after it, as everywhere for times that clocks skip.
import { Temporal } from 'temporal-polyfill';
import { instantOf } from './local-time';

/** The dates that four digits and the database can write. No row lies near either of them. */
const FIRST_DATE = Temporal.PlainDate.from('0001-01-01');
const LAST_DATE = Temporal.PlainDate.from('9999-12-31');

/** Clocks skip or repeat a day at most, so the midnight of two days before has always passed. */
const DAYS_BACK = 2;

const midnightOf = (day: Temporal.PlainDate, zone: string): number => instantOf(`${day}T00:00:00`, zone);

/** The first day, of those that can be written, whose midnight is at the instant or after it. */
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

/**
 * The days whose midnight lies in a range. A month or any other row that is known by its first day is asked about
 * with that day.
 */
export function daysWithin(
  { start, end }: { readonly start: number; readonly end: number },
  zone: string,
): { readonly first: string; readonly end: string } {
  return { first: firstDayFrom(start, zone), end: firstDayFrom(end, zone) };
}
