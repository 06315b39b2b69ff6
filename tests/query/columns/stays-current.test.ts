// After every change to the data, the copy has the same rows as PostgreSQL, and queries are answered from the copy.

import { importRows } from '../../../extension/data/import/import-rows';
import { removeGoal, saveGoal } from '../../../extension/data/storage/goals/save-goal';
import { NO_WORKERS } from '../../../extension/data/storage/workers';
import { readDocument } from '../../../extension/language/parse/read-document';
import { pruneChanges } from '../../../extension/query/columns/refresh-site';
import { createContext, loadCaseData, manifest, useCaseDatabase } from '../../language/query-setup';
import { expectEqualTables, openTestColumns, type TestColumns } from '../../support/columns';
import { runWhole } from '../../support/run-whole';
import { IS_SECOND_SERVER } from '../../support/second-server';

const { database } = useCaseDatabase();
let columns: TestColumns;
beforeAll(async () => {
  // Two sites are copied faster than three: one with rows in every table, and an empty one.
  await database.write('analytics.site').where({ tracking_id: 'blog' }).delete();
  columns = await openTestColumns(database);
});
afterAll(() => columns.stop());

const QUERY = {
  tracking_id: 'shop',
  materials: [{ name: 'allpv' }],
  time: { start: '2026-04-01T00:00:00', end: '2026-09-01T00:00:00', tz: 'UTC' },
  make: {
    v: {
      from: ['allpv'],
      keep: ['allpv.url', 'allpv.title', 'allpv.browser'],
      calc: { n: 'COUNT(allpv.pv_id)', visitors: 'COUNTUNIQUE(allpv.reader_id)' },
      sort: { by: 'n', order: 'desc' },
    },
  },
  result: { use: 'v' },
};

async function ask(withColumns: boolean, body: object = QUERY) {
  const context = await createContext(database, { columns: withColumns ? columns : undefined });
  const { answeredBy, rows } = await runWhole(readDocument(JSON.stringify(body)), context);
  return { engine: answeredBy.engine, rows };
}

const importViews = (...rows: object[]) =>
  importRows(database.write, manifest, { material: 'allpv', site: 'shop', rows });

const view = (pvId: number, changes: object = {}) => ({
  pv_id: pvId,
  session_id: pvId,
  reader_id: pvId,
  access_time: '2026-06-10T12:00:00+09:00',
  url: '/new',
  title: 'New',
  device_type: 'PC',
  browser: 'Opera',
  pv: 1,
  is_last: 1,
  is_newuser: 1,
  ...changes,
});

const sql = (text: string) => () => database.write.raw(text);

type Change = [title: string, change: () => Promise<unknown>];

const CHANGES: readonly Change[] = [
  ['an import with a new page and a new browser', () => importViews(view(900), view(901))],
  ['late rows', () => importViews(view(902, { access_time: '2026-04-03T01:00:00Z', url: '/late' }))],
  [
    'rows that are manually moved to another day',
    sql("UPDATE analytics.click SET at = at + interval '40 days'"),
  ],
  ['a manually updated dimension', sql("UPDATE analytics.page SET title = 'By hand' WHERE url = '/a'")],
  [
    'a manually updated dimension that all sites share',
    sql(
      "UPDATE analytics.browser SET browser = 'Renamed by hand', text_key = gen_random_uuid() WHERE browser_id = 1",
    ),
  ],
  [
    'manually deleted rows',
    sql('DELETE FROM analytics.event WHERE site_id = (SELECT min(site_id) FROM analytics.site)'),
  ],
  [
    'manually inserted rows',
    sql(`INSERT INTO analytics.click
            SELECT (jsonb_populate_record(c, jsonb_build_object('at', '2026-07-04T00:00:00Z', 'click_id', 5000, 'fingerprint', gen_random_uuid()))).*
              FROM analytics.click c LIMIT 1`),
  ],
  ['a manually truncated table', sql('TRUNCATE analytics.search_day')],
  ['a manually removed site', sql("DELETE FROM analytics.site WHERE tracking_id <> 'shop'")],
];

