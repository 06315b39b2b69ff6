// An import refreshes statistics only if gathering them is worth the cost.
import { refreshStatistics, vacuumEmpty } from '../../../extension/data/storage/planner';
import { useTestDatabase } from '../../support/use-database';

const database = useTestDatabase();

beforeEach(async () => {
  await database.write.raw(`
    DROP TABLE IF EXISTS analytics.measured;
    CREATE TABLE analytics.measured (n int) WITH (autovacuum_enabled = false)`);
});

const write = (from: number, to: number) =>
  database.write.transaction(async (transaction) => {
    // Test databases commit asynchronously, and rows become visible to all only when their commit is flushed.
    await transaction.raw('SET LOCAL synchronous_commit = on');
    await transaction.raw('INSERT INTO analytics.measured SELECT generate_series(?::int, ?::int)', [
      from,
      to,
    ]);
    // Counts the changes at the commit, rather than when the connection next reports its statistics.
    await transaction.raw('SELECT pg_stat_force_next_flush()');
  });

/** The number of rows that the planner assumes (-1: never analyzed), and whether it may use an index-only scan. */
async function known() {
  const { rows } = await database.write.raw(
    `SELECT reltuples::int AS rows, relallvisible > 0 AS "isVisible" FROM pg_class
      WHERE oid = 'analytics.measured'::regclass`,
  );
  return rows[0];
}

const refresh = (written: number) => refreshStatistics(database.write, 1, ['measured'], written);

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

test('many small imports into a large table refresh its statistics once they add up to one percent of it', async () => {
  await write(1, 20_000);
  await refresh(20_000);
  await write(20_001, 20_250);
  const changed = async (): Promise<number> => {
    const { rows } = await database.write.raw(
      "SELECT n_mod_since_analyze::int AS n FROM pg_stat_all_tables WHERE relname = 'measured'",
    );
    return rows[0].n;
  };
  await expect(changed()).resolves.toBeGreaterThanOrEqual(250);
  await refresh(1);
  expect(await known()).toMatchObject({ rows: 20_250 });
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
