// Arithmetic on local dates (`YYYY-MM-DD`). day.js runs in UTC, where every day has 24 hours.
// day.js turns years below 100 into 19xx in startOf, in endOf, and for strings without Z, so none of these are used.
import dayjs, { type Dayjs } from 'dayjs';
import utc from 'dayjs/plugin/utc';

dayjs.extend(utc);

export const DAY_SECONDS = 86_400;

const startOf = (date: string): Dayjs => dayjs.utc(`${date}T00:00:00Z`);

/** Years with more than four digits are written with a sign and six digits, which Temporal can also read. */
const textOf = (day: Dayjs): string => day.toISOString().replace(/T.*$/, '');

/** Formats a day number, counted from 1970-01-01. */
export const dayText = (day: number, format: 'YYYY-MM-DD' | 'YYYY-MM'): string =>
  dayjs
    .unix(day * DAY_SECONDS)
    .utc()
    .format(format);

export const laterDate = (date: string, days: number): string => textOf(startOf(date).add(days, 'day'));

/** The same day of a later month, or the last day of that month if it is shorter. */
export const laterMonth = (date: string, months: number): string =>
  textOf(startOf(date).add(months, 'month'));

export const monthOf = (date: string): string => textOf(startOf(date).date(1));

export const mondayOf = (date: string): string => laterDate(date, -((startOf(date).day() + 6) % 7));

export const daysBetween = (date: string, later: string): number => startOf(later).diff(startOf(date), 'day');
