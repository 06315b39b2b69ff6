// Import records: how they are listed, and how their rejected rows are shown.
import { Readable } from 'node:stream';
import { Client } from 'pg';
import { forgetReplaced } from '../../../extension/data/import/forget-replaced';
import type { ImportOptions } from '../../../extension/data/import/import-options';
import { importOf, listImports } from '../../../extension/data/import/import-record';
import { importFile, importTogether } from '../../../extension/data/import/import-together';
import { openRunRecord } from '../../../extension/data/import/run-record';
import { inTransaction } from '../../../extension/data/storage/in-transaction';
import { addSite } from '../../../extension/data/storage/sites/save-site';
import { until } from '../../support/until';
import { useTestDatabase } from '../../support/use-database';
import { manifest, newSite, row, TINY } from './import-setup';

const database = useTestDatabase();

const load = (site: string, lines: readonly (object | string)[], more: Partial<ImportOptions> = {}) => {
  const text = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n');
  return importFile({
    write: database.write,
    manifest,
    material: 'allpv',
    site,
    source: 'views.ndjson',
    format: 'ndjson',
    input: Readable.from([Buffer.from(text)]),
    onError: 'skip',
    clock: () => new Date('2026-05-01T10:00:00Z'),
    ...more,
  });
};

const newest = async (site: string) => {
  const found = (await listImports(database.read, { sites: [site] })).imports[0];
  return found && importOf(database.read, found.importId);
};

test('each rejected row is recorded with its line, column, shortened value and reason', async () => {
  const site = await newSite(database.write);
  await load(site, [
    row(1),
    'not json <script>',
    row(2, { pv: 0 }),
    row(3, { access_time: null }),
    row(4, { device_type: 'x'.repeat(500) }),
    row(5, { url: { deep: [] } }),
  ]);
  const stored = await newest(site);
  expect(stored).toMatchObject({
    read: 6,
    added: 1,
    rejected: 5,
    status: 'done',
    source: 'views.ndjson',
    material: 'allpv',
  });
  expect(stored?.rejections.map(({ line, column, value }) => [line, column, value])).toEqual([
    [2, null, '"not json <script>"'],
    [3, 'pv', '0'],
    [4, 'access_time', null],
    [5, 'device_type', `"${'x'.repeat(116)}...`],
    [6, 'url', '{...}'],
  ]);
  expect(stored?.rejections[1]?.reason).toBe('must be at least 1');
});

test('characters that the database cannot store are replaced', async () => {
  const site = await newSite(database.write);
  const emoji = `${'x'.repeat(115)}😀😀`;
  await load(site, [
    row(1, { ['a\0b'.repeat(200)]: 1 }),
    row(2, { device_type: 'a\0\ud800' }),
    row(3, { device_type: emoji }),
    'a\0',
  ]);
  const rejections = (await newest(site))?.rejections ?? [];
  expect(rejections).toHaveLength(4);
  expect(rejections[0]?.column).toMatch(/^a\\u0000b.*\.\.\.$/);
  expect(rejections[1]?.value).toBe('"a\\u0000\\ud800"');
  expect(rejections[2]?.value).toBe(`"${'x'.repeat(115)}\ufffd...`);
  expect(rejections[3]?.reason).toContain('is not JSON');
});

test('the first 1000 rejected rows are recorded, and all are counted', async () => {
  const site = await newSite(database.write);
  const bad = Array.from({ length: 1005 }, (_, index) => row(index, { pv: 0 }));
  const reported: number[] = [];
  await load(site, [...bad, row(2000)], { onRejected: ({ line }) => void reported.push(line) });
  const stored = await newest(site);
  expect(reported).toHaveLength(1005);
  expect(stored).toMatchObject({ rejected: 1005, added: 1 });
  expect(stored?.rejections).toHaveLength(1000);
  expect(stored?.rejections.at(-1)?.line).toBe(1000);
});

test('rows that only the database can reject are also recorded, in file order', async () => {
  const site = await newSite(database.write);
  await load(site, [row(1, { pv_id: 1, session_id: 1 })]);
  const clicks = Array.from({ length: 12 }, (_, index) => ({
    pv_id: 1,
    session_id: index % 3 === 0 ? 999 : 1,
    event_sec: index % 4 === 1 ? -1 : index,
    selector: 'a',
  }));
  await load(site, clicks, { material: 'click_event', limits: TINY });
  const lines = (await newest(site))?.rejections.map((one) => one.line);
  expect(lines).toEqual([1, 2, 4, 6, 7, 10]);
});

test('an import that stops is recorded as failed, with its user, source, reason and rejected rows', async () => {
  const site = await newSite(database.write);
  const stopped = load(site, [row(1), row(2, { pv: 0 })], {
    onError: 'stop',
    sourceName: 'web-1',
    by: { login: 'ann', through: 'http' },
  });
  await expect(stopped).rejects.toThrow('Line 2');
  const failed = await newest(site);
  expect(failed).toMatchObject({
    status: 'failed',
    login: 'ann',
    through: 'http',
    source: 'views.ndjson',
    sourceName: 'web-1',
    format: 'ndjson',
    read: 2,
    added: 0,
    error: expect.stringContaining('Line 2, column pv'),
  });
  const aborted = new AbortController();
  aborted.abort();
  await expect(load(site, [row(1, { pv: 0 }), row(2)], { signal: aborted.signal })).rejects.toThrow(
    'Stopped',
  );
  expect(await newest(site)).toMatchObject({ status: 'failed', error: 'Stopped; nothing was imported.' });
});

