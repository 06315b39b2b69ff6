// Lists read page by page are complete while the data stays the same; when it changes, the next page is rejected.
import type { ReadPool } from '../../db/read-pool';
import { formatAnswer } from '../../extension/api/answer-formats/format-answer';
import { installedContracts } from '../../extension/api/contracts/choose-contract';
import { forStreaming } from '../../extension/api/contracts/with-switches';
import { importRows } from '../../extension/data/import/import-rows';
import { QueryError } from '../../extension/language/errors/query-error';
import { readDocument } from '../../extension/language/parse/read-document';
import { NO_CACHE } from '../../extension/query/result-cache/result-cache';
import { streamQuery } from '../../extension/query/run-query';
import { CASE_DATA, createContext, manifest } from '../language/query-setup';
import { allOf } from '../support/all-of';
import { runWhole } from '../support/run-whole';
import { startFilledHost, type TestHost } from '../support/test-host';

const QUERY = '/wp-json/qa-platform/query';

let host: TestHost;

beforeAll(async () => {
  host = await startFilledHost(CASE_DATA, { users: [{ login: 'ann', role: 'administrator' }] });
});
afterAll(() => host.stop());

const bodyOf = (result: object) => ({
  tracking_id: 'shop',
  materials: [{ name: 'allpv' }],
  time: { start: '2026-05-01T00:00:00', end: '2026-07-01T00:00:00', tz: 'Asia/Tokyo' },
  make: { v: { from: ['allpv'], keep: ['allpv.pv_id'] } },
  result: { use: 'v', ...result },
});

const page = (result: object, address = QUERY) =>
  host.request('POST', address, { user: host.credentials('ann'), body: bodyOf(result) });

const importView = (pv_id: number, day = '2026-06-02') =>
  importRows(host.database.write, manifest, {
    material: 'allpv',
    site: 'shop',
    rows: [{ pv_id, session_id: pv_id, reader_id: pv_id, access_time: `${day}T00:00:00+09:00`, url: '/new' }],
  });

// conformance: calc.result-offset
test('the pages for one data version add up to the whole list, without gaps or repeats', async () => {
  const whole = await page({});
  const first = await page({ offset: 0, limit: 3 });
  const { data_version } = first.body.meta;
  expect(first.body.meta).toMatchObject({ offset: 0, truncated: true });
  const rest = await Promise.all([3, 6].map((offset) => page({ offset, limit: 3, data_version })));
  expect(rest.map(({ body }) => body.meta)).toMatchObject([
    { offset: 3, data_version, truncated: true },
    { offset: 6, data_version, truncated: false },
  ]);
  expect([first, ...rest].flatMap(({ body }) => body.result.rows)).toEqual(whole.body.result.rows);
});

test('a response that is not a page has no page fields', async () => {
  const { body } = await page({ limit: 3 });
  expect(Object.keys(body.meta)).not.toEqual(expect.arrayContaining(['offset']));
  expect(Object.keys(body.meta)).not.toEqual(expect.arrayContaining(['data_version']));
});

test('the data envelope contains the total, even on a page past the end', async () => {
  const { body } = await page({ offset: 100, limit: 3 }, `${QUERY}?envelope=data`);
  expect(body).toMatchObject({
    data: [],
    meta: { total_count: 7, returned_count: 0, offset: 100, truncated: false },
  });
});

test('in other formats, headers identify a page', async () => {
  const { body } = await page({ offset: 5, limit: 3 });
  const csv = await page({ offset: 5, limit: 3 }, `${QUERY}?format=csv`);
  expect(csv.text.split('\r\n').slice(1, -1)).toEqual(body.result.rows.map(String));
  expect(csv.headers).toMatchObject({
    'x-qal-offset': '5',
    'x-qal-data-version': body.meta.data_version,
    'x-qal-total-count': '7',
    'x-qal-returned-count': '2',
    'x-qal-truncated': 'false',
  });
  const pastEnd = await page({ offset: 100, limit: 3 }, `${QUERY}?format=csv`);
  expect(pastEnd.headers).toMatchObject({ 'x-qal-total-count': '7', 'x-qal-returned-count': '0' });
});

// conformance: calc.result-offset
test('after an import, the next page is rejected', async () => {
  const first = await page({ offset: 0, limit: 3 });
  const { data_version } = first.body.meta;
  await importView(901);
  const refused = await page({ offset: 3, limit: 3, data_version });
  expect(refused.status).toBe(409);
  expect(refused.body.error).toMatchObject({ code: 'E_DATA_CHANGED', at: 'result.data_version' });
  expect((await page({ offset: 3, limit: 3, data_version }, `${QUERY}?format=csv`)).status).toBe(409);
  const again = await page({ offset: 3, limit: 3, data_version: refused.body.error.details.data_version });
  expect(again.status).toBe(200);
});

