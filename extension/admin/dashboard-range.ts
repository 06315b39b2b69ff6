// The range of days that the dashboard shows. "The last 30 days" ended yesterday: an unfinished day would look like a drop.
import { isLocalDate, localDateOf } from '../time/local-time';
import type { DayRange } from './dashboard-queries';

export const LAST_DAYS: readonly number[] = [7, 30, 90];
const DEFAULT_DAYS = 30;
const MOST_DAYS = 3_660;
const DAY_MS = 86_400_000;
/** In any time zone, the days before and after are still ones that a query can name. */
export const FIRST_DAY = '0002-01-01';
export const LAST_DAY = '9998-12-31';

export interface RangeFields {
  /** One of LAST_DAYS, as text. */
  readonly last?: string;
  readonly from?: string;
  readonly to?: string;
}

export interface AskedRange {
  readonly range: DayRange;
  /** The number of days, where one was chosen. */
  readonly last: number | null;
  /** Sentences by field; the range is then the default one. */
  readonly faults: Readonly<Record<string, string>>;
}

const startOf = (day: string): number => Date.parse(`${day}T00:00:00Z`);
const shifted = (day: string, days: number): string =>
  new Date(startOf(day) + days * DAY_MS).toISOString().slice(0, 10);

const within = (day: string): string => (day < FIRST_DAY ? FIRST_DAY : day > LAST_DAY ? LAST_DAY : day);

/** The last whole days before `today`, YYYY-MM-DD. */
const lastDays = (today: string, days: number): DayRange => ({
  first: shifted(today, -days),
  last: shifted(today, -1),
});

/** The range of this many days that ends with `day`, within what can be asked. */
export function daysUntil(day: string, days: number): DayRange {
  const last = within(day);
  return { first: within(shifted(last, 1 - days)), last };
}

function datesOf({ from = '', to = '' }: RangeFields): DayRange | Readonly<Record<string, string>> {
  const faults: Record<string, string> = {};
  for (const [name, text] of [
    ['from', from],
    ['to', to],
  ] as const) {
    if (!isLocalDate(text)) faults[name] = 'Enter a date such as 2026-11-01.';
    else if (text !== within(text)) faults[name] = `Enter a date from ${FIRST_DAY} to ${LAST_DAY}.`;
  }
  if (Object.keys(faults).length > 0) return faults;
  if (to < from) return { to: 'The last day must not be before the first one.' };
  if ((startOf(to) - startOf(from)) / DAY_MS >= MOST_DAYS)
    return { from: `At most ${MOST_DAYS.toLocaleString('en')} days can be shown at once.` };
  return { first: from, last: to };
}

/** In days of the site's time zone; the last 30 days where nothing is asked. */
export function readRange(asked: RangeFields, now: Date, timezone: string): AskedRange {
  const today = localDateOf(Math.floor(now.getTime() / 1000), timezone);
  const fallback = lastDays(today, DEFAULT_DAYS);
  if ((asked.from ?? '') !== '' || (asked.to ?? '') !== '') {
    const read = datesOf(asked);
    if ('first' in read && 'last' in read)
      return { range: { first: read.first, last: read.last }, last: null, faults: {} };
    return { range: fallback, last: DEFAULT_DAYS, faults: { ...read } };
  }
  if (asked.last === undefined) return { range: fallback, last: DEFAULT_DAYS, faults: {} };
  const days = LAST_DAYS.find((one) => String(one) === asked.last);
  if (days === undefined)
    return {
      range: fallback,
      last: DEFAULT_DAYS,
      faults: { last: `Choose one of the last ${LAST_DAYS.join(', ')} days.` },
    };
  return { range: lastDays(today, days), last: days, faults: {} };
}
