import { type Frequency, lastPeriod } from '../../extension/pages/reports/report-period';

test.each<[string, Frequency, string, string, string]>([
  ['at 7 on a Monday', 'weekly', '2026-11-22T20:00:00.999Z', '2026-11-16', '2026-11-29T20:00:00.000Z'],
  ['a second before 7', 'weekly', '2026-11-22T19:59:59Z', '2026-11-09', '2026-11-22T20:00:00.000Z'],
  ['at 7 on a 23-hour day', 'monthly', '2028-09-30T20:00:00Z', '2028-09-01', '2028-10-31T20:00:00.000Z'],
  ['before 7 on a 25-hour day', 'monthly', '2029-03-31T20:30:00Z', '2029-02-01', '2029-03-31T21:00:00.000Z'],
])('%s', (_title, frequency, now, first, next) => {
  const { range, nextAt } = lastPeriod(frequency, new Date(now), 'Australia/Sydney');
  expect([range.first, nextAt.toISOString()]).toEqual([first, next]);
});
