// A command's files share one import record, and so do the lines of a followed log.
import { appendFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { seededRandom } from '../../../extension/data/demo/random';
import { ImportError } from '../../../extension/data/import/import-error';
import { importOf, killedFollowRuns, listImports } from '../../../extension/data/import/import-record';
import { importRows } from '../../../extension/data/import/import-rows';
import { importTogether } from '../../../extension/data/import/import-together';
import { openRunRecord, type RunRecord } from '../../../extension/data/import/run-record';
import { undoImport } from '../../../extension/data/removal/undo-import';
import { inTransaction } from '../../../extension/data/storage/in-transaction';
import { lockSiteData } from '../../../extension/data/storage/site-locks';
import { tries } from '../../support/long-run';
import { type ProgramProcess, useProgram } from '../../support/program-process';
import { runCommand } from '../../support/run-command';
import { until } from '../../support/until';
import { useTestDatabase } from '../../support/use-database';
import { useFolder } from '../../support/use-folder';
import { countViews, dataVersion, manifest, newSite, row, storedViews } from './import-setup';
import { siteContents } from './site-contents';

const database = useTestDatabase();
const program = useProgram(join(__dirname, '../../../host-shim/cli/qal.ts'));
const folder = useFolder();

type Rows = readonly (object | string)[];
const ndjson = (rows: Rows) =>
  rows.map((one) => `${typeof one === 'string' ? one : JSON.stringify(one)}\n`).join('');

async function importAll(
  site: string,
  files: readonly Rows[],
  options: readonly string[] = [],
  material = 'allpv',
) {
  const names: string[] = [];
  for (const [index, rows] of files.entries()) {
    const name = join(folder, `${index + 1}.ndjson`);
    await writeFile(name, ndjson(rows));
    names.push(name);
  }
  return runCommand({ database }, ['import', material, ...names, '--site', site, ...options]);
}

const importsOf = async (site: string) =>
  (await listImports(database.read, { sites: [site] })).imports.toReversed();

const clock = () => new Date('2026-05-01T10:00:00Z');
const undo = (importId: number) =>
  undoImport({ write: database.write, manifest, importId, login: 'local', clock });
const titles = async (site: string) =>
  (await storedViews(database.write, site)).map(({ url, os }) => [url.slice(20), os]);

describe("a command's files", () => {
  test('share a record and a transaction if they are small, and later files correct earlier ones', async () => {
    const site = await newSite(database.write);
    const before = await dataVersion(database.write, site);
    const { code, out } = await importAll(site, [
      [row(1, { pv_id: 1, os: 'a' }), row(2, { pv_id: 2, os: 'a' })],
      [row(1, { pv_id: 1, os: 'b' })],
      [row(1, { pv_id: 1, os: 'c' }), row(3, { os: 'c' }), row(3, { os: 'c' })],
    ]);
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(/^files +3\nformat +ndjson\nread +6\nadded +3\nupdated +2 .*\nunchanged +1 /),
    ]);
    expect(await titles(site)).toEqual([
      ['1', 'c'],
      ['2', 'a'],
      ['3', 'c'],
    ]);
    expect(await dataVersion(database.write, site)).toBe(before + 1);
    const imports = await importsOf(site);
    expect(imports).toMatchObject([
      {
        status: 'done',
        canUndo: true,
        source: `${join(folder, '1.ndjson')} and 2 more files`,
        read: 6,
        added: 3,
        updated: 2,
        unchanged: 1,
        error: null,
      },
    ]);
    await undo(imports[0]?.importId ?? 0);
    expect(await titles(site)).toEqual([]);
  });

  test('that are large are imported in separate transactions, and undoing them restores the state before the first', async () => {
    const site = await newSite(database.write);
    await importRows(database.write, manifest, {
      material: 'allpv',
      site,
      rows: [row(1, { pv_id: 1, os: 'old' })],
    });
    const before = await dataVersion(database.write, site);
    const large = `${' '.repeat(900_000)}\n`.repeat(10);
    await importAll(site, [
      [row(1, { pv_id: 1, os: 'a' }), row(2, { pv_id: 2, os: 'a' }), large],
      [row(1, { pv_id: 1, os: 'b' }), row(2, { pv_id: 2, os: 'b' }), large],
    ]);
    expect(await titles(site)).toEqual([
      ['1', 'b'],
      ['2', 'b'],
    ]);
    expect(await dataVersion(database.write, site)).toBe(before + 2);
    const [, both, ...others] = await importsOf(site);
    expect(both).toMatchObject({ status: 'done', read: 4, added: 1, updated: 3 });
    expect(others).toEqual([]);
    await undo(both?.importId ?? 0);
    expect(await titles(site)).toEqual([['1', 'old']]);
  });

  test('are separate records with --each-file', async () => {
    const site = await newSite(database.write);
    await importAll(site, [[row(1)], [row(2)]], ['--each-file']);
    expect(await importsOf(site)).toMatchObject([
      { status: 'done', source: join(folder, '1.ndjson'), added: 1 },
      { status: 'done', source: join(folder, '2.ndjson'), added: 1 },
    ]);
  });

  test('stay imported if a later one fails; the record names the failed file', async () => {
    const site = await newSite(database.write);
    const bad = row(3, { access_time: 'noon' });
    const { code, err } = await importAll(site, [[row(1)], [row(2)], [bad], [row(4)]]);
    const [third] = [join(folder, '3.ndjson')];
    expect([code, err]).toEqual([1, expect.stringContaining(`${third}: Line 1, column access_time`)]);
    expect(err).toContain('The 2 files before it stay imported.');
    expect(await titles(site)).toHaveLength(2);
    const [imported, ...others] = await importsOf(site);
    expect(others).toEqual([]);
    expect(imported).toMatchObject({
      status: 'partial',
      added: 2,
      read: 2,
      canUndo: true,
      error: expect.stringContaining(`${third}: Line 1, column access_time`),
    });
    await undo(imported?.importId ?? 0);
    expect(await titles(site)).toEqual([]);
  });

  test('have their rejected rows recorded by file and line, and written next to the file that contained them', async () => {
    const site = await newSite(database.write);
    const { out } = await importAll(
      site,
      [
        ['first', row(1)],
        [row(2), 'second'],
      ],
      ['--on-error', 'skip'],
    );
    const [one, two] = ['1.ndjson', '2.ndjson'].map((name) => join(folder, name));
    expect(out).toContain(`(see ${one}.rejected.ndjson, ${two}.rejected.ndjson)`);
    const [imported] = await importsOf(site);
    const found = await importOf(database.read, imported?.importId ?? 0);
    expect(found?.rejections).toMatchObject([
      { file: one, line: 1, value: '"first"' },
      { file: two, line: 2, value: '"second"' },
    ]);
    const shown = await runCommand({ database }, ['imports', 'show', String(imported?.importId)]);
    expect(shown.out).toContain(`${two}, line 2`);
  });

  test('with the same clicks store them once, as they would if imported one by one', async () => {
    const site = await newSite(database.write);
    await importAll(site, [[row(1, { pv_id: 1 })]]);
    const clicks = [5, 5, 7].map((event_sec) => ({ pv_id: 1, event_sec, selector: '#buy' }));
    const { out } = await importAll(site, [clicks, clicks], [], 'click_event');
    expect(out).toMatch(/read +6\nadded +3\nunchanged +3 /);
  });

  test('of different formats are imported one after another in separate transactions', async () => {
    const site = await newSite(database.write);
    const log =
      '203.0.113.7 - - [02/Mar/2026:09:15:00 +0000] "GET /a HTTP/1.1" 200 5 "-" "Mozilla/5.0 Firefox/140.0"';
    const { code, out } = await importAll(site, [[row(1)], [log], [row(2)]]);
    expect([code, out]).toEqual([0, expect.stringMatching(/format +ndjson, combined\nread +3\nadded +3/)]);
    expect(await importsOf(site)).toMatchObject([{ status: 'done', format: 'ndjson, combined', added: 3 }]);
  });

  test('that need another transaction are closed unread, and are not counted yet', async () => {
    const site = await newSite(database.write);
    const first = ndjson([row(1)]);
    const line = '203.0.113.7 - - [02/Mar/2026:09:15:00 +0000] "GET /a HTTP/1.1" 200 5 "-" "Mozilla/5.0"\n';
    const other = Readable.from([Buffer.from(line)]);
    const options = {
      write: database.write,
      manifest,
      material: 'allpv',
      site,
      source: 'two files',
    } as const;
    const report = await importTogether({ ...options, onError: 'stop', clock: () => new Date() }, [
      { open: async () => Readable.from([first]) },
      { open: async () => other },
    ]);
    expect([report.files, other.destroyed]).toEqual([1, true]);
    expect(await importsOf(site)).toMatchObject([{ bytes: first.length }]);
  });

  test.each([1, 2, 3].slice(0, tries(1, 3)))(
    'store the same rows whether they are imported together or one by one (seed %i)',
    async (seed) => {
      const { between } = seededRandom(seed);
      const pick = (count: number) => between(0, count - 1);
      const files = Array.from({ length: 12 }, () => {
        const rows = new Map<string, object>();
        for (let i = 0; i < 8; i += 1) {
          const number = pick(30);
          const named = number % 2 === 0 ? { pv_id: number + 1 } : {};
          const who = number % 3 === 0 ? {} : { original_id: `visitor ${number % 5}` };
          rows.set(`${number}`, {
            ...row(number * 700, { ...named, ...who, title: `title ${pick(3)}`, os: `os ${pick(2)}` }),
          });
        }
        return [...rows.values()];
      });
      const [together, apart] = [await newSite(database.write), await newSite(database.write)];
      expect(await importAll(together, files)).toMatchObject({ code: 0 });
      expect(await importAll(apart, files, ['--each-file'])).toMatchObject({ code: 0 });
      expect(await siteContents(database.write, together)).toEqual(await siteContents(database.write, apart));
      const counts = (imports: Awaited<ReturnType<typeof importsOf>>) =>
        (['read', 'added', 'updated', 'unchanged'] as const).map((name) =>
          imports.reduce((sum, one) => sum + one[name], 0),
        );
      expect(counts(await importsOf(together))).toEqual(counts(await importsOf(apart)));
      const [one] = await importsOf(together);
      await undo(one?.importId ?? 0);
      expect(await titles(together)).toEqual([]);
    },
  );
});