/** Changes that are recorded and read with the same statements as those in CHANGES. */
const MORE_CHANGES: readonly Change[] = [
  ['a newer title', () => importViews(view(903, { title: 'Newer', access_time: '2026-06-11T12:00:00Z' }))],
  [
    'strings that must be quoted in CSV',
    () => importViews(view(904, { title: '"a",\r\nb\n\n\\N', url: '/","', browser: ' NULL ' })),
  ],
  [
    'a manually updated page view with a conversion',
    sql(`UPDATE analytics.page_view SET browse_sec = 76
          WHERE (site_id, pv_id) IN (SELECT site_id, pv_id FROM analytics.conversion)`),
  ],
  [
    'a changed goal',
    () =>
      saveGoal(
        database.write,
        'shop',
        { id: 1, name: 'B', type: 'gtype_page', condition: { url: '/b', match: 'exact' } },
        'change',
      ),
  ],
  ['a removed goal', () => removeGoal(database.write, 'shop', 1)],
  ['manually updated rows', sql('UPDATE analytics.page_view SET browse_sec = 77 WHERE pv_id = 3')],
  [
    'a manually removed row in a dimension that all sites share',
    sql('DELETE FROM analytics.browser WHERE browser_id = 2'),
  ],
  [
    // DuckDB would assume that all lines in a file have the same ending as the first one.
    "strings with other systems' line endings",
    sql(`UPDATE analytics.click SET to_url = 'https://shop.example/',
                element_text = CASE click_id % 2 WHEN 0 THEN E'two\\r\\nlines' ELSE E'two\\rlines' END`),
  ],
  [
    'a manually written time with fractional seconds, at the end of a day',
    sql(`UPDATE analytics.page_view SET at = '2026-06-30T23:59:59.7Z' WHERE pv_id = 3`),
  ],
  ['another change on that day', sql('UPDATE analytics.page_view SET browse_sec = 79 WHERE pv_id = 3')],
  ['loading the same data again', () => loadCaseData(database.write)],
];

test.each(IS_SECOND_SERVER ? CHANGES : [...CHANGES, ...MORE_CHANGES])(
  // conformance: beyond.column-copy-follows
  'the copy is up to date after %s',
  async (_title, change) => {
    const before = await ask(true);
    expect(before.engine).toBe('columns');
    await change();
    await columns.refresh();
    await expectEqualTables(database, columns);
    expect(await ask(true)).toEqual({ engine: 'columns', rows: (await ask(false)).rows });
  },
);

test("changing a site's name, domain or time zone affects no answers and requires no new copy", async () => {
  const before = await ask(true);
  const renamed = { name: 'Renamed', domain: 'renamed.example', timezone: 'Asia/Tokyo' };
  await database.write('analytics.site').where({ tracking_id: 'shop' }).update(renamed);
  expect(await ask(true)).toEqual(before);
  expect((await ask(false)).rows).toEqual(before.rows);
});

test('queries are answered from rows until the copy contains the change', async () => {
  await sql('UPDATE analytics.page_view SET browse_sec = 78 WHERE pv_id = 3')();
  // The copy is refreshed every second. The answer must be correct before and after the refresh.
  expect((await ask(true)).rows).toEqual((await ask(false)).rows);
  await columns.refresh();
  expect((await ask(true)).engine).toBe('columns');
});

test('changes that are rolled back have no effect', async () => {
  const versions = () => database.write('analytics.site_version').pluck('data_version').orderBy('site_id');
  const before = await versions();
  await database.write
    .transaction(async (transaction) => {
      await transaction.raw('DELETE FROM analytics.page_view');
      throw new Error('rolled back');
    })
    .catch(() => {});
  expect(await versions()).toEqual(before);
  await columns.refresh();
  expect((await ask(true)).engine).toBe('columns');
  await expectEqualTables(database, columns);
});

test('several statements in a transaction raise the version only once', async () => {
  const version = async () =>
    Number(
      await database
        .write('analytics.site')
        .join('analytics.site_version', { 'site_version.site_id': 'site.site_id' })
        .where('tracking_id', 'shop')
        .first('data_version')
        .then((site) => site.data_version),
    );
  const before = await version();
  await database.write.transaction(async (transaction) => {
    await transaction.raw('UPDATE analytics.page_view SET browse_sec = 1 WHERE pv_id = 1');
    await transaction.raw('UPDATE analytics.page_view SET browse_sec = 2 WHERE pv_id = 2');
  });
  expect(await version()).toBe(before + 1);
});

