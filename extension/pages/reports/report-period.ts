// The week or month that a report covers, in the site's time zone.
import { laterDate, laterMonth, mondayOf, monthOf } from '../../language/time/calendar';
import { instantOf, localDateOf, localTimeOf } from '../../language/time/local-time';
import type { DayRange } from '../shared-types/dashboard-types';

export const FREQUENCIES = ['weekly', 'monthly'] as const;
export type Frequency = (typeof FREQUENCIES)[number];

export interface Period {
  readonly range: DayRange;
  readonly before: DayRange;
  /** When the report for the next period is due. */
  readonly nextAt: Date;
}

/** Local hour at which reports are sent, so that overnight imports are included. */
const HOUR = 7;

const STEPS: Readonly<
  Record<Frequency, { start(day: string): string; later(day: string, count: number): string }>
> = {
  weekly: { start: mondayOf, later: (day, count) => laterDate(day, 7 * count) },
  monthly: { start: monthOf, later: laterMonth },
};

/** The last complete period whose report is due. */
export function lastPeriod(frequency: Frequency, now: Date, zone: string): Period {
  const { start, later } = STEPS[frequency];
  const instant = Math.floor(now.getTime() / 1000);
  const day = localDateOf(instant, zone);
  const today = localTimeOf(instant, zone).hour < HOUR ? laterDate(day, -1) : day;
  const current = start(today);
  const rangeFrom = (count: number): DayRange => ({
    first: later(current, count),
    last: laterDate(later(current, count + 1), -1),
  });
  const nextAt = new Date(1000 * instantOf(`${later(current, 1)}T0${HOUR}:00:00`, zone));
  return { range: rangeFrom(-1), before: rangeFrom(-2), nextAt };
}