const KILLED = {
  material: 'allpv',
  status: 'following',
  rows_read: 1,
  rows_added: 1,
  rows_unchanged: 0,
  rows_rejected: 0,
};

describe('a followed log', () => {
  let now = new Date('2026-05-01T10:00:00Z');
  let record: RunRecord;
  beforeEach(() => {
    record = openRunRecord(database.write, () => now, 'following');
  });
  afterEach(() => record.close());

  const tick = (site: string, rows: Rows) =>
    importTogether(
      {
        write: database.write,
        manifest,
        material: 'allpv',
        site,
        source: 'access.log',
        wait: true,
        onError: 'stop',
        clock: () => now,
        format: 'ndjson',
        record,
        continues: true,
        undoableImports: 1,
      },
      [{ open: async () => Readable.from([ndjson(rows)]) }],
    );

  test('has a single record until it stops; the record is undone as a whole', async () => {
    const site = await newSite(database.write);
    await tick(site, [row(1, { pv_id: 1, os: 'a' })]);
    await tick(site, [row(2, { pv_id: 2, os: 'a' })]);
    await tick(site, [row(1, { pv_id: 1, os: 'b' }), row(2, { pv_id: 2, os: 'a' })]);
    const [following, ...others] = await importsOf(site);
    expect(others).toEqual([]);
    expect(following).toMatchObject({ status: 'following', read: 4, added: 2, updated: 1, unchanged: 1 });
    await record.close();
    expect(await importsOf(site)).toMatchObject([{ status: 'done', canUndo: true }]);
    await undo(following?.importId ?? 0);
    expect(await titles(site)).toEqual([]);
  });

  test("has a new record after midnight in the site's time zone", async () => {
    const site = await newSite(database.write);
    await database.write('analytics.site').where({ tracking_id: site }).update({ timezone: 'Asia/Tokyo' });
    now = new Date('2026-05-01T14:59:00Z');
    await tick(site, [row(1)]);
    now = new Date('2026-05-01T15:00:00Z');
    await tick(site, [row(2)]);
    now = new Date('2026-05-02T14:59:00Z');
    await tick(site, [row(3)]);
    expect(await importsOf(site)).toMatchObject([
      { status: 'done', added: 1 },
      { status: 'following', added: 2 },
    ]);
  });

  test.each([
    [
      'another import',
      (site: string) => importRows(database.write, manifest, { material: 'allpv', site, rows: [row(9)] }),
    ],
    [
      'an import of the same rows',
      (site: string) => importRows(database.write, manifest, { material: 'allpv', site, rows: [row(1)] }),
    ],
    ['a direct change', () => database.write.raw('UPDATE analytics.page_view SET deep_read = true')],
  ])('starts a new record after %s', async (_name, change) => {
    const site = await newSite(database.write);
    await tick(site, [row(1)]);
    await change(site);
    await tick(site, [row(2)]);
    await tick(site, [row(3)]);
    const mine = (await importsOf(site)).filter(({ source }) => source === 'access.log');
    expect(mine).toMatchObject([
      { status: 'done', added: 1 },
      { status: 'following', added: 2 },
    ]);
  });

  test('starts a new record after an undo, and an error ends the record', async () => {
    const site = await newSite(database.write);
    await tick(site, [row(1)]);
    const [first] = await importsOf(site);
    await undo(first?.importId ?? 0);
    await tick(site, [row(2)]);
    await expect(tick(site, ['nonsense'])).rejects.toThrow(ImportError);
    expect(await importsOf(site)).toMatchObject([
      { status: 'undone' },
      { status: 'partial', added: 1, error: expect.stringContaining('Line 1') },
    ]);
    await tick(site, [row(3)]);
    expect((await importsOf(site)).at(-1)).toMatchObject({ status: 'following', added: 1 });
  });

  test('has a finished record once the command stops, and keeps its position when the record is undone', async () => {
    const site = await newSite(database.write);
    const log = join(folder, 'access.log');
    const followUntil = async (views: number, more: () => Promise<void>) => {
      const stopped = new AbortController();
      const args = ['import', 'allpv', log, '--site', site, '--follow', '--every', '1'];
      const running = runCommand({ database, signal: stopped.signal }, args);
      await until(async () => (await countViews(database.write, site)) >= views - 1);
      await more();
      await until(async () => (await countViews(database.write, site)) >= views);
      stopped.abort();
      return running;
    };
    await writeFile(log, ndjson([row(1)]));
    await followUntil(2, () => appendFile(log, ndjson([row(2)])));
    const [followed, ...others] = await importsOf(site);
    expect([followed, others]).toMatchObject([{ status: 'done', added: 2 }, []]);
    await undo(followed?.importId ?? 0);
    await followUntil(1, () => appendFile(log, ndjson([row(3)])));
    expect(await titles(site)).toEqual([['3', null]]);
  });

  test('without new lines has no record, and a record without changes does not make an earlier import final', async () => {
    const site = await newSite(database.write);
    const log = join(folder, 'access.log');
    const first = await importRows(database.write, manifest, { material: 'allpv', site, rows: [row(1)] });
    for (let times = 0; times < 2; times += 1) {
      await tick(site, [row(1)]);
      await record.close();
    }
    const recorded = await importsOf(site);
    expect(recorded).toHaveLength(3);
    expect(recorded[0]).toMatchObject({ importId: first.importId, canUndo: true });
    await writeFile(log, '');
    const stopped = new AbortController();
    const running = runCommand({ database, signal: stopped.signal }, [
      'import',
      'allpv',
      log,
      '--site',
      site,
      '--follow',
      '--every',
      '1',
    ]);
    const { site_id } = await database.write('analytics.site').where('tracking_id', site).first();
    await until(async () => (await database.write('analytics.followed_file').where({ site_id })).length > 0);
    stopped.abort();
    expect(await running).toMatchObject({ code: 0, out: '' });
    expect(await importsOf(site)).toEqual(recorded);
  });

  test('whose command was killed continues its record even without a new line, until the new command stops', async () => {
    const site = await newSite(database.write);
    const log = join(folder, 'access.log');
    await writeFile(log, '');
    const { site_id } = await database.write('analytics.site').where('tracking_id', site).first();
    await database
      .write('analytics.import_run')
      .insert({ ...KILLED, site_id, source: 'logs/access.log', started_at: now });
    const killedLogs = async () =>
      (await killedFollowRuns(database.read, now)).filter(({ trackingId }) => trackingId === site);
    expect(await killedLogs()).toHaveLength(1);
    const stopped = new AbortController();
    const args = ['import', 'allpv', log, '--site', site, '--follow', '--every', '1'];
    const running = runCommand({ database, signal: stopped.signal }, args);
    await until(async () => (await killedLogs()).length === 0);
    expect(await database.write('analytics.import_run').where({ site_id })).toMatchObject([
      { status: 'following' },
    ]);
    stopped.abort();
    await running;
    expect(await database.write('analytics.import_run').where({ site_id })).toMatchObject([
      { status: 'done' },
    ]);
  });

  test('whose command was killed is not continued by a different log with the same name', async () => {
    const site = await newSite(database.write);
    const { site_id: siteId } = await database.write('analytics.site').where('tracking_id', site).first();
    await database
      .write('analytics.import_run')
      .insert({ ...KILLED, site_id: siteId, source: 'a/access.log', started_at: now });
    const follow = (path: string) =>
      database
        .write('analytics.followed_file')
        .insert({ site_id: siteId, material: 'allpv', path, since: 0, files: '[]' });
    const isKilled = async () =>
      (await killedFollowRuns(database.read, now)).some(({ trackingId }) => trackingId === site);
    const record = openRunRecord(database.write, () => now, 'following');
    try {
      await follow('/a/access.log');
      await follow('/b/access.log');
      await record.resume({ siteId, material: 'allpv', path: '/b/access.log' });
      expect(await isKilled()).toBe(true);
      await database.write('analytics.followed_file').where({ path: '/b/access.log' }).delete();
      const followed = { siteId, material: 'allpv', path: '/a/access.log' };
      await record.resume(followed);
      expect(await isKilled()).toBe(false);
    } finally {
      await record.close();
    }
  });

  test('loses no lines and stores none twice when its command is killed', async () => {
    const site = await newSite(database.write);
    const log = join(folder, 'access.log');
    const start = () => {
      const environment = { DATABASE_URL: database.url, DATA_DIR: folder };
      const args = ['import', 'allpv', log, '--site', site, '--follow', '--every', '1'];
      return program.start(args, environment);
    };
    const kill = async ({ child, ended }: ProgramProcess) => {
      child.kill('SIGKILL');
      await ended;
    };
    const storesViews = (views: number) =>
      until(async () => (await countViews(database.write, site)) >= views);
    await writeFile(log, ndjson([row(1), row(2)]));
    const first = start();
    await storesViews(2);
    await kill(first);
    await appendFile(log, ndjson([row(3)]));
    await inTransaction(database.write, async (client) => {
      await lockSiteData(client, site);
      const second = start();
      const isWaiting = async () => {
        const { rows } = await client.query<{ waiting: boolean }>(
          `SELECT EXISTS (SELECT FROM pg_locks JOIN pg_database ON pg_database.oid = database WHERE datname = current_database()
             AND locktype = 'advisory' AND NOT granted) AS waiting`,
        );
        return rows[0]?.waiting === true;
      };
      await until(isWaiting);
      await kill(second);
    });
    await appendFile(log, ndjson([row(4)]));
    const third = start();
    await storesViews(4);
    await kill(third);
    const isOpen = (status: string) => status === 'running' || status === 'following';
    const ended = async () => (await importsOf(site)).filter(({ status }) => !isOpen(status));
    await until(async () => (await ended()).length >= 3);
    expect(await ended()).toMatchObject([
      { status: 'done', read: 2, added: 2 },
      { status: 'failed', added: 0 },
      { status: 'done', read: 2, added: 2, unchanged: 0 },
    ]);
    expect(await titles(site)).toHaveLength(4);
  });
});
