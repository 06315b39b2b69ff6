// Relative dates from other tools: `7d`, `last_month`, `-30d`, `today`, `now-7d`.
import { laterDate, laterMonth, mondayOf, monthOf } from '../time/calendar';
import { repairedLocalDateTime } from '../time/local-time';
import { fold } from './by-word';

/** Local dates or date-times; the end is excluded. */
interface LocalRange {
  readonly start: string;
  readonly end: string;
}

/** The days that a relative date refers to on the local day `today`. The last days, weeks, months and years exclude today. */
export function relativeDays(text: string, today: string): LocalRange | undefined {
  const folded = fold(text).replace(/^(?:now|(?:the)?(?:last|past|previous|prev|trailing))(?=\d)/, '');
  const [, count, unit = ''] = /^(\d{1,3})(d|days?|w|weeks?|mo|months?|y|years?)(?:ago)?$/.exec(folded) ?? [];
  if (count !== undefined) return lastUnits(Number(count), unit, today);
  const [, word = '', named = ''] =
    /^(this|current|last|previous|prev|past)(week|month|year)$/.exec(folded) ?? [];
  if (named !== '')
    return /^(?:this|current)$/.test(word) ? sinceStart(named, today) : lastUnits(1, named, today);
  switch (folded) {
    case 'now':
    case 'today':
      return { start: today, end: laterDate(today, 1) };
    case 'yesterday':
      return lastUnits(1, 'd', today);
    case 'mtd':
      return sinceStart('month', today);
    case 'ytd':
      return sinceStart('year', today);
  }
  return undefined;
}

/** The range that a relative start or end refers to on the local day `today`. An absolute start is kept if it is before the end. */
export function relativeRange(start: unknown, end: unknown, today: string): LocalRange | undefined {
  const daysOf = (text: unknown) => (typeof text === 'string' ? relativeDays(text, today) : undefined);
  const [first, last] = [daysOf(start), daysOf(end)];
  const days = first ?? last;
  const written = first === undefined && typeof start === 'string' ? repairedLocalDateTime(start) : '';
  if (days === undefined || written === undefined) return undefined;
  const until = `${(last ?? days).end}T00:00:00`;
  return { start: written !== '' && written < until ? written : `${days.start}T00:00:00`, end: until };
}

/** The first day of the week, month or year that contains a day. */
function startOf(unit: string, day: string): string {
  if (unit.startsWith('w')) return mondayOf(day);
  return unit.startsWith('y') ? laterMonth(monthOf(day), 1 - Number(day.slice(5, 7))) : monthOf(day);
}

const sinceStart = (unit: string, today: string): LocalRange => ({
  start: startOf(unit, today),
  end: laterDate(today, 1),
});

function lastUnits(count: number, unit: string, today: string): LocalRange {
  if (unit.startsWith('d')) return { start: laterDate(today, -count), end: today };
  const end = startOf(unit, today);
  if (unit.startsWith('w')) return { start: laterDate(end, -7 * count), end };
  return { start: laterMonth(end, unit.startsWith('y') ? -12 * count : -count), end };
}
