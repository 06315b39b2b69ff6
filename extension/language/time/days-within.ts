import { Temporal } from 'temporal-polyfill';
import { localOf, midnightOf } from './local-time';

/** The first and last dates with a four-digit year that the database can store. No row's date is near either of them. */
const FIRST_DATE = Temporal.PlainDate.from('0001-01-01');
const LAST_DATE = Temporal.PlainDate.from('9999-12-31');

/** Clocks skip or repeat at most one day, so midnight two days ago has always passed. */
const DAYS_BACK = 2;

/** The first day whose midnight is at or after the instant. */
function firstDayFrom(instant: number, zone: string): string {
  let day = localOf(instant, zone).toPlainDate().subtract({ days: DAYS_BACK });
  while (midnightOf(day.toString(), zone) < instant) day = day.add({ days: 1 });
  if (Temporal.PlainDate.compare(day, FIRST_DATE) < 0) return FIRST_DATE.toString();
  if (Temporal.PlainDate.compare(day, LAST_DATE) > 0) return LAST_DATE.toString();
  return day.toString();
}

/**
 * The days, as [first, end), whose midnight is in a range of epoch seconds. A day that the clocks skip has the midnight of the
 * next day. Months and other periods that are identified by their first day are treated like that day.
 */
export function daysWithin(
  { start, end }: { readonly start: number; readonly end: number },
  zone: string,
): { readonly first: string; readonly end: string } {
  return { first: firstDayFrom(start, zone), end: firstDayFrom(end, zone) };
}
