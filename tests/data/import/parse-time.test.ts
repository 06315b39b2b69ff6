// Times in rows: offsets, UNIX seconds, local times around clock changes, and invalid times.
import { timeParser } from '../../../extension/data/import/parse-time';
import { isTimezone } from '../../../extension/data/storage/sites/zone-name';

const utc = (text: string): number => Date.parse(text) / 1000;

test.each([
  ['2026-05-01T09:30:00Z', '2026-05-01T09:30:00Z'],
  ['2026-05-01T09:30:00+02:00', '2026-05-01T07:30:00Z'],
  ['2026-05-01 09:30:00-0330', '2026-05-01T13:00:00Z'],
  ['2026-05-01T09:30+09', '2026-05-01T00:30:00Z'],
  ['2026-05-01T09:30:59.999Z', '2026-05-01T09:30:59Z'],
  ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00Z'],
  ['2024-05-01 10:00:00 UTC', '2024-05-01T10:00:00Z'],
  ['02/Mar/2026:09:15:02 +0100', '2026-03-02T08:15:02Z'],
  ['Mon, 02 Mar 2026 09:15:02 GMT', '2026-03-02T09:15:02Z'],
  ['1772439302000', '2026-03-02T08:15:02Z'],
  ['1772439302000000', '2026-03-02T08:15:02Z'],
  ['1772439302000000000', '2026-03-02T08:15:02Z'],
])('%s', (text, instant) => {
  expect(timeParser()(text)).toBe(utc(instant));
});

test('UNIX seconds as a number or as text are rounded down', () => {
  expect(timeParser()(1_770_000_000.9)).toBe(1_770_000_000);
  expect(timeParser()('1770000000.9')).toBe(1_770_000_000);
});

test.each([
  ['a skipped time uses the earlier offset', 'Europe/Berlin', '2026-03-29T02:30:00', '2026-03-29T01:30:00Z'],
  ['a repeated time is the earlier one', 'Europe/Berlin', '2026-10-25T02:30:00', '2026-10-25T00:30:00Z'],
  ['summer', 'Europe/Berlin', '2026-07-01T12:00:00', '2026-07-01T10:00:00Z'],
  ['winter', 'Europe/Berlin', '2026-12-01T12:00:00', '2026-12-01T11:00:00Z'],
  ['a clock change of half an hour', 'Australia/Lord_Howe', '2026-10-04T02:15:00', '2026-10-03T15:45:00Z'],
  ['an offset with a quarter hour', 'Asia/Kathmandu', '2026-07-01 12:00:00', '2026-07-01T06:15:00Z'],
])('local text: %s', (_name, zone, text, instant) => {
  const parse = timeParser(zone);
  expect(parse(text)).toBe(utc(instant));
  // The second lookup is cached.
  expect(parse(text)).toBe(utc(instant));
});

test.each([
  ['2026-02-30T00:00:00Z', 'is not a real date'],
  ['2025-02-29T00:00:00Z', 'is not a real date'],
  ['2026-13-01T00:00:00Z', 'is not a real date'],
  ['2026-01-01T24:00:00Z', 'is not a valid time of day'],
  ['2026-01-01', 'is not a time'],
  ['yesterday', 'is not a time'],
  ['0001-01-01T00:00:00Z', 'is outside the years 1995 to 2099'],
  ['0099-05-01T00:00:00Z', 'is outside the years 1995 to 2099'],
  ['01/May/0099:00:00:00 +0000', 'is outside the years 1995 to 2099'],
  [1_770_000_000_00, 'is outside the years 1995 to 2099'],
  ['02/Foo/2026:09:15:02 +0100', 'is not a real date'],
  ['02/03/2026 09:15', 'is not a time'],
  ['20260101', 'is outside the years 1995 to 2099'],
  [true, 'must be text or a number'],
  ['2026-05-01T09:30:00', 'has no offset; add one'],
  ['2026-05-01T09:30:00+25:00', 'has an offset that no time zone uses'],
])('%s is rejected', (value, words) => {
  expect(() => timeParser()(value)).toThrow(words);
});

test('time zones must be specified by their full names', () => {
  expect(['Europe/Berlin', 'Asia/Kolkata', 'UTC', 'Etc/GMT+5'].map(isTimezone)).toEqual([
    true,
    true,
    true,
    true,
  ]);
  expect(['JST', 'EST', 'Europe/Nowhere', '', '+09:00'].map(isTimezone)).toEqual([
    false,
    false,
    false,
    false,
    false,
  ]);
});
