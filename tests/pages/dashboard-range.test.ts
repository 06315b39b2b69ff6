// The days that the dashboard shows, the days that it compares them with, and the points of its chart.
import {
  daysOfPoints,
  defaultStep,
  hasSameHours,
  missingDays,
  type PeriodId,
  pointsOf,
  type RequestedDays,
  readComparison,
  readRange,
  stepsOf,
} from '../../extension/pages/dashboard/dashboard-range';

test.each<[PeriodId, string, string]>([
  ['today', '2026-11-21', '2026-11-21'],
  ['yesterday', '2026-11-20', '2026-11-20'],
  ['7d', '2026-11-14', '2026-11-20'],
  ['28d', '2026-10-24', '2026-11-20'],
  ['90d', '2026-08-23', '2026-11-20'],
  ['month', '2026-11-01', '2026-11-21'],
  ['year', '2026-01-01', '2026-11-21'],
])('%s is %s to %s', (period, first, last) => {
  expect(readRange({ period, compare: 'none' }, '2026-11-21')).toEqual({ first, last });
});

test.each([
  [{ from: '2026-02-30', to: '2026-03-01' }, 'from'],
  [{}, 'from'],
  [{ from: '2026-01-01', to: '' }, 'to'],
  [{ from: '2026-11-02', to: '2026-11-01' }, 'to'],
  [{ from: '1900-01-01', to: '2026-11-01' }, 'from'],
  [{ from: '0001-12-31', to: '0002-01-02' }, 'from'],
  [{ from: '9998-12-31', to: '9999-12-31' }, 'to'],
])('%j is an error at %s', (requested, at) => {
  expect(readRange({ period: 'custom', compare: 'none', ...requested }, '2026-11-21')).toMatchObject({ at });
});

const NOVEMBER = { first: '2026-11-01', last: '2026-11-28' };
const custom = (compare_from?: string, compare_to?: string): RequestedDays => ({
  period: '28d',
  compare: 'custom',
  compare_from,
  compare_to,
});

test.each([
  ['2026-10-01', '2026-10-28'],
  ['2026-03-07', '2026-03-07'],
  ['2024-01-01', '2025-12-31'],
  ['2026-10-15', '2026-11-28'],
])('a custom comparison from %s to %s is used unchanged', (first, last) => {
  expect(readComparison(custom(first, last), NOVEMBER)).toEqual({ first, last });
});

test.each([
  ['compare_from', undefined, undefined, 'Enter a date such as 2026-11-01.'],
  ['compare_from', '2026-02-30', '2026-03-01', 'Enter a date such as 2026-11-01.'],
  ['compare_to', '2026-02-01', '', 'Enter a date such as 2026-11-01.'],
  ['compare_from', '0001-12-31', '2026-03-01', 'Enter a date from 0002-01-01 to 9998-12-31.'],
  ['compare_to', '2026-10-02', '2026-10-01', 'The last day must not be before the first one.'],
  ['compare_from', '1900-01-01', '2026-10-01', 'At most 3,660 days can be shown at once.'],
  [
    'compare_to',
    '2026-10-30',
    '2026-11-29',
    'The comparison must not end after 2026-11-28, the last day of the range.',
  ],
])('the error at %s is explained for a comparison from %s to %s', (at, first, last, message) => {
  expect(readComparison(custom(first, last), NOVEMBER)).toEqual({ at, message });
});

test('the chart has at most as many points for the comparison as for the range', () => {
  const before = { first: '2026-10-07', last: '2026-10-31' };
  expect(daysOfPoints('day', before, 7)).toEqual({ first: '2026-10-07', last: '2026-10-13' });
  expect(daysOfPoints('day', before, 25)).toEqual(before);
  expect(daysOfPoints('day', before, 200)).toEqual(before);
  expect(daysOfPoints('hour', before, 48)).toEqual({ first: '2026-10-07', last: '2026-10-08' });
  // October 7, 2026 is a Wednesday.
  expect(daysOfPoints('week', before, 2)).toEqual({ first: '2026-10-07', last: '2026-10-18' });
  expect(daysOfPoints('month', { first: '2025-12-30', last: '2026-10-31' }, 2)).toEqual({
    first: '2025-12-30',
    last: '2026-01-31',
  });
});

test('a custom comparison of a different length is not limited to the same hours', () => {
  const week = { first: '2026-10-01', last: '2026-10-07' };
  expect(hasSameHours('custom', NOVEMBER, { first: '2026-03-01', last: '2026-03-28' })).toBe(true);
  expect(hasSameHours('custom', NOVEMBER, week)).toBe(false);
  expect(hasSameHours('before', NOVEMBER, week)).toBe(true);
  expect(hasSameHours('none', NOVEMBER, null)).toBe(false);
});

