// Rows of an erased visitor are recognized in files no matter how the id is written, but only if they are from before the
// erasure.
import { Readable } from 'node:stream';
import type { ImportOptions } from '../../../extension/data/import/import-options';
import { importRows } from '../../../extension/data/import/import-rows';
import { importFile } from '../../../extension/data/import/import-together';
import { IMPORT_LIMITS } from '../../../extension/data/import/limits';
import { keepErasures } from '../../../extension/data/removal/erasures';
import { removeData } from '../../../extension/data/removal/remove-data';
import { inTransaction } from '../../../extension/data/storage/in-transaction';
import { applySites } from '../../../extension/data/storage/sites/apply-sites';
import { readSiteEntry } from '../../../extension/data/storage/sites/export-site-file';
import { memoryLedger, removalHost } from '../../support/removal-host';
import { useTestDatabase } from '../../support/use-database';
import { AT, manifest, newSite, row, TINY } from '../import/import-setup';

const database = useTestDatabase();
/** Returns a time later than all rows. */
const clock = () => new Date((AT + 1000) * 1000);

const load = (site: string, material: string, rows: readonly object[], more: Partial<ImportOptions> = {}) =>
  importRows(database.write, manifest, { material, site, rows, ...more });

const erase = (
  site: string,
  visitor: { originalId: string } | { readerId: number },
  host = removalHost(database, clock),
) => removeData({ host, manifest, trackingId: site, login: 'ann' }, { kind: 'visitor', ...visitor });

const ONE_ERASED = { 'rows of erased visitors': 1 };

test.each([
  ['a number', 12, { readerId: 12 }],
  ['a number in a cell', '12', { readerId: 12 }],
  ['a number with leading zeros, which is treated as text', '0012', { originalId: '0012' }],
  ['a number with a fraction, which is treated as text', '12.0', { originalId: '12.0' }],
  ['a number after a space, which is treated as text', ' 12', { originalId: ' 12' }],
  ['a number that is too large', '9007199254740993', { originalId: '9007199254740993' }],
] as const)('an erased visitor is recognized by %s', async (_label, reader_id, visitor) => {
  const site = await newSite(database.write);
  const rows = [row(1, { reader_id })];
  expect((await load(site, 'allpv', rows)).added).toBe(1);
  expect((await erase(site, visitor)).removed).toEqual({ allpv: 1 });
  expect(await load(site, 'allpv', rows)).toMatchObject({ added: 0, skipped: ONE_ERASED });
});

test.each([
  ['a name', { originalId: 'anna' }, { original_id: 'anna' }],
  ['a number', { readerId: 12 }, { reader_id: 12 }],
])('a visitor without stored rows is remembered by %s', async (_label, visitor, ids) => {
  const site = await newSite(database.write);
  expect((await erase(site, visitor)).removed).toEqual({});
  expect(await load(site, 'allpv', [row(1, ids)])).toMatchObject({ added: 0, skipped: ONE_ERASED });
  expect((await load(site, 'allpv', [row(2000, ids)])).added).toBe(1);
});

test('clicks without a time get the time of their page view', async () => {
  const site = await newSite(database.write);
  const click = (pv_id: number) => ({ pv_id, reader_id: 12, event_sec: 1, selector: '#buy' });
  await load(site, 'allpv', [row(1, { pv_id: 1, reader_id: 12 })]);
  await erase(site, { readerId: 12 });
  await load(site, 'allpv', [row(2000, { pv_id: 50, reader_id: 12 })]);
  const clicks = await load(site, 'click_event', [click(50), click(1)]);
  expect([clicks.added, clicks.skipped]).toEqual([1, ONE_ERASED]);
  const view = { ...row(3), reader_id: 12, pv_id: 60, access_time: undefined };
  expect(await load(site, 'allpv', [view])).toMatchObject({ skipped: ONE_ERASED });
});

const BATCH = 100;

async function erasureReads(): Promise<number> {
  const { rows } = await database.write.raw(
    `SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::float8 AS n FROM pg_stat_all_tables
      WHERE relid IN ('analytics.erasure'::regclass, 'analytics.erased_digest'::regclass)`,
  );
  return rows[0].n;
}

