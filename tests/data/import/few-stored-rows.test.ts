// Rows that are already stored are looked up by their ids, however large their site and the other sites are.
import { importRows } from '../../../extension/data/import/import-rows';
import { NAMED_BY } from '../../../extension/data/rows/generated-ids';
import { inTransaction } from '../../../extension/data/storage/in-transaction';
import { materialsWithoutRows } from '../../../extension/data/storage/materials-without-rows';
import { hasOtherSecret, writeImportRules } from '../../../extension/data/storage/sites/import-rules';
import type { ReadPool } from '../../../host-shim/extension-api';
import { useTestDatabase } from '../../support/use-database';
import { manifest, newSite, row } from './import-setup';

const database = useTestDatabase();

const VIEWS = 20_000;
const FEW = 20;

async function viewsRead(): Promise<number> {
  const { rows } = await database.write.raw(
    `SELECT (seq_tup_read + idx_tup_fetch)::float8 AS n FROM pg_stat_all_tables WHERE relid = 'analytics.page_view'::regclass`,
  );
  return rows[0].n;
}

beforeAll(() => database.write.raw('ALTER TABLE analytics.page_view SET (autovacuum_enabled = off)'));

test('importing a few stored views again, unchanged or corrected, reads few views of a large site', async () => {
  const site = await newSite(database.write);
  const load = (rows: readonly object[]) =>
    importRows(database.write, manifest, { material: 'allpv', site, rows });
  const view = (index: number, more: object = {}) =>
    row(index, { pv_id: index + 1, session_id: index + 1, reader_id: index + 1, ...more });
  await load(Array.from({ length: VIEWS }, (_, index) => view(index)));
  const few = Array.from({ length: FEW }, (_, place) => (place * VIEWS) / FEW);
  for (const [more, counts] of [
    [{}, { updated: 0, unchanged: FEW }],
    [{ depth_position: 7 }, { updated: FEW, unchanged: 0 }],
  ] as const) {
    const before = await viewsRead();
    await expect(load(few.map((index) => view(index, more)))).resolves.toMatchObject(counts);
    expect((await viewsRead()) - before).toBeLessThan(VIEWS / 10);
  }
});

const idOf = async (site: string): Promise<number> =>
  (await database.write('analytics.site').where('tracking_id', site).first('site_id')).site_id;

test('a small site is read without the rows of a larger one', async () => {
  const [large, small] = [await newSite(database.write), await newSite(database.write)];
  const load = (site: string, rows: readonly object[]) =>
    importRows(database.write, manifest, { material: 'allpv', site, rows });
  const few = VIEWS / 4;
  const view = (index: number) => row(index, { pv_id: index + 1, session_id: index + 1 });
  await load(
    large,
    Array.from({ length: VIEWS }, (_, index) => view(index)),
  );
  await load(
    small,
    Array.from({ length: few }, (_, index) => view(index)),
  );
  await inTransaction(database.write, async (client) => {
    // Otherwise, PostgreSQL could count these reads later, with those of the import.
    await client.query('SELECT pg_stat_force_next_flush()');
    // As in a log, where addresses identify visitors.
    await client.query('UPDATE analytics.page_view SET named_by = $1 WHERE site_id = $2', [
      NAMED_BY.address,
      await idOf(large),
    ]);
  });
  await database.write.raw('ANALYZE analytics.page_view');
  const site_id = await idOf(small);
  const before = await viewsRead();
  await load(
    small,
    Array.from({ length: FEW }, (_, place) => view(few + (place * (VIEWS - few)) / FEW)),
  );
  expect((await viewsRead()) - before).toBeLessThan(VIEWS / 10);
  await inTransaction(database.write, async (client) => {
    const withConnection: ReadPool['withConnection'] = (patience, work) =>
      database.read.withConnection(patience, (_connection, stream) => work(client, stream));
    const read = { ...database.read, withConnection };
    const allpv = { name: 'allpv', table: 'page_view' };
    const { signal } = new AbortController();
    expect(await materialsWithoutRows(read, [site_id], [allpv], signal)).toEqual(new Set());
    const readSoFar = async (): Promise<number> => {
      const { rows } = await client.query(
        `SELECT (seq_tup_read + idx_tup_fetch)::integer AS n FROM pg_stat_xact_all_tables WHERE relid = 'analytics.page_view'::regclass`,
      );
      return rows[0].n;
    };
    const first = await readSoFar();
    expect(first).toBeLessThan(VIEWS / 10);
    await writeImportRules(client, site_id, { visitors: 'day', hosts: [] });
    expect(await hasOtherSecret(client, small, '0'.repeat(64))).toBe(false);
    expect((await readSoFar()) - first).toBeLessThan(2 * few);
  });
});