test('another process continues where the first one stopped', async () => {
  const { folder } = columns;
  await columns.stop({ keep: true });
  await importViews(view(950, { url: '/while-stopped' }));
  columns = await openTestColumns(database, { folder });
  await expectEqualTables(database, columns);
  expect((await ask(true)).engine).toBe('columns');
});

const withoutTriggers = (change: string) => `
  ALTER TABLE analytics.page_view DISABLE TRIGGER USER;
  ${change};
  ALTER TABLE analytics.page_view ENABLE TRIGGER USER`;

const UNTRACKED = 'UPDATE analytics.page_view SET browse_sec = browse_sec + 1 WHERE pv_id IN (1, 2)';
const touch = sql('UPDATE analytics.page_view SET pv = pv WHERE pv_id = 3');

test.each<[string, string]>([
  ['the same number and a different token', 'UPDATE analytics.site_version SET token = gen_random_uuid()'],
  [
    'a lower number',
    'DELETE FROM analytics.site_version; INSERT INTO analytics.site_version (site_id) SELECT site_id FROM analytics.site',
  ],
  [
    'a gap in its chain of versions',
    `UPDATE analytics.site_version SET data_version = data_version + 1;
     DELETE FROM analytics.change WHERE table_name = 'site_version'`,
  ],
  // conformance: beyond.nothing-remembered-another
])(
  'a site with %s is copied again in full, both with and without further changes',
  async (_title, change) => {
    await database.write.raw(withoutTriggers(UNTRACKED));
    await database.write.raw(change);
    await columns.refresh();
    await expectEqualTables(database, columns);
    await database.write.raw(withoutTriggers(UNTRACKED));
    await database.write.raw(change);
    await touch();
    await columns.refresh();
    await expectEqualTables(database, columns);
    expect((await ask(true)).engine).toBe('columns');
  },
);

test('if the history is complete, only what has changed is copied, no matter how often it changed', async () => {
  await database.write.raw(withoutTriggers(UNTRACKED));
  for (let time = 0; time < 3; time++) await touch();
  await columns.refresh();
  await expect(expectEqualTables(database, columns)).rejects.toThrow(/page_view/);
  await sql('UPDATE analytics.page_view SET pv = pv')();
  await columns.refresh();
  await expectEqualTables(database, columns);
});

// conformance: beyond.nothing-remembered-another
test('the changes in the last thousand versions of each site are kept, regardless of the clock, and those of a removed site are deleted', async () => {
  const { site_id } = await database.write('analytics.site').where({ tracking_id: 'shop' }).first();
  const ofSite = () => database.write('analytics.change').where({ site_id });
  const { data_version } = await database.write('analytics.site_version').where({ site_id }).first();
  const oldest = Number(data_version) - 998;
  const numbers = async () =>
    (await ofSite().distinct('data_version').orderBy('data_version')).map((row) => Number(row.data_version));
  await ofSite().delete();
  const entry = { site_id, table_name: 'click', low: 0, high: 0 };
  await ofSite().insert(
    [oldest, oldest - 1].map((it) => ({ ...entry, data_version: it, changed_at: '2020-01-01' })),
  );
  await ofSite().insert({ ...entry, data_version: 1, site_id: -1 });
  await pruneChanges(database.write, NO_WORKERS);
  expect(await numbers()).toEqual([oldest - 1, oldest]);
  expect(await database.write('analytics.change').where({ site_id: -1 })).toEqual([]);
  await touch();
  await pruneChanges(database.write, NO_WORKERS);
  expect(await numbers()).toEqual([oldest, Number(data_version) + 1]);
});

test('a new row in a dimension does not change the version and is copied with the next change', async () => {
  const version = () => database.write('analytics.site_version').pluck('token').orderBy('site_id');
  const before = await version();
  await sql(
    "INSERT INTO analytics.medium SELECT site_id, 9000, 'unused', gen_random_uuid() FROM analytics.site WHERE tracking_id = 'shop'",
  )();
  expect(await version()).toEqual(before);
  await touch();
  await columns.refresh();
  await expectEqualTables(database, columns);
});
