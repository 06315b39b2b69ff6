// The days that the dashboard shows, what they are compared with, and the steps of its chart, in the site's time zone. "The
// last 28 days" end yesterday: an incomplete day would look like a drop.
import { formatCount } from '../../../host-shim/extension-api';
import type { SiteOverview } from '../../data/storage/sites/list-sites';
import { daysBetween, laterDate, laterMonth, mondayOf, monthOf } from '../../language/time/calendar';
import { isLocalDate, localDateOf } from '../../language/time/local-time';
import type { ChartPoints, DashboardHead, DayRange, Step } from '../shared-types/dashboard-types';

const MAX_DAYS = 3_660;
/** Queries accept these days and the adjacent ones in every time zone. */
export const FIRST_DAY = '0002-01-01';
export const LAST_DAY = '9998-12-31';
/** About a year earlier, on the same weekday. */
const DAYS_OF_52_WEEKS = 52 * 7;

export interface LocalNow {
  /** YYYY-MM-DD. */
  readonly day: string;
  readonly hour: number;
  readonly minute: number;
}

export interface SiteNow extends LocalNow {
  /** Epoch seconds. */
  readonly instant: number;
}

const lastDays =
  (days: number) =>
  (today: string): DayRange => ({ first: laterDate(today, -days), last: laterDate(today, -1) });

interface Period {
  readonly title: string;
  /** Keyboard shortcuts, in lower case. */
  readonly keys: readonly string[];
  /** undefined: the user enters the days. */
  readonly days?: (today: string) => DayRange;
  /**
   * The period is compared with the same part of the previous month or year. Periods without `of` are compared with the same
   * number of preceding days.
   */
  readonly of?: 'month' | 'year';
}

export const PERIOD_IDS = ['today', 'yesterday', '7d', '28d', '90d', 'month', 'year', 'custom'] as const;
export type PeriodId = (typeof PERIOD_IDS)[number];

export const PERIODS: Readonly<Record<PeriodId, Period>> = {
  today: { title: 'Today', keys: ['d', 't'], days: (today) => ({ first: today, last: today }) },
  yesterday: { title: 'Yesterday', keys: [], days: lastDays(1) },
  '7d': { title: 'Last 7 days', keys: ['7', 'w'], days: lastDays(7) },
  '28d': { title: 'Last 28 days', keys: ['2'], days: lastDays(28) },
  '90d': { title: 'Last 90 days', keys: ['9'], days: lastDays(90) },
  month: {
    title: 'This month',
    keys: ['m'],
    days: (today) => ({ first: monthOf(today), last: today }),
    of: 'month',
  },
  year: {
    title: 'This year',
    keys: ['y'],
    days: (today) => ({ first: `${today.slice(0, 5)}01-01`, last: today }),
    of: 'year',
  },
  custom: { title: 'Custom range', keys: [] },
};

export const DEFAULT_PERIOD: PeriodId = '28d';

export const COMPARISON_IDS = ['before', 'year', 'custom', 'none'] as const;
type Comparison = (typeof COMPARISON_IDS)[number];

export const COMPARISONS: Readonly<Record<Comparison, string>> = {
  before: 'Previous period',
  year: 'Previous year (same weekdays)',
  custom: 'Custom range',
  none: 'No comparison',
};

const daysIn = ({ first, last }: DayRange): number => daysBetween(first, last) + 1;
const clampDay = (day: string): string => (day < FIRST_DAY ? FIRST_DAY : day > LAST_DAY ? LAST_DAY : day);

/** The part of the earlier range that corresponds to the days of the range up to today. */
export function begunBefore(before: DayRange, { last }: DayRange, today: string): DayRange {
  return { first: before.first, last: laterDate(before.last, 1 - daysIn({ first: today, last })) };
}

type DayField = 'from' | 'to' | 'compare_from' | 'compare_to';

export interface RequestedDays extends Readonly<Partial<Record<DayField, string | undefined>>> {
  readonly period: PeriodId;
  readonly compare: Comparison;
}

interface DaysFault {
  readonly at: DayField;
  readonly message: string;
}

function readDays(requested: RequestedDays, [from, to]: readonly [DayField, DayField]): DayRange | DaysFault {
  const { [from]: first = '', [to]: last = '' } = requested;
  for (const [at, text] of [
    [from, first],
    [to, last],
  ] as const) {
    if (!isLocalDate(text)) return { at, message: 'Enter a date such as 2026-11-01.' };
    if (text !== clampDay(text)) return { at, message: `Enter a date from ${FIRST_DAY} to ${LAST_DAY}.` };
  }
  if (last < first) return { at: to, message: 'The last day must not be before the first one.' };
  if (daysIn({ first, last }) > MAX_DAYS)
    return { at: from, message: `At most ${formatCount(MAX_DAYS)} days can be shown at once.` };
  return { first, last };
}

/** The days that are shown, or a message and the invalid field. */
export function readRange(requested: RequestedDays, today: string): DayRange | DaysFault {
  const { days } = PERIODS[requested.period];
  return days === undefined ? readDays(requested, ['from', 'to']) : days(today);
}

