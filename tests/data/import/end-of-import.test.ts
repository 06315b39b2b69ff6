// The end of an import: a late stop, rows that cannot be represented in JSON, and failures after the rows are stored.
import { Readable } from 'node:stream';
import type { ImportOptions } from '../../../extension/data/import/import-options';
import { importRows } from '../../../extension/data/import/import-rows';
import { importFile } from '../../../extension/data/import/import-together';
import { useTestDatabase } from '../../support/use-database';
import { manifest, newSite, storedViews } from './import-setup';

const database = useTestDatabase();

const row = (index: number, more: object = {}) => ({
  url: `https://example.com/${index}`,
  access_time: 1_770_000_000 + index,
  ...more,
});
const load = (site: string, rows: readonly object[], more: Partial<ImportOptions> = {}) =>
  importRows(database.write, manifest, { material: 'allpv', site, rows, ...more });

test('a signal still stops an import that has read or written all rows', async () => {
  const site = await newSite(database.write);
  const atEnd = new AbortController();
  const alsoWrite = jest.fn();
  const input = Readable.from(
    (function* () {
      yield Buffer.from(`${JSON.stringify(row(1))}\n`);
      atEnd.abort();
    })(),
  );
  const read = importFile({
    write: database.write,
    manifest,
    material: 'allpv',
    site,
    input,
    format: 'ndjson',
    source: 'test',
    onError: 'stop',
    clock: () => new Date(0),
    signal: atEnd.signal,
    alsoWrite,
  });
  await expect(read).rejects.toThrow('Stopped; nothing was imported.');
  expect(alsoWrite).not.toHaveBeenCalled();
  const late = new AbortController();
  const written = load(site, [row(1)], {
    signal: late.signal,
    alsoWrite: async () => late.abort(),
  });
  await expect(written).rejects.toThrow('Stopped; nothing was imported.');
  expect(await storedViews(database.write, site)).toEqual([]);
});

test('a number that JSON cannot represent is an error instead of becoming null', async () => {
  const site = await newSite(database.write);
  for (const fault of [{ browse_sec: Number.NaN }, { title: [Number.POSITIVE_INFINITY] }]) {
    await expect(load(site, [row(1, fault)])).rejects.toThrow('which JSON cannot represent');
  }
  expect(await storedViews(database.write, site)).toEqual([]);
});

test('an import whose rows are stored succeeds, even if statistics could not be refreshed', async () => {
  const site = await newSite(database.write);
  const write = new Proxy(database.write, {
    get: (target, key) =>
      key === 'raw'
        ? (sql: string, bindings: string[] = []) =>
            sql.startsWith('ANALYZE') ? Promise.reject(new Error('no room')) : target.raw(sql, bindings)
        : Reflect.get(target, key),
  });
  const report = await importRows(write, manifest, { material: 'allpv', site, rows: [row(1)] });
  expect(report).toMatchObject({ added: 1, warning: expect.stringContaining('no room') });
  expect(await load(site, [row(2)])).not.toHaveProperty('warning');
  expect(await storedViews(database.write, site)).toHaveLength(2);
});

test('statistics are refreshed when there are enough new rows in proportion to the stored ones', async () => {
  const site = await newSite(database.write);
  const estimate = async (): Promise<number> => {
    const answer: { rows: { rows: number }[] } = await database.write.raw(
      `SELECT reltuples::float8 AS rows FROM pg_class WHERE oid = 'analytics.page_view'::regclass`,
    );
    return answer.rows[0]?.rows ?? -1;
  };
  const rows = (from: number, count: number) => Array.from({ length: count }, (_, n) => row(from + n));
  await load(site, rows(1000, 700));
  const known = await estimate();
  expect(known).toBeGreaterThanOrEqual(700);
  expect(known).toBeLessThan(1000);
  await load(site, rows(2000, 5));
  expect(await estimate()).toBe(known);
  await load(site, rows(3000, 5));
  expect(await estimate()).toBe(known + 10);
});
