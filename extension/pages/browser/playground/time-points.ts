import type { TimeUnit } from '../../shared-types/query-check';
import { pointInWords, pointOnAxis } from '../shared/dates-in-words';
import type { Cell } from '../shared/query-answer';

interface TimeAxis {
  /** Adjacent steps are 1 apart; instants are in seconds. */
  place(cell: Cell): number;
  /** The short label. */
  axis(cell: Cell): string;
  /** The long label. */
  name(cell: Cell): string;
}

const DAY_MS = 86_400_000;
const MONDAY_MS = Date.UTC(2024, 0, 1);

const utc = (options: Intl.DateTimeFormatOptions) => {
  const format = new Intl.DateTimeFormat(undefined, { timeZone: 'UTC', ...options });
  return (ms: number): string => format.format(ms);
};
const weekday = utc({ weekday: 'short' });
const shortInstant = utc({ day: 'numeric', month: 'short', hour: 'numeric', minute: '2-digit' });
const wholeInstant = utc({ dateStyle: 'medium', timeStyle: 'medium' });

/** Local times are placed as if they were UTC, so that a 23-hour day does not shift the points after it. */
const instantMs = (cell: Cell): number => Date.parse(`${cell}Z`);
const dayMs = (cell: Cell): number => Date.parse(String(cell));
const weekdayMs = (cell: Cell): number => MONDAY_MS + (Number(cell) - 1) * DAY_MS;
const hour = (cell: Cell): string => `${String(cell).padStart(2, '0')}:00`;

export const TIME_AXES: Readonly<Record<TimeUnit, TimeAxis>> = {
  instant: {
    place: (cell) => instantMs(cell) / 1000,
    axis: (cell) => shortInstant(instantMs(cell)),
    name: (cell) => wholeInstant(instantMs(cell)),
  },
  date: {
    place: (cell) => dayMs(cell) / DAY_MS,
    axis: (cell) => pointOnAxis('day', String(cell)),
    name: (cell) => pointInWords('day', String(cell)),
  },
  week: {
    place: (cell) => dayMs(cell) / (7 * DAY_MS),
    axis: (cell) => pointOnAxis('week', String(cell)),
    name: (cell) => pointInWords('week', String(cell)),
  },
  month: {
    place(cell) {
      const [year, month] = String(cell).split('-').map(Number);
      return (year ?? 0) * 12 + (month ?? 0);
    },
    axis: (cell) => pointOnAxis('month', String(cell)),
    name: (cell) => pointInWords('month', String(cell)),
  },
  hour: { place: Number, axis: hour, name: hour },
  weekday: {
    place: Number,
    axis: (cell) => weekday(weekdayMs(cell)),
    name: (cell) => weekday(weekdayMs(cell)),
  },
};
