import type { Step } from '../../shared-types/dashboard-types';

const dateFormat = (options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat(undefined, { timeZone: 'UTC', ...options });
const SHORT = dateFormat({ day: 'numeric', month: 'short' });
const WITH_WEEKDAY = dateFormat({ weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' });
const WITH_YEAR = dateFormat({ day: 'numeric', month: 'short', year: 'numeric' });
const MONTH = dateFormat({ month: 'short', year: 'numeric' });
const LONG_MONTH = dateFormat({ month: 'long', year: 'numeric' });
const WEEKDAY = dateFormat({ weekday: 'short' });
const LONG_WEEKDAY = dateFormat({ weekday: 'long' });
const HOUR = dateFormat({ hour: 'numeric', minute: '2-digit' });

/** A range of one day is written as a single date. */
export const rangeInWords = ({ first, last }: { readonly first: string; readonly last: string }): string =>
  first === last
    ? WITH_WEEKDAY.format(new Date(first))
    : WITH_YEAR.formatRange(new Date(first), new Date(last));

/** `21 Nov 2026` */
export const dateInWords = (day: string): string => WITH_YEAR.format(new Date(day));

/** `Sat, 21 Nov 2026` */
export const dayInWords = (day: string): string => WITH_WEEKDAY.format(new Date(day));

export const monthInWords = (day: string): string => LONG_MONTH.format(new Date(day));

/** Monday to Sunday. */
export const weekdayNames = (): readonly { readonly short: string; readonly long: string }[] =>
  Array.from({ length: 7 }, (_unused, at) => {
    const day = new Date(Date.UTC(2024, 0, 1 + at));
    return { short: WEEKDAY.format(day), long: LONG_WEEKDAY.format(day) };
  });

/** Why two ranges cannot be compared; undefined if they can. */
export function missingInWords({
  missing,
  data,
}: {
  readonly missing: 'before' | 'after' | null;
  readonly data: { readonly first: string; readonly last: string } | null;
}): string | undefined {
  if (missing === null || data === null) return undefined;
  const day = WITH_YEAR.format(new Date(missing === 'before' ? data.first : data.last));
  return `There is no data ${missing} ${day}.`;
}

function instantOf(step: Step, point: string): Date {
  const [day = '', hour = '0'] = point.split(' ');
  const date = new Date(step === 'month' ? `${day}-01` : day);
  date.setUTCHours(Number(hour));
  return date;
}

export function pointOnAxis(step: Step, point: string): string {
  const date = instantOf(step, point);
  return (step === 'hour' ? HOUR : step === 'month' ? MONTH : SHORT).format(date);
}

export function pointInWords(step: Step, point: string): string {
  const date = instantOf(step, point);
  if (step === 'hour') return `${WITH_WEEKDAY.format(date)}, ${HOUR.format(date)}`;
  if (step === 'month') return MONTH.format(date);
  return step === 'week' ? `Week of ${WITH_YEAR.format(date)}` : WITH_WEEKDAY.format(date);
}
