// Relative dates of other tools: `7d`, `last_month`, `-30d`, `today`.
import { laterDate, laterMonth, mondayOf, monthOf } from '../time/calendar';
import { fold } from './by-word';

/** Local dates, the last one excluded. */
interface Days {
  readonly start: string;
  readonly end: string;
}

/** The days that a relative date means on a local day. The last days, weeks, months and years are complete, so they exclude today. */
export function relativeDays(text: string, today: string): Days | undefined {
  const folded = fold(text).replace(/^(?:the)?(?:last|past|previous|prev|trailing)(?=\d)/, '');
  const [, count, unit = ''] = /^(\d{1,3})(d|days?|w|weeks?|mo|months?|y|years?)(?:ago)?$/.exec(folded) ?? [];
  if (count !== undefined) return lastUnits(Number(count), unit, today);
  const [, word = '', named = ''] =
    /^(this|current|last|previous|prev|past)(week|month|year)$/.exec(folded) ?? [];
  if (named !== '')
    return /^(?:this|current)$/.test(word) ? sinceStart(named, today) : lastUnits(1, named, today);
  switch (folded) {
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

/** The first day of the week, month or year of a day. */
function startOf(unit: string, day: string): string {
  if (unit.startsWith('w')) return mondayOf(day);
  return unit.startsWith('y') ? laterMonth(monthOf(day), 1 - Number(day.slice(5, 7))) : monthOf(day);
}

const sinceStart = (unit: string, today: string): Days => ({
  start: startOf(unit, today),
  end: laterDate(today, 1),
});

function lastUnits(count: number, unit: string, today: string): Days {
  if (unit.startsWith('d')) return { start: laterDate(today, -count), end: today };
  const end = startOf(unit, today);
  if (unit.startsWith('w')) return { start: laterDate(end, -7 * count), end };
  return { start: laterMonth(end, unit.startsWith('y') ? -12 * count : -count), end };
}
