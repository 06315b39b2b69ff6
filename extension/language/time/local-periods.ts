import { DAY_SECONDS, dayText, mondayOf } from './calendar';
import { memoized } from './memoized';
import type { LocalClock } from './zone-offsets';

/** 0001-01-01, the first date that the database can read, in days since 1970. */
const FIRST_DAY = -719_162;

/** [start, end) in epoch seconds. `value` is the local date, the Monday of the local week, or the local month. */
export interface Period {
  readonly value: string;
  readonly start: number;
  readonly end: number;
}

export type PeriodUnit = 'day' | 'week' | 'month';

const TEXTS: Readonly<Record<PeriodUnit, (day: number) => string>> = {
  day: (day) => dayText(day, 'YYYY-MM-DD'),
  week: (day) => mondayOf(dayText(day, 'YYYY-MM-DD')),
  month: (day) => dayText(day, 'YYYY-MM'),
};

const textOf = memoized((day: number, unit: PeriodUnit) => TEXTS[unit](day));

/**
 * Splits a range into local days, weeks or months. Returns undefined for more than `maxDays` days, for days before the year 1,
 * or if the clocks go back across midnight, which would split the previous day in two.
 */
export function localPeriods(
  { start, end }: { readonly start: number; readonly end: number },
  clock: LocalClock,
  unit: PeriodUnit,
  maxDays: number,
): readonly Period[] | undefined {
  const periods: Period[] = [];
  let latestDay = Number.NEGATIVE_INFINITY;
  let days = 0;
  let from = start;
  for (const { until, seconds } of clock) {
    const pieceEnd = Math.min(until ?? end, end);
    while (from < pieceEnd) {
      const day = Math.floor((from + seconds) / DAY_SECONDS);
      if (day > latestDay) days += 1;
      if (day < latestDay || days > maxDays || day < FIRST_DAY) return undefined;
      latestDay = day;
      const to = Math.min((day + 1) * DAY_SECONDS - seconds, pieceEnd);
      const value = textOf(day, unit);
      const last = periods.at(-1);
      if (last?.value === value) periods[periods.length - 1] = { ...last, end: to };
      else periods.push({ value, start: from, end: to });
      from = to;
    }
  }
  return periods;
}
