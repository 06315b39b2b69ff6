// The values that a period column can have in the rows of a range, as numbers that SQL converts.
import type { CalendarUnit, RowPeriod, Span, TimeRange } from '../types/periods';
import { DAY_SECONDS, daysBetween } from './calendar';
import { daysWithin } from './days-within';
import { localOf } from './local-time';
import { zoneOffsets } from './zone-offsets';

const HOUR_SECONDS = 3600;
const DAY_HOURS = 24;
const WEEK_DAYS = 7;
/** 1970-01-01 was a Thursday, three days after a Monday. */
const DAYS_AFTER_MONDAY = 3;
const YEAR_MONTHS = 12;

const dayNumber = (date: string): number => daysBetween('1970-01-01', date);

/** The range of dates that both engines can store. */
const DATES: Span = { first: dayNumber('0001-01-01'), last: dayNumber('9999-12-31') };

/**
 * The numbers in the spans are days since 1970-01-01, weeks since the week of 1970-01-01, months since January of year 0, hours
 * from 0 to 23, or weekdays from 1 (Monday) to 7. Spans are in ascending order and never overlap.
 */
export function calendarSpans(unit: CalendarUnit, range: TimeRange, rows: RowPeriod): readonly Span[] {
  if (unit === 'hour') return merged(localSpans(range, HOUR_SECONDS).flatMap((it) => modulo(it, DAY_HOURS)));
  const days = rows === 'instant' ? instantDays(range) : storedDays(range);
  switch (unit) {
    case 'date':
      return days;
    case 'weekday':
      return merged(
        days.flatMap((it) => modulo(shifted(it, DAYS_AFTER_MONDAY), WEEK_DAYS)).map((it) => shifted(it, 1)),
      );
    case 'week':
      return merged(days.map((it) => mapped(it, (day) => Math.floor((day + DAYS_AFTER_MONDAY) / WEEK_DAYS))));
    case 'month':
    case 'month-start':
      return merged(days.map((it) => (rows === 'month' ? monthsStartingIn(it) : mapped(it, monthOfDay))));
  }
}

export const countOf = (spans: readonly Span[]): number =>
  spans.reduce((count, { first, last }) => count + last - first + 1, 0);

/** The local hours or days (each `seconds` long) that contain instants in the range. A clock change starts a new span. */
function localSpans({ start, end, zone }: TimeRange, seconds: number): readonly Span[] {
  const local = (instant: number): number => instant + localOf(instant, zone).offsetNanoseconds / 1e9;
  const localEnd = local(end - 1) + 1;
  let from = local(start);
  return zoneOffsets(start, end, zone).map(({ until, seconds: offset }, index, clock) => {
    const to = until === null ? localEnd : until + offset;
    const span = { first: Math.floor(from / seconds), last: Math.ceil(to / seconds) - 1 };
    from = (until ?? end) + (clock[index + 1]?.seconds ?? 0);
    return span;
  });
}

const instantDays = (range: TimeRange): readonly Span[] =>
  merged(localSpans(range, DAY_SECONDS).map(withinDates));

function storedDays(range: TimeRange): readonly Span[] {
  const { first, end } = daysWithin(range, range.zone);
  return merged([{ first: dayNumber(first), last: dayNumber(end) - 1 }]);
}

const withinDates = ({ first, last }: Span): Span => ({
  first: Math.max(first, DATES.first),
  last: Math.min(last, DATES.last),
});

const mapped = ({ first, last }: Span, map: (number: number) => number): Span => ({
  first: map(first),
  last: map(last),
});

const shifted = (span: Span, by: number): Span => mapped(span, (number) => number + by);

/** The numbers of a span modulo `size`. */
function modulo({ first, last }: Span, size: number): readonly Span[] {
  if (last - first + 1 >= size) return [{ first: 0, last: size - 1 }];
  const start = first - Math.floor(first / size) * size;
  const end = start + last - first;
  return end < size
    ? [{ first: start, last: end }]
    : [
        { first: start, last: size - 1 },
        { first: 0, last: end - size },
      ];
}

function monthOfDay(day: number): number {
  const date = new Date(day * DAY_SECONDS * 1000);
  return date.getUTCFullYear() * YEAR_MONTHS + date.getUTCMonth();
}

/** The months whose first day is in a span of days. */
const monthsStartingIn = ({ first, last }: Span): Span => ({
  first: monthOfDay(first - 1) + 1,
  last: monthOfDay(last),
});

/** Sorts the spans, joins those that overlap, and drops the empty ones. */
function merged(spans: readonly Span[]): readonly Span[] {
  const sorted = spans.filter(({ first, last }) => first <= last).sort((a, b) => a.first - b.first);
  const joined: Span[] = [];
  for (const span of sorted) {
    const before = joined.at(-1);
    if (before === undefined || before.last < span.first) joined.push(span);
    else joined[joined.length - 1] = { ...before, last: Math.max(before.last, span.last) };
  }
  return joined;
}
