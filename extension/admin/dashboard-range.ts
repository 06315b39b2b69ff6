// Owns the range of days that the dashboard shows: what the address asks -> days of the site's clock, or faults by field.
// "The last 30 days" ended yesterday: a day that is not over would look like a fall.
import { isLocalDate, localDateOf } from '../time/local-time';
import type { DayRange } from './dashboard-queries';

export const LAST_DAYS: readonly number[] = [7, 30, 90];
const USUAL_DAYS = 30;
const MOST_DAYS = 3_660;
const DAY_MS = 86_400_000;
/** A day more at either end, in any zone, is still one that queries can name. */
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
  /** How many days back, where that is what was asked. */
  readonly last: number | null;
  /** Sentences by field; the range is then the usual one. */
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

/** The range of that many days that ends with a day, as far as it can be asked. */
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
    if (!isLocalDate(text)) faults[name] = 'A day is needed, such as 2026-11-01.';
    else if (text !== within(text)) faults[name] = `A day from ${FIRST_DAY} to ${LAST_DAY} is needed.`;
  }
  if (Object.keys(faults).length > 0) return faults;
  if (to < from) return { to: 'The last day must not be before the first.' };
  if ((startOf(to) - startOf(from)) / DAY_MS >= MOST_DAYS)
    return { from: `At most ${MOST_DAYS.toLocaleString('en')} days can be shown at once.` };
  return { first: from, last: to };
}

/** `now` is read by the site's clock. Without anything asked it is the last 30 days. */
export function readRange(asked: RangeFields, now: Date, timezone: string): AskedRange {
  const today = localDateOf(Math.floor(now.getTime() / 1000), timezone);
  const usual = lastDays(today, USUAL_DAYS);
  if ((asked.from ?? '') !== '' || (asked.to ?? '') !== '') {
    const read = datesOf(asked);
    if ('first' in read && 'last' in read)
      return { range: { first: read.first, last: read.last }, last: null, faults: {} };
    return { range: usual, last: USUAL_DAYS, faults: { ...read } };
  }
  if (asked.last === undefined) return { range: usual, last: USUAL_DAYS, faults: {} };
  const days = LAST_DAYS.find((one) => String(one) === asked.last);
  if (days === undefined)
    return {
      range: usual,
      last: USUAL_DAYS,
      faults: { last: `Choose one of the last ${LAST_DAYS.join(', ')} days.` },
    };
  return { range: lastDays(today, days), last: days, faults: {} };
}
