// Owns how a time of a row is read: ISO 8601 with an offset, UNIX seconds, or local text of a named time zone.
// Text or number in -> whole UNIX seconds out (fractions are floored). Local text without a time zone is refused.
import { Temporal } from 'temporal-polyfill';

const ISO =
  /^(\d{4})-(\d{2})-(\d{2})[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,]\d{1,9})?)?(Z|z|[+-]\d{2}(?::?\d{2})?)?$/;
const UNIX = /^-?\d{1,15}(?:\.\d+)?$/;
const EARLIEST = Date.UTC(1995, 0, 1) / 1000;
const LATEST = Date.UTC(2100, 0, 1) / 1000;
const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Reads a time; throws a RangeError whose message says what would be right. */
export type TimeParser = (value: unknown) => number;

/** A parser for one file. `timezone` is the zone of local texts, where the caller named one. */
export function timeParser(timezone?: string): TimeParser {
  const localSeconds = timezone === undefined ? undefined : localClock(timezone);
  return (value) => {
    if (typeof value === 'number') return sane(value);
    if (typeof value !== 'string') throw new RangeError(`a time is text or a number; ${FORMS}`);
    const parts = ISO.exec(value);
    if (parts === null) {
      if (UNIX.test(value)) return sane(Number(value));
      throw new RangeError(`not a time; ${FORMS}`);
    }
    const wall = wallSeconds(parts);
    const offset = parts[7];
    if (offset !== undefined) return sane(wall - offsetSeconds(offset));
    if (localSeconds === undefined) {
      throw new RangeError(
        'has no offset; add one (2026-05-01T09:30:00+02:00) or name the zone with --timezone',
      );
    }
    return sane(localSeconds(wall));
  };
}

const FORMS = 'write 2026-05-01T09:30:00+02:00, or UNIX seconds such as 1777620600';

function sane(seconds: number): number {
  const whole = Math.floor(seconds);
  if (whole >= EARLIEST && whole < LATEST) return whole;
  const milliseconds = whole / 1000 >= EARLIEST && whole / 1000 < LATEST;
  throw new RangeError(
    milliseconds
      ? 'looks like milliseconds; UNIX time is in seconds here'
      : 'lies outside the years 1995 to 2099',
  );
}

const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
const DAY_SECONDS = 86_400;

/** Reads a day (YYYY-MM-DD) as days since 1970-01-01; throws a RangeError whose message says what would be right. */
export function parseDay(value: unknown): number {
  const parts = typeof value === 'string' ? DATE.exec(value) : null;
  if (parts === null) throw new RangeError('not a date; write 2026-05-01');
  const seconds = Date.UTC(Number(parts[1]), Number(parts[2]) - 1, Number(parts[3])) / 1000;
  if (new Date(seconds * 1000).toISOString().slice(0, 10) !== value) throw new RangeError('is no real date');
  if (seconds < EARLIEST || seconds >= LATEST) throw new RangeError('lies outside the years 1995 to 2099');
  return seconds / DAY_SECONDS;
}

/** Reads the first day of a month; another day is refused with the right one. */
export function parseFirstOfMonth(value: unknown): number {
  const day = parseDay(value);
  const text = String(value);
  if (!text.endsWith('-01')) {
    throw new RangeError(`a row tells of a month; write its first day, ${text.slice(0, 8)}01`);
  }
  return day;
}

/** The written date and time as if it were UTC; refuses dates that no calendar has. */
function wallSeconds(parts: RegExpExecArray): number {
  const year = Number(parts[1]);
  const month = Number(parts[2]);
  const day = Number(parts[3]);
  const hour = Number(parts[4]);
  const minute = Number(parts[5]);
  const second = Number(parts[6] ?? 0);
  const leap = month === 2 && year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const days = (DAYS[month - 1] ?? 0) + (leap ? 1 : 0);
  if (day < 1 || day > days) throw new RangeError('is no real date');
  if (hour > 23 || minute > 59 || second > 59)
    throw new RangeError('is no real time of day (00:00:00 to 23:59:59)');
  return Date.UTC(year, month - 1, day, hour, minute, second) / 1000;
}

function offsetSeconds(offset: string): number {
  if (offset === 'Z' || offset === 'z') return 0;
  const digits = offset.replace(':', '');
  const hours = Number(digits.slice(1, 3));
  const minutes = Number(digits.slice(3) || 0);
  if (hours > 18 || minutes > 59) throw new RangeError('has an offset that no place on earth uses');
  return (digits.startsWith('-') ? -1 : 1) * (hours * 3600 + minutes * 60);
}

/**
 * Wall-clock seconds of a zone -> UNIX seconds, by Temporal's rule `compatible`. An hour without a clock change
 * has one offset: it is remembered, since asking Temporal for every row would cost more than all the rest.
 */
function localClock(timezone: string): (wall: number) => number {
  const hours = new Map<number, number | 'changes'>();
  const exact = (wall: number): number =>
    Temporal.PlainDateTime.from(new Date(wall * 1000).toISOString().slice(0, 19)).toZonedDateTime(timezone, {
      disambiguation: 'compatible',
    }).epochMilliseconds / 1000;
  return (wall) => {
    const hour = Math.floor(wall / 3600);
    let offset = hours.get(hour);
    if (offset === undefined) {
      const first = hour * 3600;
      const last = first + 3599;
      const atFirst = first - exact(first);
      offset = atFirst === last - exact(last) ? atFirst : 'changes';
      if (hours.size >= 10_000) hours.clear();
      hours.set(hour, offset);
    }
    return offset === 'changes' ? exact(wall) : wall - offset;
  };
}
