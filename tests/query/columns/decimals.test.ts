// Sums of decimals in the columnar copy are the same as in PostgreSQL: exact, and rounded only once. Queries are answered from rows
// if the copy cannot add the numbers exactly.
import { randomUUID } from 'node:crypto';
import { importRows } from '../../../extension/data/import/import-rows';
import { readDocument } from '../../../extension/language/parse/read-document';
import type { QueryContext } from '../../../extension/query/query-context';
import { createContext, manifest, useCaseDatabase } from '../../language/query-setup';
import { expectEqualTables, openTestColumns, readCopy, type TestColumns } from '../../support/columns';
import { runWhole } from '../../support/run-whole';

const { database } = useCaseDatabase();
let columns: TestColumns;
beforeAll(async () => {
  // One site is copied and compared faster than three.
  await database.write('analytics.site').whereNot({ tracking_id: 'shop' }).delete();
  columns = await openTestColumns(database);
});
afterAll(() => columns.stop());

const queryOf = (view: object) => ({
  tracking_id: 'shop',
  materials: [{ name: 'allpv' }, { name: 'click_event' }, { name: 'gsc' }],
  time: { start: '2026-05-01T00:00:00', end: '2026-06-01T00:00:00', tz: 'Asia/Tokyo' },
  make: { v: view },
  result: { use: 'v' },
});

const OF_CLICKS = {
  from: ['click_event'],
  keep: [],
  calc: {
    sum: 'SUM(click_event.page_y_pct)',
    mean: 'AVERAGE(click_event.page_y_pct)',
    rest: '2 * SUM(click_event.page_y_pct) - 1',
    n: 'COUNT(click_event.page_y_pct)',
  },
};

async function ask(view: object, withColumns: boolean, reader: QueryContext['columns'] = columns) {
  const context = await createContext(database, { columns: withColumns ? reader : undefined });
  const { answeredBy, rows } = await runWhole(readDocument(JSON.stringify(queryOf(view))), context);
  return { ...answeredBy, rows };
}

/** Expects the same rows from both engines. Returns them, and the engine that answers if there is a copy. */
async function answerOf(view: object) {
  await columns.refresh();
  await expectEqualTables(database, columns);
  const fromRows = await ask(view, false);
  const { engine, rows } = await ask(view, true);
  expect(rows).toEqual(fromRows.rows);
  return { engine, rows };
}

/** Replaces the clicks of the site with these values, which an import would reject. */
async function storeClicks(values: readonly (number | null)[]): Promise<void> {
  const clicks = database.write('analytics.click').where({ site_id: 1 });
  const first = await clicks.clone().orderBy('at').first();
  const rows = values.map((page_y_pct, index) => ({
    ...first,
    page_y_pct,
    click_id: 1001 + index,
    fingerprint: randomUUID(),
  }));
  await database.write.transaction(async (transaction) => {
    await transaction('analytics.click').where({ site_id: 1 }).delete();
    await transaction('analytics.click').insert(rows);
  });
}

// The values have scales from 0 to 6. They include negative numbers, null, zero, and the largest numbers with nine digits before
// the decimal point.
test.each<[string, readonly (number | null)[], number]>([
  ['many scales', [1, 0.1, 0.12, 33.333, 0.0001, 12.34567, 0.000001], 46.898771],
  ['negative numbers and null', [-0.1, -0.2, null, 0.3, -99.999999], -99.999999],
  ['sums that doubles cannot represent', [0.1, 0.1, 0.1, 0.7, 1e8, -1e8], 1],
  [
    'the largest numbers',
    [999_999_999.999999, 999_999_999.999999, -0.000001, 0.000001],
    1_999_999_999.999998,
  ],
  ['only nulls', [null, null], 0],
])('the copy computes the exact sum: %s', async (_name, values, sum) => {
  await storeClicks(values);
  const { engine, rows } = await answerOf(OF_CLICKS);
  expect(engine).toBe('columns');
  expect(rows[0]?.[0]).toBe(sum);
});

test.each<[string, readonly number[]]>([
  ['more than six decimal places', [0.1, 33.333333333333336]],
  ['ten digits before the decimal point', [1e9, 0.1]],
  ['a very small number', [1e-7]],
])('%s: answered from rows', async (_name, values) => {
  await storeClicks(values);
  expect((await answerOf(OF_CLICKS)).engine).toBe('rows');
});

test('a refresh can add a number with more decimal places, and another refresh can remove it', async () => {
  const finer = { page_y_pct: 12.345678901234567 };
  await storeClicks([0.5, 0.25]);
  expect((await answerOf(OF_CLICKS)).engine).toBe('columns');
  await database.write('analytics.click').where({ click_id: 1001 }).update(finer);
  expect((await answerOf(OF_CLICKS)).engine).toBe('rows');
  await database.write('analytics.click').where({ click_id: 1001 }).update({ page_y_pct: 0.123456 });
  const { engine, rows } = await answerOf(OF_CLICKS);
  expect([engine, rows[0]?.[0]]).toEqual(['columns', 0.373456]);
});

test('the copy stores short decimals in millionths', async () => {
  await storeClicks([0.5, 0.25, 0.123456, -0.5, 1e9, null]);
  await columns.refresh();
  const { rows } = Object(
    await readCopy(columns, 'SELECT page_y_pct_micros FROM analytics.click WHERE site_id = 1'),
  );
  expect(rows.flat().sort()).toEqual(
    [Number.MIN_SAFE_INTEGER, 123_456, 250_000, 500_000, -500_000, null].sort(),
  );
});