test('a running import is visible to other connections; a killed import is listed as failed', async () => {
  const site = await newSite(database.write);
  let inside: unknown;
  let seconds = 0;
  const input = Readable.from(
    (async function* () {
      yield Buffer.from(`${JSON.stringify(row(1))}\n`);
      yield Buffer.from(`${JSON.stringify(row(2))}\n`);
      inside = await newestWithProgress(site);
    })(),
  );
  await load(site, [], { input, clock: () => new Date(Date.UTC(2026, 4, 1) + 2000 * seconds++) });
  expect(inside).toMatchObject({ status: 'running', added: 0 });
  expect(await newest(site)).toMatchObject({
    status: 'done',
    read: 2,
    added: 2,
    login: 'local',
    through: 'command',
  });
  await database.write.raw(
    `UPDATE analytics.import_run SET status = 'running', finished_at = NULL WHERE import_id = ?`,
    [(await newest(site))?.importId ?? 0],
  );
  expect(await newest(site)).toMatchObject({
    status: 'failed',
    error: 'The importing program stopped or lost its connection; nothing was imported.',
  });
});

describe('an import that fails', () => {
  const RECORD_LOCK = 20_260_732;
  beforeAll(() =>
    database.write.raw(
      `CREATE FUNCTION analytics.hold_record() RETURNS trigger LANGUAGE plpgsql AS
         $$ BEGIN PERFORM pg_advisory_xact_lock_shared(${RECORD_LOCK}); RETURN NEW; END $$;
       CREATE TRIGGER hold_record BEFORE UPDATE ON analytics.import_run
         FOR EACH ROW WHEN (NEW.error IS NOT NULL) EXECUTE FUNCTION analytics.hold_record()`,
    ),
  );
  afterAll(() => database.write.raw('DROP FUNCTION analytics.hold_record() CASCADE'));

  /** Runs a failing import; returns its error, and its record as other connections see it while the failure is being recorded. */
  async function seenDuring<T>(site: string, importing: () => Promise<T>) {
    const holder = new Client({ connectionString: database.url });
    await holder.connect();
    try {
      await holder.query(`SELECT pg_advisory_lock(${RECORD_LOCK})`);
      const ended = importing();
      const isWaiting = async () => {
        const { rows } = await holder.query<{ waiting: boolean }>(
          `SELECT EXISTS (SELECT FROM pg_locks JOIN pg_database ON pg_database.oid = database WHERE datname = current_database()
             AND locktype = 'advisory' AND objid = ${RECORD_LOCK} AND NOT granted) AS waiting`,
        );
        return rows[0]?.waiting === true;
      };
      await until(isWaiting);
      const seen = await newest(site);
      await holder.query(`SELECT pg_advisory_unlock(${RECORD_LOCK})`);
      return { seen, error: await ended };
    } finally {
      await holder.end();
    }
  }

  test.each([
    ['its rows', ['nonsense'], 'Line 1', 'running', 'failed'],
    ['a later file', [JSON.stringify(row(1)), 'nonsense'], 'Line 1', 'running', 'partial'],
  ])(
    'because of %s is listed as running until the failure is recorded',
    async (_name, files, reason, during, after) => {
      const site = await newSite(database.write);
      const clock = () => new Date('2026-05-01T10:00:00Z');
      const record = files.length > 1 ? openRunRecord(database.write, clock, 'partial') : undefined;
      const { seen, error } = await seenDuring(site, () =>
        importTogether(
          {
            write: database.write,
            manifest,
            material: 'allpv',
            site,
            source: 'views.ndjson',
            format: 'ndjson',
            onError: 'stop',
            clock,
            ...(record && { record }),
          },
          files.map((text) => ({ open: async () => Readable.from([Buffer.from(text)]) })),
        ).then(
          ({ failure }) => failure?.message,
          ({ message }) => message,
        ),
      );
      await record?.close();
      expect(seen).toMatchObject({ status: during, error: null });
      expect(error).toContain(reason);
      expect(await newest(site)).toMatchObject({ status: after, error: expect.stringContaining(reason) });
    },
  );
});

/** Waits until the progress of the newest import is recorded, and returns the import. */
async function newestWithProgress(site: string): Promise<unknown> {
  for (;;) {
    const run = await newest(site);
    if ((run?.bytes ?? 0) > 0) return run;
  }
}

test('a second import into the same site is rejected and recorded, or waits for its turn', async () => {
  const site = await newSite(database.write);
  let second: Promise<unknown> = Promise.resolve();
  const input = Readable.from(
    (async function* () {
      yield Buffer.from(`${JSON.stringify(row(1))}\n`);
      await expect(load(site, [row(2)])).rejects.toThrow('is running');
      expect(await newest(site)).toMatchObject({
        status: 'failed',
        error: expect.stringContaining('is running'),
      });
      second = load(site, [row(3)], { wait: true });
    })(),
  );
  await load(site, [], { input });
  expect(await second).toMatchObject({ added: 1 });
});

