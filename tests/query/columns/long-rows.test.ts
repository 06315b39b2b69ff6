// Rows that are much longer than ordinary CSV lines.
import { importRows } from '../../../extension/data/import/import-rows';
import { manifest, useCaseDatabase } from '../../language/query-setup';
import { expectEqualTables, openTestColumns, type TestColumns } from '../../support/columns';
import { createMemoryLog } from '../../support/memory-log';

const { database } = useCaseDatabase();
const { log, logged } = createMemoryLog();
let columns: TestColumns;
beforeAll(async () => {
  // A copy of one site is rebuilt faster than one of three.
  await database.write('analytics.site').whereNot({ tracking_id: 'shop' }).delete();
  columns = await openTestColumns(database, { log });
});
afterAll(() => columns.stop());

const importEvents = (...params: object[]) =>
  importRows(database.write, manifest, {
    material: 'datalayer_event',
    site: 'shop',
    rows: params.map((it, index) => ({
      pv_id: 1,
      access_time: '2026-05-01T00:00:00+09:00',
      event_name: `long-${index}`,
      params: it,
    })),
  });

test('the longest rows that an import accepts are copied', async () => {
  const { rejected } = await importEvents(
    // PostgreSQL writes each number with 308 digits.
    { all: Array.from({ length: 9_350 }, () => 9e307) },
    { text: '\n"'.repeat(16_000) },
    { text: '語'.repeat(65_000) },
  );
  expect(rejected).toBe(0);
  await columns.refresh();
  await expectEqualTables(database, columns);
  expect(await columns.status()).toMatchObject({ state: 'ready' });
  expect(logged).toEqual([]);
});

test('strings with lines that look like rows are copied, even if they fill many buffers', async () => {
  await database.write.raw(
    String.raw`INSERT INTO analytics.page (site_id, page_id, url, text_key)
                 SELECT min(site_id), n, '/lines', gen_random_uuid()
                   FROM analytics.site, generate_series(1001, 1008) n GROUP BY n;
               UPDATE analytics.page SET title = repeat(E'\n1,2,x,y,3,4', 230000) WHERE page_id > 1000`,
  );
  await columns.refresh();
  await expectEqualTables(database, columns);
  expect(logged).toEqual([]);
});

test('a longer row that was written manually prevents copying until it is shortened; the failure is reported once', async () => {
  // Without the long titles, each attempt is quick.
  await database.write.raw(
    `UPDATE analytics.page SET title = '' WHERE page_id > 1000;
     UPDATE analytics.event SET params = jsonb_build_object('text', repeat('"', 1500000)) WHERE event_id = 1`,
  );
  for (let time = 0; time < 3; time++) await columns.refresh();
  expect(await columns.status()).toMatchObject({
    state: 'unavailable',
    reason: 'The columnar copy failed; the server will retry.',
  });
  expect(logged.map(({ msg }) => msg)).toEqual([
    'The columnar copy failed; the server will retry. Queries are answered from rows.',
  ]);
  await database.write.raw(`UPDATE analytics.event SET params = '{}' WHERE event_id = 1`);
  await columns.refresh();
  await expectEqualTables(database, columns);
});
