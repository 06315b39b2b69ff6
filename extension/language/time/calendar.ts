// Calendar arithmetic on local dates, `YYYY-MM-DD`, by day.js in UTC: no zone is involved, and every day has 24 hours.
// day.js reads a text without Z, and finds startOf and endOf, in 19xx for the years below 100, so neither is used.
import dayjs, { type Dayjs } from 'dayjs';
import utc from 'dayjs/plugin/utc';

dayjs.extend(utc);

const startOf = (date: string): Dayjs => dayjs.utc(`${date}T00:00:00Z`);

/** A year that four digits cannot write has a sign and six, as Temporal reads it too. */
const textOf = (day: Dayjs): string => day.toISOString().replace(/T.*$/, '');

/** A day, counted from 1970-01-01, as day.js prints it. */
export const dayText = (day: number, format: 'YYYY-MM-DD' | 'YYYY-MM'): string =>
  dayjs
    .unix(day * 86_400)
    .utc()
    .format(format);

/** The local date so many days later. */
export const laterDate = (date: string, days: number): string => textOf(startOf(date).add(days, 'day'));

/** The same day so many months later, or the last one of a shorter month. */
export const laterMonth = (date: string, months: number): string =>
  textOf(startOf(date).add(months, 'month'));

/** The first day of the month of a local date. */
export const monthOf = (date: string): string => textOf(startOf(date).date(1));

/** The Monday of the week of a local date. */
export const mondayOf = (date: string): string => {
  const day = startOf(date);
  return textOf(day.subtract((day.day() + 6) % 7, 'day'));
};

/** How many days later the second date is. */
export const daysBetween = (date: string, later: string): number => startOf(later).diff(startOf(date), 'day');
