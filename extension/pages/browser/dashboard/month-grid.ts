import type { DayRange } from '../../shared-types/dashboard-types';

const DAY_MS = 86_400_000;

const instantOf = (day: string): Date => new Date(`${day}T00:00:00Z`);
const dayOf = (instant: Date): string => instant.toISOString().slice(0, 10);

/** In UTC, which is close enough for opening a calendar. */
export const today = (): string => dayOf(new Date());

export const daysLater = (day: string, days: number): string =>
  dayOf(new Date(instantOf(day).getTime() + days * DAY_MS));

export const daysIn = ({ first, last }: DayRange): number =>
  (instantOf(last).getTime() - instantOf(first).getTime()) / DAY_MS + 1;

/** The same day in another month, or the last day of that month if the month is shorter. */
export function monthsLater(day: string, months: number): string {
  const first = instantOf(`${day.slice(0, 8)}01`);
  first.setUTCMonth(first.getUTCMonth() + months);
  const next = new Date(first);
  next.setUTCMonth(next.getUTCMonth() + 1, 0);
  return `${dayOf(first).slice(0, 8)}${String(Math.min(Number(day.slice(8)), next.getUTCDate())).padStart(2, '0')}`;
}

/** 0 = Monday. */
const weekdayOf = (day: string): number => (instantOf(day).getUTCDay() + 6) % 7;

/** The weeks, Monday to Sunday, that contain days of the same month as `day`. */
export function weeksOf(day: string): readonly (readonly string[])[] {
  const month = day.slice(0, 7);
  const weeks: string[][] = [];
  for (
    let monday = daysLater(`${month}-01`, -weekdayOf(`${month}-01`));
    monday.slice(0, 7) <= month;
    monday = daysLater(monday, 7)
  )
    weeks.push(Array.from({ length: 7 }, (_unused, at) => daysLater(monday, at)));
  return weeks;
}

const MOVES: Readonly<Record<string, (day: string) => string>> = {
  ArrowLeft: (day) => daysLater(day, -1),
  ArrowRight: (day) => daysLater(day, 1),
  ArrowUp: (day) => daysLater(day, -7),
  ArrowDown: (day) => daysLater(day, 7),
  Home: (day) => daysLater(day, -weekdayOf(day)),
  End: (day) => daysLater(day, 6 - weekdayOf(day)),
  PageUp: (day) => monthsLater(day, -1),
  PageDown: (day) => monthsLater(day, 1),
};

export function dayAfterKey(key: string, day: string, { first, last }: DayRange): string | undefined {
  const moved = MOVES[key]?.(day);
  if (moved === undefined) return undefined;
  return moved < first ? first : moved > last ? last : moved;
}

export const between = (one: string, other: string): DayRange =>
  one <= other ? { first: one, last: other } : { first: other, last: one };