const addErasures = (site: string) =>
  database.write.raw(
    `WITH other AS (
       INSERT INTO analytics.erasure (site_id, erasure_id, erased_at)
       SELECT site_id, gen_random_uuid(), now() FROM analytics.site, generate_series(1, 10000) WHERE tracking_id = ? RETURNING *)
     INSERT INTO analytics.erased_digest (site_id, digest, erasure_id, name_no)
     SELECT site_id, sha256(convert_to(erasure_id::text, 'UTF8')), erasure_id, 1 FROM other`,
    [site],
  );

test('an import reads only the hashes of the ids in its rows, one batch at a time, and none for a site without erasures', async () => {
  const site = await newSite(database.write);
  await erase(site, { readerId: 12 });
  await erase(site, { readerId: 13 });
  await addErasures(site);
  await database.write.raw('ANALYZE analytics.erasure, analytics.erased_digest');
  const rows = Array.from({ length: 4 * BATCH }, (_, index) => row(index, { reader_id: index + 1 }));
  const before = await erasureReads();
  const limits = { ...IMPORT_LIMITS, batchRows: BATCH };
  expect(await load(site, 'allpv', rows, { limits })).toMatchObject({
    added: rows.length - 2,
    skipped: { 'rows of erased visitors': 2 },
  });
  // In addition to the hash and the erasure for each of the two rows, the statistics may include reads by other connections.
  const after = await erasureReads();
  expect(after - before).toBeLessThan(rows.length);
  const none = await newSite(database.write);
  expect((await load(none, 'allpv', [row(1, { reader_id: 12 })])).added).toBe(1);
  expect((await erasureReads()) - after).toBeLessThan(100);
});

test('if there are several erasures, the latest one applies', async () => {
  const site = await newSite(database.write);
  await erase(site, { readerId: 12 });
  const at = (AT + 5000) * 1000;
  await removeData(
    {
      host: removalHost(database, () => new Date(at)),
      manifest,
      trackingId: site,
      login: 'ann',
    },
    { kind: 'visitor', readerId: 12 },
  );
  expect(await load(site, 'allpv', [row(4000, { reader_id: 12 })])).toMatchObject({ skipped: ONE_ERASED });
});

test.each([1, 2, 3])(
  'with batches of %d rows, only rows of erased visitors are skipped',
  async (batchRows) => {
    const site = await newSite(database.write);
    await erase(site, { readerId: 12 });
    const rows = Array.from({ length: 7 }, (_, index) => row(index, { reader_id: 10 + (index % 4) }));
    const rejected: number[] = [];
    const report = await load(
      site,
      'allpv',
      [...rows, row(8, { access_time: 'x', reader_id: 14 }), row(9, { access_time: 'x', reader_id: 12 })],
      {
        limits: { ...TINY, batchRows },
        onError: 'skip',
        onRejected: ({ line }) => void rejected.push(line),
      },
    );
    expect(report).toMatchObject({
      read: 9,
      added: 5,
      rejected: 1,
      skipped: { 'rows of erased visitors': 3 },
    });
    expect(rejected).toEqual([8]);
  },
);

test('the first invalid row stops an import, even if a later line cannot be parsed', async () => {
  const site = await newSite(database.write);
  await erase(site, { readerId: 12 });
  const lines = [row(1, { reader_id: 12 }), row(2, { access_time: 'x', reader_id: 13 })].map((one) =>
    JSON.stringify(one),
  );
  const input = Readable.from([Buffer.from([...lines, 'x'].join('\n'))]);
  const options = { source: 'file', material: 'allpv', site, manifest, write: database.write, clock, input };
  await expect(importFile({ ...options, format: 'as-stored', onError: 'stop' })).rejects.toMatchObject({
    place: { line: 2 },
  });
});

test('a preview does not show rows of an erased visitor', async () => {
  const site = await newSite(database.write);
  await erase(site, { originalId: 'anna' });
  const rows = [row(1, { original_id: 'anna' }), row(2, { original_id: 'ben' })];
  const { preview = [], skipped } = await load(site, 'allpv', rows, { dryRun: { rows: 20 } });
  expect(preview.map(({ original_id }) => original_id)).toEqual(['ben']);
  expect(skipped).toEqual(ONE_ERASED);
});

