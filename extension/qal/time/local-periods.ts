// Owns the cutting of a range of instants into local days or months.
// [start, end) in epoch seconds + zone -> the periods in order, or nothing where a day is not one piece.
import dayjs from 'dayjs';
import { instantOf, localDateOf, occursTwice } from './local-time';

/** [start, end) in epoch seconds; `value` is `YYYY-MM-DD` or `YYYY-MM`. */
export interface LocalPeriod {
  readonly value: string;
  readonly start: number;
  readonly end: number;
}

const FORMATS = { day: 'YYYY-MM-DD', month: 'YYYY-MM' } as const;

/**
 * The local days or months of a range, cut at its ends. Undefined when there are more than `most`, and where a
 * midnight between two of them occurs twice: clocks go back across it, and the day before has a second piece.
 */
export function localPeriods(
  range: { readonly start: number; readonly end: number },
  zone: string,
  unit: keyof typeof FORMATS,
  most: number,
): readonly LocalPeriod[] | undefined {
  const { start, end } = range;
  const periods: LocalPeriod[] = [];
  let date = dayjs(localDateOf(start, zone)).startOf(unit);
  for (let from = start; from < end; date = date.add(1, unit)) {
    const midnight = `${date.add(1, unit).format('YYYY-MM-DD')}T00:00:00`;
    if (periods.length === most || occursTwice(midnight, zone)) return undefined;
    const to = Math.min(end, instantOf(midnight, zone));
    // A day that a zone skipped as a whole has no instant.
    if (to > from) periods.push({ value: date.format(FORMATS[unit]), start: from, end: to });
    from = Math.max(from, to);
  }
  return periods;
}
