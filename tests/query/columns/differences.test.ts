// Rows that cannot be copied exactly are not committed. Queries on the site are answered from rows, administrators can see why,
// and the server retries.
import { readDocument } from '../../../extension/language/parse/read-document';
import { CopyDiffers } from '../../../extension/query/columns/check-copied';
import { columnsFolder } from '../../../extension/query/columns/columns-of-server';
import { type Finder, foundDifferences } from '../../../extension/query/columns/found-differences';
import { createContext, useCaseDatabase } from '../../language/query-setup';
import { expectEqualTables, openTestColumns } from '../../support/columns';
import { lookAtCopy } from '../../support/look-at-copy';
import { createMemoryLog } from '../../support/memory-log';
import { runCommand } from '../../support/run-command';
import { runWhole } from '../../support/run-whole';
import { useFolder } from '../../support/use-folder';

const { database } = useCaseDatabase();
const dataDir = useFolder({ perFile: true, inMemory: true });

const run = (...args: readonly string[]) => runCommand({ database, dataDir }, args);

const clicksOf = (site: string) => ({
  tracking_id: site,
  materials: [{ name: 'gsc' }],
  result: { use: 'v' },
  time: { start: '2026-01-01T00:00:00', end: '2027-01-01T00:00:00', tz: 'UTC' },
  make: { v: { from: ['gsc'], keep: ['gsc.keyword'], calc: { n: 'SUM(gsc.clicks)' } } },
});

test('queries on a site are answered from rows while PostgreSQL and the copy read its data differently', async () => {
  const found: Finder[] = [];
  const { log, logged } = createMemoryLog();
  const folder = columnsFolder(dataDir);
  const open = () => openTestColumns(database, { folder, log, onDifference: (by) => void found.push(by) });
  let columns = await open();
  const ask = async (site: string) => {
    const document = readDocument(JSON.stringify(clicksOf(site)));
    const context = await createContext(database, { columns });
    const { answeredBy, rows } = await runWhole(document, context);
    const fromRows = await runWhole(document, { ...context, columns: undefined });
    expect(rows.toSorted()).toEqual(fromRows.rows.toSorted());
    return answeredBy;
  };
  expect(await ask('shop')).toMatchObject({ engine: 'columns' });
  expect((await run('columns', 'status')).err).toMatch(/^Differences: none$/m);

  // DuckDB reads BC years in CSV files as AD years.
  await database.write.raw(
    `UPDATE analytics.search_day SET day = '0044-03-15 BC'
      WHERE row_id = (SELECT min(row_id) FROM analytics.search_day JOIN analytics.site USING (site_id) WHERE tracking_id = 'shop')`,
  );
  for (let round = 0; round < 3; round++) await columns.refresh();
  const because = 'Part of the site could not be copied exactly; the server will retry within an hour.';
  expect(await ask('shop')).toEqual({ engine: 'rows', because });
  expect(await ask('blog')).toMatchObject({ engine: 'columns' });
  const difference = { foundBy: 'copying', trackingId: 'shop', table: 'search_day', isLeftToRows: true };
  expect((await columns.status()).differences).toEqual([
    expect.objectContaining({
      ...difference,
      span: '-000043-03-15',
      columns: ['number of rows'],
    }),
  ]);
  // In three rounds, the site was copied only once.
  expect(found).toEqual(['copying']);
  expect(logged.map(({ msg }) => msg)).toEqual([
    expect.stringMatching(
      /^The columnar copy of shop differs from PostgreSQL in number of rows of search_day \(.*Queries are answered/,
    ),
  ]);
  expect((await run('columns', 'status')).err).toMatch(
    /^Differences: .* shop, number of rows of search_day .*; answered from rows$/m,
  );
  expect(await lookAtCopy(database, dataDir, columns)).toMatchObject({
    state: 'failing',
    brief: 'differs from PostgreSQL on 1 site',
    about: expect.stringContaining('shop: number of rows of search_day (-000043-03-15)'),
  });

  await database.write.raw(`UPDATE analytics.search_day SET day = '2026-05-03' WHERE day < '0001-01-01'`);
  await columns.stop({ keep: true });
  columns = await open();
  expect(await ask('shop')).toMatchObject({ engine: 'columns' });
  await expectEqualTables(database, columns);
  expect(await lookAtCopy(database, dataDir, columns)).toMatchObject({
    state: 'warning',
    brief: 'differs from PostgreSQL on 1 site',
  });
  await columns.stop();
});

test('a site whose queries are answered from rows is copied again after an hour', async () => {
  let now = 0;
  const found: Finder[] = [];
  const { log } = createMemoryLog();
  const differences = foundDifferences({
    log,
    now: () => now,
    clock: () => new Date(0),
    onDifference: (by) => void found.push(by),
  });
  const site = { siteId: 1, trackingId: 'shop' };
  const difference = { table: 'click', span: 'all rows', columns: ['pv_id'] };
  const fail = () => differences.copying(site, () => Promise.reject(new CopyDiffers(difference)));
  for (let hour = 1; hour < 3; hour++) {
    expect(await fail()).toBeUndefined();
    expect(differences.isLeft(1)).toBe(true);
    now = hour * 3_600_000 - 1;
    expect(differences.isLeft(1)).toBe(true);
    now = hour * 3_600_000;
    expect(differences.isLeft(1)).toBe(false);
    expect(differences.whyNot(1)).toEqual(expect.any(String));
    expect(differences.list()).toHaveLength(1);
  }
  expect(await differences.copying(site, async () => 7)).toBe(7);
  expect(differences.whyNot(1)).toBeUndefined();
  expect(differences.list()).toMatchObject([{ ...difference, isLeftToRows: false }]);
  expect(found).toEqual(['copying', 'copying']);
});
