// For each of its rows, an import reads about the same number of stored rows, no matter what the rows look like or what the table
// statistics say.
import { importRows } from '../../../extension/data/import/import-rows';
import { IMPORT_LIMITS } from '../../../extension/data/import/limits';
import { useTestDatabase } from '../../support/use-database';
import { AT, manifest } from '../import/import-setup';

const database = useTestDatabase();
const ROWS = 1200;
const limits = { ...IMPORT_LIMITS, batchRows: 200, pieceRows: 200 };
/** A lookup that reads the whole site for each row would read 600 on average. Corrections read it a few times per batch. */
const MAX_READ = 100;

type Shape = (index: number) => Readonly<Record<string, unknown>>;
const ids = (index: number) => ({
  pv_id: index + 1,
  session_id: (index >> 2) + 1,
  reader_id: (index >> 3) + 1,
});
const named = (index: number) => ({ original_id: `visitor ${index >> 3}` });
const page = (index: number) => `https://example.com/${index % 50}`;

const SHAPES: Readonly<Record<string, Shape>> = {
  'all ids': ids,
  'visits shared by seven visitors each': (index) => ({
    ...ids(index),
    session_id: ((index * 7) % 171) + 1,
    reader_id: index + 1,
  }),
  'one visit': (index) => ({ ...ids(index), session_id: 1 }),
  'one visitor with given visits': (index) => ({ ...ids(index), reader_id: 1 }),
  'one visitor without visits': (index) => ({ pv_id: index + 1, reader_id: 1 }),
  'one visitor with many visits': (index) => ({
    pv_id: index + 1,
    reader_id: 1,
    access_time: AT + 2000 * index,
  }),
  'all ids in one second': (index) => ({ ...ids(index), access_time: AT }),
  'no ids': named,
  'no ids in one second': (index) => ({
    ...named(index),
    access_time: AT,
    url: `https://example.com/${index}`,
  }),
  'nothing that identifies a visitor': () => ({}),
  'one page': (index) => ({ ...ids(index), url: 'https://example.com/', title: `Title ${index}` }),
  'a page for each view': (index) => ({ ...named(index), url: `https://example.com/${index}` }),
  'a visitor for each view': (index) => ({ pv_id: index + 1, session_id: index + 1, reader_id: index + 1 }),
  'no order': (index) => ({ ...named(index), access_time: AT + ((index * 7919) % ROWS) }),
};

const load = (site: string, rows: readonly object[]) =>
  importRows(database.write, manifest, { material: 'allpv', site, rows, limits });

async function addSite(site: string): Promise<string> {
  await database.write.raw(
    `INSERT INTO analytics.site (tracking_id, domain, name, timezone) VALUES (?, 'example.com', 'Test', 'UTC')`,
    [site],
  );
  return site;
}

beforeAll(async () => {
  await database.write.raw('ALTER TABLE analytics.page_view SET (autovacuum_enabled = off)');
  for (let index = 0; index < 30; index += 1)
    await load(await addSite(`tiny-${index}`), [{ ...ids(0), access_time: AT, url: page(0) }]);
});

/** Makes the statistics look as if there were many sites with one view each. */
beforeEach(async () => {
  await database.write.raw(
    `DELETE FROM analytics.page_view v USING analytics.site s WHERE v.site_id = s.site_id AND s.tracking_id NOT LIKE 'tiny-%'`,
  );
  await database.write.raw('VACUUM (ANALYZE) analytics.page_view');
});

async function rowsRead(): Promise<number> {
  const { rows } = await database.write.raw(
    `SELECT sum(seq_tup_read + idx_tup_fetch)::float8 AS n FROM pg_stat_all_tables WHERE schemaname = 'analytics'`,
  );
  return rows[0].n;
}

test.each(Object.entries(SHAPES))('views with %s', async (name, shape) => {
  const site = await addSite(name.replaceAll(' ', '-'));
  const views = Array.from({ length: ROWS }, (_, index) => ({
    access_time: AT + index,
    url: page(index),
    ...shape(index),
  }));
  const later = views.map((view) => ({ ...view, access_time: view.access_time + 1 }));
  const reads: number[] = [];
  for (const [rows, counts] of [
    [views, { added: ROWS, updated: 0 }],
    [views, { added: 0, unchanged: ROWS }],
    ...('pv_id' in shape(0) ? [[later, { added: 0, updated: ROWS }] as const] : []),
  ] as const) {
    const before = await rowsRead();
    await expect(load(site, rows)).resolves.toMatchObject(counts);
    reads.push(((await rowsRead()) - before) / ROWS);
  }
  expect(Math.max(...reads)).toBeLessThan(MAX_READ);
});

test('lines imported between stored lines of the same second', async () => {
  const site = await addSite('half-stored');
  const lines = Array.from({ length: ROWS }, (_, index) => ({
    access_time: AT,
    original_id: 'ann',
    url: `https://example.com/${index}`,
  }));
  await load(
    site,
    lines.filter((_, index) => index % 2 === 1),
  );
  const before = await rowsRead();
  await expect(load(site, lines)).resolves.toMatchObject({ added: ROWS / 2, unchanged: ROWS / 2 });
  expect(((await rowsRead()) - before) / ROWS).toBeLessThan(MAX_READ);
});
