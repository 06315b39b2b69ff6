// The maximum number of values that a query can read from the columnar copy, and its time limit. Few values are read all at once.
import { getEventListeners } from 'node:events';
import type { CompiledQuery, RowBatches } from '../../extension/language/types/compiled-query';
import type { ColumnReader } from '../../extension/query/column-reader';
import { readColumns } from '../../extension/query/run/read-columns';
import { bodyOf, understood } from '../language/understood';

const STATEMENT: CompiledQuery = { text: 'SELECT 1', bindings: [] };
const DEFAULT_LIMIT = 1_000;
const COUNT = { calc: { n: 'COUNT(allpv.pv_id)' } };

const readerOf = (read: ColumnReader['read']): ColumnReader => ({
  whyNot: () => undefined,
  copiesOf: () => [],
  countedUntil: () => 0,
  countedSpread: () => 0,
  visitFields: () => new Set<string>(),
  viewFields: () => new Set<string>(),
  visitReach: () => 0,
  dimensionRows: () => 0,
  read,
});

async function readWith(
  read: ColumnReader['read'],
  body: string,
  { signal } = new AbortController(),
  secondsSpent = 0,
): Promise<void> {
  const { resolved } = await understood(body);
  const reader = { timeoutSeconds: 60, secondsSpent, signal };
  await readColumns(STATEMENT, resolved, [], readerOf(read), reader, async (rows) => {
    for await (const _batch of rows);
  });
}

async function maxCellsOf(body: string): Promise<number | undefined> {
  let maxCells: number | undefined;
  await readWith(async (_statement, _copies, _signal, max) => {
    maxCells = max;
    return { gaveUp: 'Only the maximum number of values is tested.' };
  }, body);
  return maxCells;
}

test.each<[string, number, object, object?]>([
  ['a list', DEFAULT_LIMIT, {}],
  ['a list with a limit', 10, {}, { result: { use: 'v', limit: 10 } }],
  ['a count', 1, {}, { result: { use: 'v', count_only: true } }],
  ['one group', 1, { keep: [], ...COUNT }],
  ['groups by page', DEFAULT_LIMIT * 2, { keep: ['allpv.page_id'], ...COUNT }],
  ['31 days, and two that the time zone may add', 34 * 2, { keep: ['allpv.access_date'], ...COUNT }],
  ['hours', 25 * 2, { keep: ['allpv.access_hour'], ...COUNT }],
  ['days and hours', 34 * 25 * 3, { keep: ['allpv.access_date', 'allpv.access_hour'], ...COUNT }],
  ['days and pages', DEFAULT_LIMIT * 3, { keep: ['allpv.access_date', 'allpv.page_id'], ...COUNT }],
  ['days with a limit', 20, { keep: ['allpv.access_date'], ...COUNT }, { result: { use: 'v', limit: 10 } }],
  ['one group for all sites', 1, { keep: [], ...COUNT }, { tracking_id: 'all' }],
  [
    'a group for each site',
    DEFAULT_LIMIT * 2,
    { keep: ['allpv.tracking_id'], ...COUNT },
    { tracking_id: 'all' },
  ],
])('the maximum number of values for %s', async (_title, expected, view, changes = {}) => {
  expect(await maxCellsOf(bodyOf(view, changes))).toBe(expected);
});

async function* oneRow(): RowBatches {
  yield [[1]];
}

test.each<[string, ColumnReader['read']]>([
  ['has returned rows', async () => ({ rows: oneRow() })],
  ['cannot answer', async () => ({ gaveUp: 'A test.' })],
  ['fails', () => Promise.reject(new Error('A test.'))],
])('no timer and no listener is left after the copy %s', async (_title, read) => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate'] });
  try {
    let during = 0;
    const counting: typeof read = (...args) => {
      during = jest.getTimerCount();
      return read(...args);
    };
    const controller = new AbortController();
    await Promise.allSettled([readWith(counting, bodyOf({}), controller)]);
    expect([during, jest.getTimerCount()]).toEqual([1, 0]);
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
  } finally {
    jest.useRealTimers();
  }
});

test('a statement gets the time that an earlier one did not use, and the timeout error contains the full limit', async () => {
  const read: ColumnReader['read'] = (_statement, _copies, signal) =>
    new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  await expect(readWith(read, bodyOf({}), undefined, 59)).rejects.toMatchObject({
    code: 'E_TIMEOUT',
    details: { timeout_seconds: 60 },
  });
});
