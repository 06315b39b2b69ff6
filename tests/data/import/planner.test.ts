// An import refreshes statistics only if gathering them is worth the cost.
import { openWritePool } from '../../../db/write-pool';
import { importRows } from '../../../extension/data/import/import-rows';
import { IMPORT_LIMITS } from '../../../extension/data/import/limits';
import { undoImport } from '../../../extension/data/removal/undo-import';
import { ANY_SITE, refreshStatistics, vacuumEmpty } from '../../../extension/data/storage/planner';
import { useTestDatabase } from '../../support/use-database';
import { AT, manifest, newSite, row } from './import-setup';

const database = useTestDatabase();

beforeEach(async () => {
  await database.write.raw(`
    DROP TABLE IF EXISTS analytics.measured, analytics.beside;
    CREATE TABLE analytics.measured (n int) WITH (autovacuum_enabled = false);
    CREATE TABLE analytics.beside (n int) WITH (autovacuum_enabled = false)`);
});

const write = (from: number, to: number, table = 'measured') =>
  database.write.transaction(async (transaction) => {
    // Test databases commit asynchronously, and rows become visible to all only when their commit is flushed.
    await transaction.raw('SET LOCAL synchronous_commit = on');
    await transaction.raw('INSERT INTO analytics.?? SELECT generate_series(?::int, ?::int)', [
      table,
      from,
      to,
    ]);
    // Counts the changes at the commit, rather than when the connection next reports its statistics.
    await transaction.raw('SELECT pg_stat_force_next_flush()');
  });

/** The number of rows that the planner assumes (-1: never analyzed), and whether it may use an index-only scan. */
async function known(table = 'measured') {
  const { rows } = await database.write.raw(
    `SELECT reltuples::int AS rows, relallvisible > 0 AS "isVisible" FROM pg_class WHERE oid = ?::regclass`,
    [`analytics.${table}`],
  );
  return rows[0];
}

const refresh = (written: number) => refreshStatistics(database.write, 1, ['measured', 'beside'], written);

/** Repeats the refresh: rows are not visible to all while another session, such as one of PostgreSQL's own, has a snapshot. */
async function refreshUntilVisible(written: number): Promise<void> {
  do await refresh(written);
  while (!(await known()).isVisible);
}

test('an empty import refreshes nothing', async () => {
  await write(1, 5);
  expect(await refresh(0)).toBeUndefined();
  expect(await known()).toEqual({ rows: -1, isVisible: false });
});

test('a small import into a small table refreshes its statistics, but not its visibility map', async () => {
  await write(1, 50);
  expect(await refresh(50)).toBeUndefined();
  expect(await known()).toEqual({ rows: 50, isVisible: false });
});

test('imports of a few rows refresh the statistics once they add up to 50', async () => {
  await write(1, 49);
  await refresh(49);
  expect(await known()).toMatchObject({ rows: -1 });
  await write(50, 50);
  await refresh(1);
  expect(await known()).toMatchObject({ rows: 50 });
});

test('a small import into a large table refreshes nothing', async () => {
  await write(1, 20_000);
  await refreshUntilVisible(20_000);
  await write(20_001, 20_100);
  await refresh(100);
  expect(await known()).toEqual({ rows: 20_000, isVisible: true });
});

test.each([
  ['a fifth of a small table', 1000, 200],
  ['a smaller share of a large table', 100_000, 10_000],
])('many small imports refresh the statistics once they add up to %s', async (_, rows, enough) => {
  await write(1, rows);
  await refresh(1);
  expect(await known()).toMatchObject({ rows });
  await write(rows + 1, rows + enough - 1);
  await refresh(1);
  expect(await known()).toMatchObject({ rows });
  await write(rows + enough, rows + enough);
  await refresh(1);
  expect(await known()).toMatchObject({ rows: rows + enough });
});

test('the statistics of each table are refreshed after changes to that table', async () => {
  await write(1, 50, 'beside');
  await write(1, 49);
  await refresh(1);
  expect([await known(), await known('beside')]).toMatchObject([{ rows: -1 }, { rows: 50 }]);
  await write(50, 99);
  await write(51, 59, 'beside');
  await refresh(1);
  expect([await known(), await known('beside')]).toMatchObject([{ rows: 99 }, { rows: 50 }]);
});