test('sums are exact with groups, a calc filter, a join and a fill', async () => {
  await storeClicks([0.1, 0.2, 0.3, null]);
  const join = { with: 'click_event', on: [{ left: 'allpv.pv_id', right: 'click_event.pv_id' }] };
  const calc = {
    sum: 'SUM(click_event.page_y_pct)',
    few: { of: 'SUM(click_event.page_y_pct)', filter: { page_y_pct: { lt: 0.25 } } },
  };
  for (const fill of [undefined, 0.0000001]) {
    const { engine, rows } = await answerOf({
      from: ['allpv'],
      keep: ['allpv.device_type'],
      join: { ...join, ...(fill && { fill }) },
      calc,
    });
    const sums = rows.map((row) => Number(row[1]));
    expect(sums.reduce((all, one) => all + one)).toBeCloseTo(0.6 + (fill === undefined ? 0 : 5e-7), 9);
    expect(engine).toBe(fill === undefined ? 'columns' : 'rows');
  }
});

test('positions and their products are added as integers', async () => {
  const day = (position: number, impressions: number, changes: object) => ({
    date: '2026-05-10',
    url: '/a',
    search_type: 1,
    clicks: 0,
    position,
    impressions,
    ...changes,
  });
  await importRows(database.write, manifest, {
    material: 'gsc',
    site: 'shop',
    rows: [
      day(1.01, 2_000_000_000, { keyword: 'large' }),
      day(123.45, 1_999_999_999, { keyword: 'large too' }),
      day(3.33, 0, { keyword: 'none' }),
    ],
  });
  const calc = {
    weighted: 'SUM(gsc.position_weighted)',
    position: 'SUM(gsc.position_weighted) / SUM(gsc.impressions)',
    mean: 'AVERAGE(gsc.position)',
    middle: 'MEDIAN(gsc.position)',
  };
  const only = { keyword: ['large', 'large too', 'none'] };
  const { engine, rows } = await answerOf({ from: ['gsc'], keep: [], filter: only, calc });
  expect(engine).toBe('columns');
  const weighted = 101n * 2_000_000_000n + 12345n * 1_999_999_999n;
  const impressions = 3_999_999_999n;
  const ratio = Number((weighted * 10n ** 30n) / (impressions * 100n)) / 1e30;
  expect(rows).toEqual([[Number(weighted) / 100, ratio, 12_779 / 300, 3.33]]);
});

test('only a quotient of large numbers is computed with a greatest common divisor', async () => {
  const row = { date: '2026-05-11', url: '/a', search_type: 1, clicks: 0, position: 5_000_000.01 };
  await importRows(database.write, manifest, {
    material: 'gsc',
    site: 'shop',
    rows: [
      { ...row, keyword: 'largest', impressions: 2_000_000_000 },
      { ...row, keyword: 'small', impressions: 3 },
    ],
  });
  await columns.refresh();
  const statementsFor = async (keyword: string) => {
    const statements: string[] = [];
    const reader: QueryContext['columns'] = {
      ...columns,
      read(statement, ...others) {
        statements.push(statement.text);
        return columns.read(statement, ...others);
      },
    };
    const calc = { n: 'SUM(gsc.position_weighted) / SUM(gsc.impressions)' };
    const { engine, rows } = await ask({ from: ['gsc'], keep: [], filter: { keyword }, calc }, true, reader);
    expect({ engine, rows }).toEqual({ engine: 'columns', rows: [[5_000_000.01]] });
    return statements.map((text) => text.includes('gcd('));
  };
  expect(await statementsFor('small')).toEqual([false]);
  expect(await statementsFor('largest')).toEqual([false, true]);
});

test('a median of integers may end in .5, and medians of large integers are answered from rows', async () => {
  const median = (filter: object) =>
    answerOf({
      from: ['gsc'],
      keep: [],
      filter,
      calc: { n: 'MEDIAN(gsc.impressions)', all: 'SUM(gsc.impressions)' },
    });
  expect(await median({ keyword: ['large', 'large too'] })).toEqual({
    engine: 'columns',
    rows: [[1_999_999_999.5, 3_999_999_999]],
  });
  expect(await median({ keyword: 'no such keyword' })).toEqual({ engine: 'columns', rows: [[null, 0]] });
  await storeClicks([1, 2]);
  await database.write('analytics.click').where({ site_id: 1 }).update({ session_id: 2e13 });
  const ids = { from: ['click_event'], keep: [], calc: { n: 'MEDIAN(click_event.session_id)' } };
  expect(await answerOf(ids)).toEqual({ engine: 'rows', rows: [[2e13]] });
});

test('a quotient of quotients beyond 128 bits is answered from rows', async () => {
  await database
    .write('analytics.page_view')
    .where({ site_id: 1 })
    .update({ reader_id: 9_007_199_254_740_000 });
  const n =
    '100 / (AVERAGE(allpv.reader_id) / (MEDIAN(allpv.page_id) / PERCENTILE(allpv.reader_id, 33.3333)))';
  const view = { from: ['allpv'], keep: ['allpv.pv_id'], calc: { n } };
  expect((await answerOf(view)).engine).toBe('rows');
  expect((await ask(view, true)).because).toBe('The columnar copy could not compute the result exactly.');
});