// conformance: calc.result-offset
test.each(['json', 'csv'])(
  'views on other days, such as those from a followed log, do not invalidate a list that is read as %s',
  async (format) => {
    const address = `${QUERY}?format=${format}`;
    const first = await page({ offset: 0, limit: 3 });
    const { data_version } = first.body.meta;
    await importView(910, '2026-08-02');
    await importView(911, '2026-08-02');
    const second = await page({ offset: 3, limit: 3, data_version }, address);
    expect(second.status).toBe(200);
    if (format === 'json') expect(second.body.meta).toMatchObject({ offset: 3, data_version });
    else expect(second.headers['x-qal-data-version']).toBe(data_version);
    await importView(912, '2026-06-03');
    const refused = await page({ offset: 6, limit: 3, data_version }, address);
    expect([refused.status, refused.body.error]).toMatchObject([409, { code: 'E_DATA_CHANGED' }]);
    await host.database.write('analytics.page_view').where({ pv_id: 912 }).delete();
  },
);

// conformance: beyond.nothing-remembered-another
test('a page with the same version number from a different history is rejected', async () => {
  const { data_version } = (await page({ offset: 0, limit: 3 })).body.meta;
  const stored = () => host.database.write('analytics.site_version').pluck('data_version').orderBy('site_id');
  const before = await stored();
  await host.database.write.raw('UPDATE analytics.site_version SET token = gen_random_uuid()');
  expect(await stored()).toEqual(before);
  expect((await page({ offset: 3, limit: 3, data_version })).body.error).toMatchObject({
    code: 'E_DATA_CHANGED',
  });
});

// conformance: calc.result-offset
test('a change to the data while a page is being read is detected', async () => {
  const first = await page({ offset: 0, limit: 3 });
  const { data_version } = first.body.meta;
  const context = await createContext(host.database);
  const error: unknown = await runWhole(
    readDocument(JSON.stringify(bodyOf({ offset: 3, limit: 3, data_version }))),
    context,
    {
      ...NO_CACHE,
      async resultOf(query, options, work) {
        await importView(902);
        return NO_CACHE.resultOf(query, options, work);
      },
    },
  ).catch((thrown: unknown) => thrown);
  expect(error instanceof QueryError ? error.code : error).toBe('E_DATA_CHANGED');
});

test.each(['csv', 'ndjson'] as const)(
  'rows that are added while a page past the end is read as %s are included in the page and its total',
  async (format) => {
    const [newest] = installedContracts(manifest).slice(-1);
    if (newest === undefined) throw new Error('No contract is installed.');
    const known = (await page({})).body.result.rows.length;
    const context = await createContext(host.database, { contract: forStreaming(newest) });
    let counts = 0;
    // The page is read in batches. This statement counts the rows, because the page is empty.
    const withConnection: ReadPool['withConnection'] = async (patience, work) => {
      counts += 1;
      await importView(1_000 * known);
      return host.database.read.withConnection(patience, work);
    };
    const database = { ...host.database.read, withConnection };
    const document = readDocument(JSON.stringify(bodyOf({ offset: known, limit: 3 })));
    const answer = await streamQuery(document, { ...context, database });
    const pieces = await allOf(await formatAnswer(answer, format, { signal: context.signal }));
    expect(counts).toBe(1);
    expect(answer).toMatchObject({ rowCount: 1, totalCount: known + 1, truncated: false });
    const lines = Buffer.concat(pieces).toString('utf8').trim().split(/\r?\n/);
    expect(lines.at(-1)).toMatch(String(1_000 * known));
    expect(lines).toHaveLength(format === 'csv' ? 2 : 1);
  },
);

test('if the rows change during every read of a page past the end, it is eventually read in a single snapshot', async () => {
  const [newest] = installedContracts(manifest).slice(-1);
  if (newest === undefined) throw new Error('No contract is installed.');
  const known = (await page({})).body.result.rows.length;
  const context = await createContext(host.database, { contract: forStreaming(newest) });
  const { read, write } = host.database;
  const add = () => importView(2_000_000);
  const remove = () => write('analytics.page_view').where('pv_id', 2_000_000).delete();
  let pages = 0;
  let counts = 0;
  const batches: ReadPool['batches'] = async function* (...args) {
    pages += 1;
    await remove();
    yield* read.batches(...args);
  };
  const withConnection: ReadPool['withConnection'] = (patience, work) =>
    read.withConnection(patience, async (connection, stream) => {
      let statements = 0;
      const isSnapshot = counts === 3;
      counts += 1;
      if (!isSnapshot) await add();
      return work(connection, async function* (select) {
        // The row is added after the page is read and before the rows are counted.
        if (isSnapshot && statements === 0) await remove();
        if (isSnapshot && statements === 1) await add();
        statements += 1;
        yield* stream(select);
      });
    });
  const document = readDocument(JSON.stringify(bodyOf({ offset: known, limit: 3 })));
  const answer = await streamQuery(document, { ...context, database: { ...read, batches, withConnection } });
  expect(await allOf(answer.rows)).toEqual([]);
  expect(answer).toMatchObject({ rowCount: 0, totalCount: known, truncated: false });
  // The last connection checks whether the material has rows, for the notes.
  expect({ pages, counts }).toEqual({ pages: 3, counts: 5 });
  expect((await page({})).body.result.rows).toHaveLength(known + 1);
  await remove();
});