test('a dry run reads and checks the whole file, and writes nothing', async () => {
  const site = await newSite(database.write);
  const report = await load(site, [row(1, { browser: 'Dry Fox' }), row(2, { pv: 0 })], {
    dryRun: { rows: 20 },
  });
  expect(report).toMatchObject({ read: 2, added: 1, rejected: 1, importId: undefined });
  expect(await newest(site)).toBeUndefined();
  const counts = await database.write.raw(
    `SELECT (SELECT count(*)::int FROM analytics.page_view v JOIN analytics.site USING (site_id) WHERE tracking_id = ?) AS views,
            (SELECT count(*)::int FROM analytics.browser WHERE browser = 'Dry Fox') AS browsers`,
    [site],
  );
  expect(counts.rows).toEqual([{ views: 0, browsers: 0 }]);
});

test('a dry run shows the visitors that the import would store', async () => {
  const site = 'dry-visitors';
  const entry = { tracking_id: site, domain: 't.example', name: 'T', timezone: 'UTC', default: false };
  await inTransaction(database.write, (client) => addSite(client, { ...entry, retention_days: null }));
  const rows = [
    { url: 'https://t.example/', access_time: 1_767_226_000, ip: '203.0.113.7', user_agent: 'Firefox' },
  ];
  const { preview = [] } = await load(site, rows, { dryRun: { rows: 20 } });
  await load(site, rows);
  const stored = await database.write.raw(
    'SELECT reader_id::float8 FROM analytics.page_view JOIN analytics.site USING (site_id) WHERE tracking_id = ?',
    [site],
  );
  expect(preview.map(({ reader_id }) => ({ reader_id }))).toEqual(stored.rows);
});

test('imports are listed newest first, for one or all sites, page by page', async () => {
  const site = await newSite(database.write);
  const other = await newSite(database.write);
  await load(site, [row(0)], { source: 'file 0' });
  // Adds 49 records like the one above without running imports.
  await database.write.raw(
    `INSERT INTO analytics.import_run
       (site_id, material, source, started_at, finished_at, rows_read, rows_added, rows_unchanged, rows_rejected)
     SELECT site_id, material, 'file ' || place, started_at, finished_at, rows_read, rows_added, rows_unchanged,
       rows_rejected
     FROM analytics.import_run, generate_series(1, 49) AS place
     WHERE site_id = (SELECT site_id FROM analytics.site WHERE tracking_id = ?)
     ORDER BY place`,
    [site],
  );
  await load(site, [row(50)], { source: 'file 50' });
  await load(other, [row(1)]);
  const all = await listImports(database.read, {});
  expect(all.imports[0]).toMatchObject({ trackingId: other, seconds: 0, read: 1, updated: 0, unchanged: 0 });
  expect(all.imports[0]?.startedAt).toEqual(new Date('2026-05-01T10:00:00Z'));
  const first = await listImports(database.read, { sites: [site] });
  expect(first.imports).toHaveLength(50);
  expect(first.imports[0]?.source).toBe('file 50');
  const rest = await listImports(database.read, { sites: [site], before: first.older ?? 0 });
  expect(rest.imports.map((one) => one.source)).toEqual(['file 0']);
  expect(rest.older).toBeNull();
});

test('an unknown import is not found', async () => {
  expect(await importOf(database.read, 2_000_000_000)).toBeUndefined();
});

test('marking an import as no longer undoable reads the record of each earlier import once', async () => {
  const site = await newSite(database.write);
  const { importId = 0 } = await load(site, [row(1)]);
  const [{ site_id: siteId }] = await database.write('analytics.import_run').where('import_id', importId);
  const EARLIER = 500;
  const read = await inTransaction(
    database.write,
    async (client) => {
      await client.query('UPDATE analytics.import_run SET end_no = $2 WHERE import_id = $1', [
        importId,
        EARLIER + 1,
      ]);
      await client.query(
        `INSERT INTO analytics.import_run (site_id, material, source, on_conflict, format, login, through, status, started_at, rows_read,
           rows_added, rows_unchanged, rows_rejected, end_no, can_undo)
         SELECT $1, 'allpv', 'x', 'replace', 'ndjson', 'local', 'command', 'done', now(), 1, 1, 0, 0, n, n = $2::integer
           FROM generate_series(1, $2::integer) n`,
        [siteId, EARLIER],
      );
      const count = async (): Promise<number> => {
        const { rows } = await client.query(
          `SELECT (seq_tup_read + idx_tup_fetch)::float8 AS n FROM pg_stat_xact_all_tables WHERE relid = 'analytics.import_run'::regclass`,
        );
        return rows[0].n;
      };
      const before = await count();
      await forgetReplaced(client, siteId, 1);
      return (await count()) - before;
    },
    { end: 'ROLLBACK' },
  );
  expect(read).toBeLessThan(3 * EARLIER);
});