test('the secret of a site with erased visitors cannot be changed', async () => {
  const site = await newSite(database.write);
  const [{ domain, name, timezone }] = await database.write('analytics.site').where({ tracking_id: site });
  const other = { tracking_id: site, domain, name, timezone, import: { visitor_secret: '0a'.repeat(32) } };
  await erase(site, { originalId: 'anna' });
  await expect(applySites(database.write, { sites: [other] })).rejects.toThrow('import.visitor_secret');
  expect(await load(site, 'allpv', [row(1, { original_id: 'anna' })])).toMatchObject({ skipped: ONE_ERASED });
});

test('ids that are text in files are hashed the same way in the database and in an import', async () => {
  const site = await newSite(database.write);
  const mine = row(1, { pv_id: 'é view', session_id: 'visit 7', original_id: 'anna' });
  await load(site, 'allpv', [mine, row(2, { original_id: 'ben' })]);
  await erase(site, { originalId: 'anna' });
  for (const ids of [{ pv_id: 'é view' }, { session_id: 'visit 7' }])
    expect(await load(site, 'allpv', [row(3, ids)])).toMatchObject({ added: 0, skipped: ONE_ERASED });
});

test('a moved site with its secret skips the rows of erased visitors, once it has the list of erasures', async () => {
  const [site, moved] = [await newSite(database.write), await newSite(database.write)];
  const host = removalHost(database, clock);
  await erase(site, { originalId: 'anna' }, host);
  const { site: entry } =
    (await inTransaction(database.write, (client) => readSiteEntry(client, site))) ?? {};
  await applySites(database.write, { sites: [{ ...entry, tracking_id: moved }] });
  const ledger = memoryLedger();
  await ledger.add(
    (await host.openLedger().read()).lines.map((line) => line.replaceAll(`"${site}"`, `"${moved}"`)),
  );
  // The other installation has its own database.
  const [{ site_id }] = await database.write('analytics.site').where({ tracking_id: site });
  await database.write('analytics.erasure').where({ site_id }).delete();
  expect(await keepErasures(removalHost(database, clock, { ledger }))).toBe(false);
  const rows = [row(1, { original_id: 'anna' }), row(2, { original_id: 'ben' })];
  expect(await load(moved, 'allpv', rows)).toMatchObject({ added: 1, skipped: ONE_ERASED });
});

test('the erasures of several visitors are repeated together', async () => {
  const site = await newSite(database.write);
  const ledger = memoryLedger();
  const host = removalHost(database, clock, { ledger });
  const rows = [
    row(1, { pv_id: 1, original_id: 'anna', session_id: 502 }),
    row(2, { pv_id: 2, original_id: 'ben', session_id: 502 }),
    row(3, { pv_id: 3, original_id: 'cleo', session_id: 503 }),
  ];
  await load(site, 'allpv', rows);
  await erase(site, { originalId: 'anna' }, host);
  await erase(site, { originalId: 'ben' }, host);
  // Simulates restoring an older backup. The ledger contains one of the erasures twice, and one for a site that does not exist.
  const [{ site_id }] = await database.write('analytics.site').where({ tracking_id: site });
  await database.write('analytics.erasure').where({ site_id }).delete();
  await load(site, 'allpv', rows.slice(0, 2));
  const [line = ''] = (await ledger.read()).lines;
  await ledger.add([`${line} `, line.replace(site, 'gone')]);

  expect(await keepErasures(host)).toBe(true);
  expect(await keepErasures(host)).toBe(false);
  expect(await load(site, 'allpv', rows)).toMatchObject({
    added: 0,
    unchanged: 1,
    skipped: { 'rows of erased visitors': 2 },
  });
  expect(await load(site, 'allpv', [row(4, { pv_id: 4, session_id: 502 })])).toMatchObject({
    added: 0,
    skipped: ONE_ERASED,
  });
});