/** The days that the range is compared with; null if there is no comparison, or the range is too early for one. */
export function readComparison(requested: RequestedDays, range: DayRange): DayRange | DaysFault | null {
  const { period, compare } = requested;
  if (compare === 'none') return null;
  if (compare !== 'custom') return rangeBefore(period, range, compare);
  const days = readDays(requested, ['compare_from', 'compare_to']);
  if ('message' in days || days.last <= range.last) return days;
  return {
    at: 'compare_to',
    message: `The comparison must not end after ${range.last}, the last day of the range.`,
  };
}

function rangeBefore(period: PeriodId, range: DayRange, comparison: 'before' | 'year'): DayRange | null {
  const { of } = PERIODS[period];
  const earlier = (day: string): string => {
    if (comparison === 'year') return laterDate(day, -DAYS_OF_52_WEEKS);
    if (of !== undefined) return laterMonth(day, of === 'month' ? -1 : -12);
    return laterDate(day, -daysIn(range));
  };
  if (range.first < '0005') return null;
  return { first: earlier(range.first), last: earlier(range.last) };
}

/** The shortest and longest range, in days, for each step, and the longest range for which the step is the default. */
const STEPS: readonly (readonly [step: Step, min: number, max: number, defaultMax: number])[] = [
  ['hour', 1, 7, 1],
  ['day', 2, 400, 92],
  ['week', 14, MAX_DAYS, 200],
  ['month', 60, MAX_DAYS, MAX_DAYS],
];

export function stepsOf(range: DayRange): readonly Step[] {
  const days = daysIn(range);
  return STEPS.filter(([, min, max]) => days >= min && days <= max).map(([step]) => step);
}

/** The default step of a range. */
export const defaultStep = (range: DayRange): Step =>
  STEPS.find(([, , , defaultMax]) => daysIn(range) <= defaultMax)?.[0] ?? 'month';

/** The first day of the step that contains a day, and the first day of the next step. */
function stepAround(step: Step, day: string): DayRange {
  if (step === 'week') return { first: mondayOf(day), last: laterDate(mondayOf(day), 7) };
  if (step !== 'month') return { first: day, last: laterDate(day, 1) };
  const first = monthOf(day);
  return { first, last: laterMonth(first, 1) };
}

/** The days of the first `count` points of a range. */
export function daysOfPoints(step: Step, { first, last }: DayRange, count: number): DayRange {
  let end = first;
  for (let left = step === 'hour' ? count / 24 : count; left > 0 && end <= last; left -= 1)
    end = stepAround(step, end).last;
  const charted = laterDate(end, -1);
  return { first, last: charted < last ? charted : last };
}

/**
 * Whether an unfinished range is compared with the same hours of the earlier range. A custom range of a different length is
 * compared in full.
 */
export const hasSameHours = (comparison: Comparison, range: DayRange, before: DayRange | null): boolean =>
  before !== null && (comparison !== 'custom' || daysIn(before) === daysIn(range));

/** `data` is the first and last day with data; points outside these days are unknown rather than 0. */
export function pointsOf(step: Step, range: DayRange, now: LocalNow, data: DayRange | null): ChartPoints {
  const points: string[] = [];
  const partial: number[] = [];
  const known: number[] = [];
  for (let day = range.first; day <= range.last; ) {
    const { first, last: next } = stepAround(step, day);
    const last = laterDate(next, -1);
    const hasData = data !== null && first <= data.last && last >= data.first;
    for (let hour = 0; hour < (step === 'hour' ? 24 : 1); hour += 1) {
      const isCurrent = first <= now.day && now.day < next && (step !== 'hour' || hour === now.hour);
      const hasBegun = first < now.day || (first === now.day && (step !== 'hour' || hour <= now.hour));
      const isTruncated = first < range.first || last > range.last;
      if (isCurrent || isTruncated || (hasData && (first < data.first || last > data.last)))
        partial.push(points.length);
      if (hasData && hasBegun) known.push(points.length);
      points.push(step === 'hour' ? `${first} ${hour}` : step === 'month' ? first.slice(0, 7) : first);
    }
    day = next;
  }
  const [from = 0] = known;
  return { points, partial, known: [from, from + known.length] };
}

/** The first and last local day with page views; null if there are none. */
export function daysWithViews(
  { firstView, lastView }: Pick<SiteOverview, 'firstView' | 'lastView'>,
  timezone: string,
): DayRange | null {
  const dayOf = (instant: Date) => localDateOf(Math.floor(instant.getTime() / 1000), timezone);
  return firstView && lastView && { first: dayOf(firstView), last: dayOf(lastView) };
}

/** Why a range cannot be compared with the earlier one: one of the two has days before the first or after the last day with data. */
export function missingDays(
  range: DayRange,
  before: DayRange | null,
  data: DayRange | null,
  today: string,
): DashboardHead['missing'] {
  if (before === null || data === null) return null;
  if (before.first < data.first || range.first < data.first) return 'before';
  const isAfter = ({ last }: DayRange) => (last < today ? last : today) > data.last;
  return isAfter(before) || isAfter(range) ? 'after' : null;
}

/** Columns of page views that identify a step. */
export const STEP_COLUMNS: Readonly<Record<Step, readonly string[]>> = {
  hour: ['access_date', 'access_hour'],
  day: ['access_date'],
  week: ['access_week'],
  month: ['access_month'],
};
