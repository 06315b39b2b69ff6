import { relativeDays } from '../../../extension/language/names/relative-days';

/** A Tuesday. */
const TODAY = '2026-03-03';

test.each([
  ['today', '2026-03-03', '2026-03-04'],
  ['yesterday', '2026-03-02', '2026-03-03'],
  ['now', '2026-03-03', '2026-03-04'],
  ['7d', '2026-02-24', '2026-03-03'],
  ['now-7d', '2026-02-24', '2026-03-03'],
  ['-30d', '2026-02-01', '2026-03-03'],
  ['30daysAgo', '2026-02-01', '2026-03-03'],
  ['last 7 days', '2026-02-24', '2026-03-03'],
  ['last_week', '2026-02-23', '2026-03-02'],
  ['2w', '2026-02-16', '2026-03-02'],
  ['this week', '2026-03-02', '2026-03-04'],
  ['last_month', '2026-02-01', '2026-03-01'],
  ['6mo', '2025-09-01', '2026-03-01'],
  ['mtd', '2026-03-01', '2026-03-04'],
  ['previous year', '2025-01-01', '2026-01-01'],
  ['YTD', '2026-01-01', '2026-03-04'],
])('%s', (text, start, end) => {
  expect(relativeDays(text, TODAY)).toEqual({ start, end });
});

test.each(['', 'soon', '7', 'd', '2026-03', 'last', 'week', 'next month', '1234d'])(
  '%s is not a relative range',
  (text) => {
    expect(relativeDays(text, TODAY)).toBeUndefined();
  },
);
