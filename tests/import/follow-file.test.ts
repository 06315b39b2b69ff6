// Following a log: new lines, half a line, rotation, an emptied file, and a restart. Each step is one look at the file.
import { appendFile, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findSite } from '../../extension/import/find-site';
import { type FilePlace, followFile, storedPlace, storePlace } from '../../extension/import/follow-file';
import { importFile } from '../../extension/import/import-file';
import { inTransaction } from '../../extension/storage/in-transaction';
import { runCommand } from '../support/run-command';
import { useTestDatabase } from '../support/use-database';
import { manifest, newSite, storedViews } from './import-setup';

const database = useTestDatabase();
let folder: string;
let log: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'qal-follow-'));
  log = join(folder, 'access.log');
});
afterEach(() => rm(folder, { recursive: true }));

const line = (path: string) =>
  `203.0.113.7 - - [02/Mar/2026:09:15:00 +0000] "GET /${path} HTTP/1.1" 200 5 "-" "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"`;
const text = (...paths: readonly string[]) => paths.map((path) => `${line(path)}\n`).join('');

/** Follows until the steps are done; each changes the file before the next look. Gives what was added by each import. */
async function follow(site: string, steps: readonly (() => Promise<unknown>)[]) {
  const { write } = database;
  const key = { siteId: await findSite(write, site), material: 'allpv', path: log };
  const added: number[] = [];
  const warnings: string[] = [];
  const left = [...steps];
  await followFile({
    path: log,
    place: await inTransaction(write, (client) => storedPlace(client, key)),
    importPiece: (input, place: FilePlace) =>
      importFile({
        write,
        manifest,
        material: 'allpv',
        site,
        input,
        format: 'combined',
        source: 'access.log',
        onError: 'stop',
        clock: () => new Date(0),
        alsoWrite: (client) => storePlace(client, key, place),
      }),
    async wait() {
      const step = left.shift();
      await step?.();
      return step !== undefined;
    },
    onImported: (report) => void added.push(report.read),
    onWarning: (warning) => void warnings.push(warning),
  });
  return { added, warnings };
}

const urls = async (site: string) =>
  (await storedViews(database.write, site)).map(({ url }) => url.split('/').at(-1)).sort();

test('new whole lines are imported, and half a line when its end has come', async () => {
  const site = await newSite(database.write);
  await writeFile(log, text('a'));
  const { added } = await follow(site, [
    () => appendFile(log, text('b', 'c')),
    async () => undefined,
    () => appendFile(log, line('d').slice(0, 50)),
    () => appendFile(log, `${line('d').slice(50)}\n`),
  ]);
  expect(added).toEqual([1, 2, 1]);
  expect(await urls(site)).toEqual(['a', 'b', 'c', 'd']);
});

test('after a rotation the rest of the old file is imported, then the new file', async () => {
  const site = await newSite(database.write);
  await writeFile(log, text('a'));
  const { added, warnings } = await follow(site, [
    async () => {
      await appendFile(log, text('b'));
      await rename(log, `${log}.1`);
      await writeFile(log, text('c'));
    },
  ]);
  expect([added, warnings]).toEqual([[1, 1, 1], []]);
  expect(await urls(site)).toEqual(['a', 'b', 'c']);
});

test('a restart goes on where the last one ended, even after two rotations', async () => {
  const site = await newSite(database.write);
  await writeFile(log, text('a'));
  await follow(site, []);
  await appendFile(log, text('b'));
  await rename(log, `${log}.2`);
  await writeFile(`${log}.1`, text('c'));
  await writeFile(log, text('d'));
  expect((await follow(site, [])).added).toEqual([1, 1, 1]);
  expect(await urls(site)).toEqual(['a', 'b', 'c', 'd']);
  expect((await follow(site, [])).added).toEqual([]);
});

test('a file that was emptied begins anew, and one that is gone is told', async () => {
  const site = await newSite(database.write);
  await writeFile(log, text('first', 'second'));
  const emptied = await follow(site, [() => writeFile(log, text('x'))]);
  expect(emptied.added).toEqual([2, 1]);
  expect(emptied.warnings).toEqual([expect.stringContaining('Import it by its name')]);
  expect(await urls(site)).toEqual(['first', 'second', 'x']);
});

test('a piece that cannot be imported leaves the place before it', async () => {
  const site = await newSite(database.write);
  await writeFile(log, text('a'));
  await follow(site, []);
  await appendFile(log, `nonsense\n${text('b')}`);
  await expect(follow(site, [])).rejects.toThrow('does not fit the format');
  await writeFile(log, text('a', 'b'));
  expect((await follow(site, [])).added).toEqual([1]);
});

test('the command refuses what cannot be followed', async () => {
  const site = await newSite(database.write);
  const csv = join(folder, 'views.csv');
  await writeFile(csv, 'url,access_time\n');
  const run = (...options: readonly string[]) =>
    runCommand({ database }, ['import', 'allpv', csv, '--site', site, '--follow', ...options]);
  expect(await run()).toMatchObject({
    code: 1,
    err: expect.stringContaining('cannot be followed, only logs and NDJSON'),
  });
  expect(await run('--dry-run')).toMatchObject({
    code: 2,
    err: expect.stringContaining('cannot be a dry run'),
  });
  expect(await run('--every', 'x')).toMatchObject({ err: expect.stringContaining('Give whole seconds') });
});

test('the command goes on until it is stopped', async () => {
  const site = await newSite(database.write);
  await writeFile(log, text('a', 'b'));
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
  while ((await urls(site)).length < 2) await new Promise((resolve) => setImmediate(resolve));
  stopped.abort();
  expect((await running).out).toContain('added 2, skipped 0, rejected 0');
});
