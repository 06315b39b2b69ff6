// What a panel of the dashboard shows of the answer to its query, without a browser.

import {
  dailyCountsOf,
  displayName,
  listRowsOf,
  type Panel,
  statusOf,
  totalOf,
} from '../../extension/admin/browser/dashboard/panel-data';
import type { Row } from '../../extension/admin/browser/shared/query-answer';

const panel = (more: Partial<Panel>): Panel => ({
  kind: 'list',
  counts: [{ column: 'views', label: 'Views' }],
  nameless: null,
  first: '2026-02-27',
  last: '2026-03-02',
  query: {},
  ...more,
});

const table = (columns: readonly string[], ...rows: readonly Row[]) => ({
  columns,
  rows,
});

test('a total is the number in its column, or 0 without a row', () => {
  expect(totalOf(panel({}), table(['views'], [73]))).toBe(73);
  expect(totalOf(panel({}), table(['views']))).toBe(0);
});

test('a day without page views is 0', () => {
  const counts = [
    { column: 'views', label: 'Views' },
    { column: 'readers', label: 'Readers' },
  ];
  const answer = table(['access_date', 'views', 'readers'], ['2026-02-28', 5, 2], ['2026-03-02', 1, 1]);
  expect(dailyCountsOf(panel({ counts }), answer)).toEqual({
    days: ['2026-02-27', '2026-02-28', '2026-03-01', '2026-03-02'],
    series: [
      { name: 'Views', values: [0, 5, 0, 1] },
      { name: 'Readers', values: [0, 2, 0, 1] },
    ],
  });
});

test('days without any page views are not drawn', () => {
  expect(dailyCountsOf(panel({}), table(['access_date', 'views']))).toBeUndefined();
});

test('list rows have names, counts, and shares of the largest', () => {
  const answer = table(['title', 'url', 'views'], ['<b>', 'https://x.example/', 8], [null, '', 2]);
  expect(listRowsOf(panel({}), answer)).toEqual([
    { names: ['<b>', 'https://x.example/'], count: 8, share: 1 },
    { names: [null, null], count: 2, share: 0.25 },
  ]);
});

test('counts of nothing have no share', () => {
  expect(listRowsOf(panel({}), table(['url', 'views'], ['x', 0]))[0]?.share).toBe(0);
});

test.each([
  ['devices', 'SP', 'Smartphone'],
  ['devices', 'Fridge', 'Fridge'],
  ['countries', 'DE', 'Germany (DE)'],
  ['countries', 'QQ', 'QQ'],
  ['countries', '<b>', '<b>'],
  ['sources', 'SP', 'SP'],
])('%s: %s is called %s', (id, name, spoken) => {
  expect(displayName(id, name, 'en')).toBe(spoken);
});

test('the state of all panels is one sentence that names those that failed', () => {
  const shown = { title: 'Views', state: 'shown' };
  expect(statusOf([shown])).toBe('1 of 1 panel loaded.');
  expect(statusOf([shown, shown])).toBe('2 of 2 panels loaded.');
  expect(statusOf([shown, { title: 'Countries', state: 'failed' }])).toBe(
    '1 of 2 panels loaded. Failed: Countries.',
  );
});