test('a large import refreshes the statistics and the visibility map', async () => {
  await write(1, 10_000);
  await refreshUntilVisible(10_000);
  expect(await known()).toEqual({ rows: 10_000, isVisible: true });
});

test('before an import, tables that only stopped imports have written to are emptied', async () => {
  const pages = async () =>
    (await database.write.raw("SELECT pg_relation_size('analytics.measured')::int / 8192 AS pages")).rows[0]
      .pages;
  const stopped = database.write.transaction(async (transaction) => {
    await transaction.raw('INSERT INTO analytics.measured SELECT generate_series(1, 1000)');
    await transaction.raw('SELECT pg_stat_force_next_flush()');
    throw new Error('stopped');
  });
  await expect(stopped).rejects.toThrow('stopped');
  await database.write.raw('ANALYZE analytics.measured');
  expect(await pages()).toBeGreaterThan(0);
  await vacuumEmpty(database.write, 1, ['measured']);
  expect(await pages()).toBe(0);
});

/** The number of dead rows at which autovacuum vacuums a table without statistics. */
const AUTOVACUUM_THRESHOLD = 50;

function* views(count: number, last: object = {}) {
  for (let id = 1; id <= count; id += 1)
    yield { pv_id: id, access_time: AT + id, url: `/${id % 9}`, ...(id === count && last) };
}

test('the dead rows of a failed import are counted before the next one begins, which looks up rows in the right index', async () => {
  const connection = { connectionString: database.url };
  const other = openWritePool({ connection, name: 'x', settings: {}, poolMax: 3, onPoolError: () => {} });
  const site = await newSite(database.write);
  const options = { material: 'allpv', site, limits: { ...IMPORT_LIMITS, batchRows: 50, pieceRows: 50 } };
  // A connection reports what it has counted once per second at most. The first import takes longer, the second does not.
  for (const _ of [1, 2])
    await expect(
      importRows(other, manifest, { ...options, rows: views(150, { access_time: 'never' }) }),
    ).rejects.toThrow('access_time');
  const plans: string[] = [];
  await importRows(database.write, manifest, {
    ...options,
    rows: views(2000),
    async alsoWrite(client, siteId) {
      // An idle connection reports the rest after a few seconds.
      await Promise.all([1, 2, 3].map(() => other.raw('SELECT pg_stat_force_next_flush(), pg_sleep(0.1)')));
      const { rows } = await database.write.raw(
        `SELECT pg_stat_get_dead_tuples('analytics.page_view'::regclass)::int AS dead`,
      );
      if (rows[0].dead > AUTOVACUUM_THRESHOLD) await database.write.raw('VACUUM analytics.page_view');
      const plan = await client.query({
        text: `EXPLAIN SELECT FROM analytics.page_view WHERE site_id = ${ANY_SITE} AND pv_id = ANY ('{5, 6, 7}'::bigint[])`,
        values: [siteId],
        rowMode: 'array',
      });
      plans.push(plan.rows.join('\n'));
    },
  });
  await other.destroy();
  expect(plans).toEqual([expect.stringMatching(/page_view_pkey.*\n *Index Cond: .*pv_id = ANY/)]);
});

test('undoing an import of clicks refreshes the statistics of clicks only', async () => {
  const site = await newSite(database.write);
  const load = (material: string, rows: readonly object[]) =>
    importRows(database.write, manifest, { material, site, rows });
  const count = (n: number) => Array.from({ length: n }, (_, index) => index + 1);
  await load(
    'allpv',
    count(100).map((n) => row(n, { pv_id: n })),
  );
  const { importId = 0 } = await load(
    'click_event',
    count(60).map((n) => ({ pv_id: n, event_sec: 1, selector: 'a' })),
  );
  const analyzed = async () => {
    const { rows } = await database.write.raw(
      "SELECT relname AS name, analyze_count::int AS count FROM pg_stat_user_tables WHERE relname IN ('page_view', 'click')",
    );
    return Object.fromEntries(rows.map((one: { name: string; count: number }) => [one.name, one.count]));
  };
  const before = await analyzed();
  await undoImport({ write: database.write, manifest, importId, login: 'local', clock: () => new Date() });
  expect(await analyzed()).toEqual({ ...before, click: before.click + 1 });
});