test.each<[PeriodId, string, string, 'before' | 'year', string, string]>([
  ['7d', '2026-11-14', '2026-11-20', 'before', '2026-11-07', '2026-11-13'],
  ['7d', '2026-11-14', '2026-11-20', 'year', '2025-11-15', '2025-11-21'],
  ['month', '2026-03-01', '2026-03-30', 'before', '2026-02-01', '2026-02-28'],
  ['month', '2026-01-01', '2026-01-09', 'before', '2025-12-01', '2025-12-09'],
  ['year', '2028-01-01', '2028-02-29', 'before', '2027-01-01', '2027-02-28'],
  ['custom', '2026-03-01', '2026-03-02', 'before', '2026-02-27', '2026-02-28'],
])(
  '%s from %s to %s: the comparison "%s" covers the correct days',
  (period, first, last, comparison, from, to) => {
    const range = { first, last };
    expect(readComparison({ period, compare: comparison }, range)).toEqual({ first: from, last: to });
    expect(readComparison({ period, compare: 'none' }, range)).toBeNull();
  },
);

test('the intervals fit the length of the range', () => {
  const day = { first: '2026-11-20', last: '2026-11-20' };
  const weeks = { first: '2026-10-24', last: '2026-11-20' };
  const year = { first: '2025-11-21', last: '2026-11-20' };
  expect([defaultStep(day), stepsOf(day)]).toEqual(['hour', ['hour']]);
  expect([defaultStep(weeks), stepsOf(weeks)]).toEqual(['day', ['day', 'week']]);
  expect([defaultStep(year), stepsOf(year)]).toEqual(['month', ['day', 'week', 'month']]);
});

test('points that are cut off by the range or the current time are marked as partial, and later points are unknown', () => {
  const now = { day: '2026-11-21', hour: 5, minute: 30 };
  const range = { first: '2026-11-04', last: '2026-11-21' };
  const data = { first: '2026-01-01', last: '2026-11-21' };
  expect(pointsOf('week', range, now, data)).toEqual({
    points: ['2026-11-02', '2026-11-09', '2026-11-16'],
    partial: [0, 2],
    known: [0, 3],
  });
  expect(pointsOf('month', { first: '2026-01-01', last: '2026-02-28' }, now, data)).toEqual({
    points: ['2026-01', '2026-02'],
    partial: [],
    known: [0, 2],
  });
  const hours = pointsOf('hour', { first: '2026-11-21', last: '2026-11-21' }, now, data);
  expect([hours.points.length, hours.points[23], hours.partial, hours.known]).toEqual([
    24,
    '2026-11-21 23',
    [5],
    [0, 6],
  ]);
});

test('points before the first day with data and after the last one are unknown', () => {
  const now = { day: '2026-11-21', hour: 5, minute: 30 };
  const range = { first: '2026-11-02', last: '2026-11-08' };
  const known = (first: string, last: string) => pointsOf('day', range, now, { first, last }).known;
  expect(known('2026-11-04', '2026-11-06')).toEqual([2, 5]);
  expect(known('2026-01-01', '2026-11-02')).toEqual([0, 1]);
  expect(known('2026-11-09', '2026-11-21')).toEqual([0, 0]);
  expect(pointsOf('day', range, now, null).known).toEqual([0, 0]);
  expect(pointsOf('week', range, now, { first: '2026-11-04', last: '2026-11-21' })).toEqual({
    points: ['2026-11-02'],
    partial: [0],
    known: [0, 1],
  });
});

test.each([
  ['2026-01-01', '2026-11-20', null],
  ['2026-11-08', '2026-11-20', 'before'],
  ['2026-11-15', '2026-11-20', 'before'],
  ['2026-01-01', '2026-11-19', 'after'],
  ['2026-01-01', '2026-11-10', 'after'],
])('with data from %s to %s, days missing from a week or the week before it: %s', (first, last, missing) => {
  const range = { first: '2026-11-14', last: '2026-11-20' };
  const before = { first: '2026-11-07', last: '2026-11-13' };
  expect(missingDays(range, before, { first, last }, '2026-11-21')).toBe(missing);
  expect(missingDays(range, null, { first, last }, '2026-11-21')).toBeNull();
});

test('days of a range that have not begun do not count as missing', () => {
  const range = { first: '2026-11-01', last: '2026-11-30' };
  const before = { first: '2026-10-01', last: '2026-10-30' };
  const data = { first: '2026-01-01', last: '2026-11-21' };
  expect(missingDays(range, before, data, '2026-11-21')).toBeNull();
  expect(missingDays(range, before, data, '2026-11-22')).toBe('after');
  const overlapping = { first: '2026-10-20', last: '2026-11-25' };
  expect(missingDays(range, overlapping, data, '2026-11-21')).toBeNull();
});
