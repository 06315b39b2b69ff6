// All conversions between local times and instants. PostgreSQL and day.js handle clock changes differently.
import { Temporal } from 'temporal-polyfill';
import { memoized } from './memoized';

const LOCAL_DATE_TIME = /^(\d{4})-(\d{2})-(\d{2})T([01]\d|2[0-3]):([0-5]\d):([0-5]\d)$/;
const LOCAL_DATE = /^(\d{4})-(\d{2})-(\d{2})$/;

function matchesRealDate(pattern: RegExp, text: string): boolean {
  const [year = 0, month = 0, day = 0] = pattern.exec(text)?.slice(1).map(Number) ?? [];
  if (month < 1 || month > 12 || day < 1) return false;
  return day <= new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate();
}

/** Whether a string is exactly `YYYY-MM-DDTHH:mm:ss` with a real date. */
export const isLocalDateTime = (text: string): boolean => matchesRealDate(LOCAL_DATE_TIME, text);

/** Whether a string is exactly `YYYY-MM-DD` with a real date. PostgreSQL has no year 0. */
export const isLocalDate = (text: string): boolean =>
  matchesRealDate(LOCAL_DATE, text) && !text.startsWith('0000');

/**
 * Converts a local date-time to epoch seconds. A skipped time is read with the offset before the gap, and a repeated time as its
 * first occurrence (RFC 5545).
 */
export const instantOf = memoized((localDateTime: string, zone: string): number => {
  const zoned = Temporal.PlainDateTime.from(localDateTime).toZonedDateTime(zone, {
    disambiguation: 'compatible',
  });
  return zoned.epochMilliseconds / 1000;
});

/** The instant at which a local date (`YYYY-MM-DD`) begins, in epoch seconds. */
export const midnightOf = (date: string, zone: string): number => instantOf(`${date}T00:00:00`, zone);

/** The local date and time of an instant in epoch seconds. */
export const localOf = (instant: number, zone: string): Temporal.ZonedDateTime =>
  Temporal.Instant.fromEpochMilliseconds(instant * 1000).toZonedDateTimeISO(zone);

/** The local date (`YYYY-MM-DD`) of an instant in epoch seconds. */
export const localDateOf = (instant: number, zone: string): string =>
  localOf(instant, zone).toPlainDate().toString();

/** The local time of day of an instant in epoch seconds. */
export function localTimeOf(
  instant: number,
  zone: string,
): { readonly hour: number; readonly minute: number } {
  const { hour, minute } = localOf(instant, zone);
  return { hour, minute };
}

/** The date-time that a string in a different notation probably means. A date or minute means its first second. */
export function repairedLocalDateTime(text: string): string | undefined {
  const trimmed = text.trim();
  const candidates = [
    trimmed.replace(' ', 'T'),
    `${trimmed}T00:00:00`,
    `${trimmed.replace(' ', 'T')}:00`,
    trimmed.replace(' ', 'T').replace(/\.\d+$/, ''),
  ];
  return candidates.find(isLocalDateTime);
}

/** Notations for a span of time: a date, a minute, or a fraction of a second. */
const SPANS: readonly (readonly [form: RegExp, span: Temporal.DurationLike])[] = [
  [/^\S{10}$/, { days: 1 }],
  [/^\S{10}[T ]\d\d:\d\d$/, { minutes: 1 }],
  [/\.\d*[1-9]\d*$/, { seconds: 1 }],
];

/** The first date-time after the span that a string denotes; undefined for a single second. */
export function afterLocalDateTime(text: string): string | undefined {
  const start = repairedLocalDateTime(text);
  const [, span] = SPANS.find(([form]) => form.test(text.trim())) ?? [];
  if (start === undefined || span === undefined) return undefined;
  return Temporal.PlainDateTime.from(start).add(span).toString({ smallestUnit: 'second' });
}
