// Splits a range of instants into local days, weeks or months.
import { DAY_SECONDS, dayText, mondayOf } from './calendar';
import type { LocalClock } from './local-clock';
import { remembered } from './remembered';

/** 0001-01-01 in days since 1970, the earliest date that the database reads. No query ends after 9999. */
const FIRST_DAY = -719_162;

/** [start, end) in epoch seconds; `value` is the local date, the Monday of the local week, or the local month. */
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

/** The period that a day falls in; days are counted from 1970-01-01. */
const textOf = remembered((day: number, unit: PeriodUnit) => TEXTS[unit](day));

/**
 * The local days, weeks or months of a range, cut at its ends. Undefined for more than `most` days, for a day before the
 * year 1, and if clocks go back across midnight, since the day before would then have two pieces.
 */
export function localPeriods(
  { start, end }: { readonly start: number; readonly end: number },
  clock: LocalClock,
  unit: PeriodUnit,
  most: number,
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
      if (day < latestDay || days > most || day < FIRST_DAY) return undefined;
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
