// Parses times and dates in files. Each parser throws a RangeError that describes the valid formats.
import { instantOf, isLocalDate } from '../../language/time/local-time';

const ISO =
  /^(\d{4})-(\d{2})-(\d{2})[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,]\d{1,9})?)?(?: ?(Z|z|UTC|GMT|[+-]\d{2}(?::?\d{2})?))?$/;
/** `02/Mar/2026:09:15:02 +0100`, as web servers write it, and `Mon, 02 Mar 2026 09:15:02 GMT`. */
const NAMED_MONTH =
  /^(?:[A-Z][a-z]{2}, )?(\d{1,2})[/ ]([A-Z][a-z]{2})[/ ](\d{4})[: ](\d{2}):(\d{2}):(\d{2}) (UTC|GMT|[+-]\d{4})$/;
const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');
const UNIX = /^-?\d{1,19}(?:\.\d+)?$/;
const FORMS = 'write 2026-05-01T09:30:00+02:00, or UNIX seconds such as 1777620600';

/**
 * Converts a time to whole UNIX seconds, without the fraction: ISO 8601 with an offset, the format of web servers, UNIX time in
 * seconds, milli-, micro- or nanoseconds, or local time in a known time zone.
 */
export type TimeParser = (value: unknown) => number;

export const NO_OFFSET =
  'has no offset; add one (2026-05-01T09:30:00+02:00) or specify the zone with --timezone';

/** Returns a parser for one file. `timezone` is the zone of its local times; without it, local times are rejected. */
export function timeParser(timezone?: string): TimeParser {
  const localSeconds = timezone === undefined ? undefined : localClock(timezone);
  return (value) => {
    if (typeof value === 'number') return plausible(value);
    if (typeof value !== 'string') throw new RangeError(`must be text or a number; ${FORMS}`);
    const parts = ISO.exec(value) ?? withMonthNumber(NAMED_MONTH.exec(value));
    if (parts === null) {
      if (UNIX.test(value)) return plausible(Number(value));
      throw new RangeError(`is not a time; ${FORMS}`);
    }
    const wall = wallSeconds(parts);
    const offset = parts[7];
    if (offset !== undefined) return plausible(wall - offsetSeconds(offset));
    if (localSeconds !== undefined) return plausible(localSeconds(wall));
    throw new RangeError(NO_OFFSET);
  };
}

const EARLIEST = Date.UTC(1995, 0, 1) / 1000;
const LATEST = Date.UTC(2100, 0, 1) / 1000;

const isPlausible = (seconds: number): boolean => seconds >= EARLIEST && seconds < LATEST;

function plausible(seconds: number): number {
  // Only one unit fits: the latest supported time is less than a thousand times the earliest.
  for (const unit of [1, 1e3, 1e6, 1e9]) {
    const whole = Math.floor(seconds / unit);
    if (isPlausible(whole)) return whole;
  }
  throw new RangeError('is outside the years 1995 to 2099');
}

/** The parts of a time in the order of ISO 8601. */
function withMonthNumber(match: RegExpExecArray | null): readonly string[] | null {
  if (match === null) return null;
  const [, day = '', name = '', year = '', ...rest] = match;
  const month = MONTHS.indexOf(name) + 1;
  return ['', year, String(month), day, ...rest];
}

const DAY_SECONDS = 86_400;

/** Converts a date (YYYY-MM-DD or YYYYMMDD) to days since 1970-01-01. */
export function parseDay(value: unknown): number {
  const parts = /^(\d{4})(-?)(\d{2})\2(\d{2})$/.exec(String(value));
  if (parts === null) throw new RangeError('is not a date; write 2026-05-01');
  const date = `${parts[1]}-${parts[3]}-${parts[4]}`;
  if (!isLocalDate(date)) throw new RangeError('is not a real date');
  return plausible(Date.parse(date) / 1000) / DAY_SECONDS;
}

/** Converts the first day of a month to days since 1970-01-01. */
export function parseFirstOfMonth(value: unknown): number {
  const day = parseDay(value);
  const text = String(value);
  if (!text.endsWith('01'))
    throw new RangeError(`a row describes a month; write its first day, ${text.slice(0, -2)}01`);
  return day;
}

/** The written date and time as if they were UTC. */
function wallSeconds([, years, months, days, hours, minutes, seconds]: readonly string[]): number {
  const hour = Number(hours);
  const minute = Number(minutes);
  const second = Number(seconds ?? 0);
  const midnight = midnightOf(Number(years), Number(months), Number(days));
  if (hour > 23 || minute > 59 || second > 59)
    throw new RangeError('is not a valid time of day (00:00:00 to 23:59:59)');
  return midnight + hour * 3600 + minute * 60 + second;
}

/** The calendar repeats every 400 years. */
const CYCLE_SECONDS = 146_097 * DAY_SECONDS;

function midnightOf(year: number, month: number, day: number): number {
  // Date.UTC interprets years below 100 as 1900 to 1999.
  const midnight = Date.UTC(year + 400, month - 1, day) / 1000 - CYCLE_SECONDS;
  // Days 1 to 28 exist in every month; other dates must survive a round trip.
  if (month >= 1 && month <= 12 && day >= 1 && day <= 28) return midnight;
  const date = new Date(midnight * 1000);
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day)
    throw new RangeError('is not a real date');
  return midnight;
}

function offsetSeconds(offset: string): number {
  if (/^[A-Za-z]/.test(offset)) return 0;
  const digits = offset.replace(':', '');
  const hours = Number(digits.slice(1, 3));
  const minutes = Number(digits.slice(3) || 0);
  if (hours > 18 || minutes > 59) throw new RangeError('has an offset that no time zone uses');
  return (digits.startsWith('-') ? -1 : 1) * (hours * 3600 + minutes * 60);
}

const MAX_HOURS = 10_000;

/**
 * Converts wall-clock seconds in a zone to UNIX seconds. An hour without a clock change has one offset, which is cached:
 * converting each row exactly would cost more than the rest of the import.
 */
function localClock(timezone: string): (wall: number) => number {
  const hours = new Map<number, number | 'changes'>();
  const exact = (wall: number): number =>
    instantOf(new Date(wall * 1000).toISOString().slice(0, 19), timezone);
  return (wall) => {
    const hour = Math.floor(wall / 3600);
    let offset = hours.get(hour);
    if (offset === undefined) {
      const first = hour * 3600;
      const last = first + 3599;
      const atFirst = first - exact(first);
      offset = atFirst === last - exact(last) ? atFirst : 'changes';
      if (hours.size >= MAX_HOURS) hours.clear();
      hours.set(hour, offset);
    }
    return offset === 'changes' ? exact(wall) : wall - offset;
  };
}
