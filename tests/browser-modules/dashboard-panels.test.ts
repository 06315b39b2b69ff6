// What a panel of the dashboard makes of the answer to its query, without a browser.

import { readPanelAnswer } from '../../extension/admin/browser/dashboard/panel-answer';
import {
  daysShown,
  listRows,
  type PanelData,
  spokenName,
  type Table,
  totalOf,
} from '../../extension/admin/browser/dashboard/panel-data';
import { statusOf } from '../../extension/admin/browser/dashboard/panel-status';
import { NO_ANSWER } from '../../extension/admin/browser/data/refusal';

const panel = (more: Partial<PanelData>): PanelData => ({
  kind: 'list',
  counts: [{ column: 'views', label: 'Views' }],
  nameless: null,
  first: '2026-02-27',
  last: '2026-03-02',
  query: {},
  ...more,
});

const table = (columns: readonly string[], ...rows: readonly (readonly unknown[])[]): Table => ({
  columns,
  rows,
});

test('a total is the number in its column, and 0 where there is no row', () => {
  expect(totalOf(panel({}), table(['views'], [73]))).toBe(73);
  expect(totalOf(panel({}), table(['views']))).toBe(0);
});

test('a day without views is 0, in its place', () => {
  const counts = [
    { column: 'views', label: 'Views' },
    { column: 'readers', label: 'Readers' },
  ];
  const answer = table(['access_date', 'views', 'readers'], ['2026-02-28', 5, 2], ['2026-03-02', 1, 1]);
  expect(daysShown(panel({ counts }), answer)).toEqual({
    days: ['2026-02-27', '2026-02-28', '2026-03-01', '2026-03-02'],
    series: [
      { name: 'Views', values: [0, 5, 0, 1] },
      { name: 'Readers', values: [0, 2, 0, 1] },
    ],
  });
});

test('days without any view are nothing to draw', () => {
  expect(daysShown(panel({}), table(['access_date', 'views']))).toBeUndefined();
});

test('the rows of a list have their names, counts, and shares of the greatest', () => {
  const answer = table(['title', 'url', 'views'], ['<b>', 'https://x.example/', 8], [null, '', 2]);
  expect(listRows(panel({}), answer)).toEqual([
    { names: ['<b>', 'https://x.example/'], count: 8, share: 1 },
    { names: [null, null], count: 2, share: 0.25 },
  ]);
});

test('counts of nothing have no share', () => {
  expect(listRows(panel({}), table(['url', 'views'], ['x', 0]))[0]?.share).toBe(0);
});

test.each([
  ['devices', 'SP', 'Smartphone'],
  ['devices', 'Fridge', 'Fridge'],
  ['countries', 'DE', 'Germany (DE)'],
  ['countries', 'QQ', 'QQ'],
  ['countries', '<b>', '<b>'],
  ['sources', 'SP', 'SP'],
])('%s: %s is called %s', (id, name, spoken) => {
  expect(spokenName(id, name, 'en')).toBe(spoken);
});

describe('the answer to a panel', () => {
  const read = (status: number, body: unknown) => readPanelAnswer({ status, body }, '/here');

  test('is its table', () => {
    expect(read(200, { result: { columns: ['views'], rows: [[1]] } })).toEqual({
      kind: 'table',
      table: { columns: ['views'], rows: [[1]] },
    });
  });

  test.each([
    [200, undefined, NO_ANSWER],
    [200, { result: {} }, NO_ANSWER],
    [502, undefined, 'The server answered with status 502.'],
    [400, { error: { message: 'No.', hint: 'Wait.' } }, 'No. Wait.'],
  ])('%s %j is a fault', (status, body, message) => {
    expect(read(status, body)).toEqual({ kind: 'fault', message });
  });

  test('tells an ended session from an old page, each with its link', () => {
    expect(read(401, { error: { message: 'Use Basic.' } })).toMatchObject({
      message: 'You are not logged in any more.',
      link: { text: 'Log in again', address: '/wp-login.php?redirect_to=%2Fhere' },
    });
    expect(read(403, { code: 'rest_cookie_invalid_nonce', message: 'x' })).toMatchObject({
      link: { text: 'Reload the page', address: '/here' },
    });
  });
});

test('the state of all panels is one sentence, with the names of those that failed', () => {
  const shown = { title: 'Views', state: 'shown' };
  expect(statusOf([shown])).toBe('1 of 1 panel loaded.');
  expect(statusOf([shown, shown])).toBe('2 of 2 panels loaded.');
  expect(statusOf([shown, { title: 'Countries', state: 'failed' }])).toBe(
    '1 of 2 panels loaded. Failed: Countries.',
  );
});
