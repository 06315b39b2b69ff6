// Rows that are already stored are looked up by their ids, however large their site is.
import { importRows } from '../../../extension/data/import/import-rows';
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

test('importing a few stored views again, unchanged or corrected, reads few views of a large site', async () => {
  await database.write.raw('ALTER TABLE analytics.page_view SET (autovacuum_enabled = off)');
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
