// Following a log: new lines, incomplete lines, rotation, truncation, and restarts. Each step is one scan of the file.
import {
  appendFile,
  copyFile,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { findSite } from '../../../extension/data/import/find-site';
import { followFile } from '../../../extension/data/import/follow-file';
import { storedState, storeGap, storeState } from '../../../extension/data/import/followed-files';
import { importFile } from '../../../extension/data/import/import-together';
import { unfinishedPath } from '../../../extension/data/import/rejected-rows';
import { inTransaction } from '../../../extension/data/storage/in-transaction';
import { countryDatabase } from '../../support/country-database';
import { runCommand } from '../../support/run-command';
import { until } from '../../support/until';
import { useTestDatabase } from '../../support/use-database';
import { useFolder } from '../../support/use-folder';
import { countViews, manifest, newSite, storedViews } from './import-setup';

const database = useTestDatabase();
const folder = useFolder();
let log: string;
beforeEach(() => {
  log = join(folder, 'access.log');
});

const DAY = 24 * 60 * 60 * 1000;
let now = new Date();

const line = (path: string) =>
  `203.0.113.7 - - [02/Mar/2026:09:15:00 +0000] "GET /${path} HTTP/1.1" 200 5 "-" "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"`;
const text = (...paths: readonly string[]) => paths.map((path) => `${line(path)}\n`).join('');

/**
 * Follows the log until the steps are done. Each step changes the file before the next scan. Returns the row count of each
 * import, and the warnings.
 */
async function follow(site: string, steps: readonly (() => Promise<unknown>)[]) {
  const { write } = database;
  const key = { siteId: await findSite(write, site), material: 'allpv', path: log };
  const added: number[] = [];
  const warnings: string[] = [];
  const remaining = [...steps];
  await followFile({
    path: log,
    onGap: 'record',
    clock: () => now,
    state: await inTransaction(write, (client) => storedState(client, key)),
    importPiece: (input, _file, check) =>
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
        alsoWrite: async (client) => storeState(client, key, await check()),
      }),
    storeState: (state, gap) =>
      inTransaction(write, async (client) => {
        await storeState(client, key, state);
        if (gap !== undefined)
          await storeGap(client, key, gap, { options: `allpv --site ${site}`, foundAt: new Date(0) });
      }),
    async wait() {
      const step = remaining.shift();
      await step?.();
      return step !== undefined;
    },
    onImported: (report) => void added.push(report.read),
    onWarning: (warning) => void warnings.push(warning),
  });
  return { added, warnings };
}

/** Closes the open gaps of a site, and returns how many there were. */
async function closedGaps(site: string): Promise<number> {
  const { out } = await runCommand({ database }, ['imports', 'gaps']);
  const open = [...out.matchAll(new RegExp(`--site ${site} --gap (\\d+)`, 'g'))];
  for (const [, number = ''] of open)
    expect(await runCommand({ database }, ['imports', 'close-gap', number])).toMatchObject({ code: 0 });
  return open.length;
}

const urls = async (site: string) =>
  (await storedViews(database.write, site)).map(({ url }) => url.split('/').at(-1)).sort();

test('complete new lines are imported, and an incomplete line is imported once it is complete', async () => {
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

// conformance: beyond.log-followed-over
test('after a rotation, the rest of the old file is imported before the new file', async () => {
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

// conformance: beyond.log-followed-over
test('a restart continues where the last run stopped, even after two rotations', async () => {
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

test('if a log is rotated by copying and truncating, its copy is read to the end, even if it is compressed', async () => {
  const site = await newSite(database.write);
  const copyAndTruncate = async () => {
    await copyFile(log, `${log}.1`);
    await truncate(log);
  };
  await writeFile(log, text('a', 'b'));
  const { added, warnings } = await follow(site, [
    async () => {
      await appendFile(log, text('c'));
      await copyAndTruncate();
      await appendFile(log, text('d'));
    },
    async () => {
      await appendFile(log, text('e'));
      await rename(`${log}.1`, `${log}.2`);
      await copyAndTruncate();
      await writeFile(`${log}.1.gz`, gzipSync(await readFile(`${log}.1`)));
      await rm(`${log}.1`);
      await appendFile(log, text('f', 'g', 'h'));
    },
  ]);
  expect([added, warnings]).toEqual([[2, 1, 1, 1, 3], []]);
  expect(await urls(site)).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']);
});

test('a copy of a log that has not been truncated yet is not read, but a new log with the same beginning as the previous one is', async () => {
  const site = await newSite(database.write);
  await writeFile(log, text('a'));
  const { added } = await follow(site, [
    () => copyFile(log, `${log}.1`),
    () => appendFile(log, text('b')),
    async () => {
      await rename(log, `${log}.2`);
      await rm(`${log}.1`);
      await writeFile(log, text('a', 'b', 'c'));
    },
  ]);
  expect(added).toEqual([1, 1, 3]);
  expect(await urls(site)).toEqual(['a', 'b', 'c']);
});

test('late lines in a file that was empty when it was renamed are read, even if it was compressed', async () => {
  const site = await newSite(database.write);
  await writeFile(log, text('a'));
  const { warnings } = await follow(site, [
    async () => {
      await rename(log, `${log}.1`);
      await writeFile(log, '');
    },
    async () => {
      await rename(`${log}.1`, `${log}.2`);
      await rename(log, `${log}.1`);
      await writeFile(log, text('b'));
    },
    async () => {
      await writeFile(`${log}.1.gz`, gzipSync(text('late')));
      await rm(`${log}.1`);
    },
  ]);
  expect(warnings).toEqual([]);
  expect(await urls(site)).toEqual(['a', 'b', 'late']);
});

test('removing an empty log leaves a gap, even if the new log has the same inode', async () => {
  const site = await newSite(database.write);
  await writeFile(log, '');
  const bornAt = async () => (await stat(log, { bigint: true })).birthtimeNs;
  const before = await bornAt();
  await follow(site, []);
  // File system timestamps have a limited resolution.
  do {
    await rm(log);
    await writeFile(log, text('b'));
  } while ((await bornAt()) === before);
  expect((await follow(site, [])).warnings).toEqual([expect.stringContaining('may be missing')]);
  expect(await closedGaps(site)).toBe(1);
  expect(await urls(site)).toEqual(['b']);
});

test.each([
  [
    'a few seconds after it was written',
    0,
    [expect.stringContaining('lines that were written to it late may be missing')],
  ],
  ['a day after it was written', DAY, []],
])('the previous file is removed %s', async (_when, later, expected) => {
  const site = await newSite(database.write);
  now = new Date();
  await writeFile(log, text('a'));
  await follow(site, []);
  await rename(log, `${log}.1`);
  await writeFile(log, text('b'));
  const { warnings } = await follow(site, [
    async () => {
      now = new Date(now.getTime() + later);
    },
    () => rm(`${log}.1`),
  ]);
  expect(warnings).toEqual(expected);
  expect(await closedGaps(site)).toBe(expected.length);
  expect(await urls(site)).toEqual(['a', 'b']);
});

test.each([
  ['kept', [], 0],
  ['removed', [`may be missing`], 1],
] as const)('the first log is rotated before any of it is read, and is %s', async (what, expected, gaps) => {
  const site = await newSite(database.write);
  await writeFile(log, '');
  await follow(site, []);
  await appendFile(log, text('a'));
  await rename(log, `${log}.2`);
  await writeFile(`${log}.1`, text('b'));
  await writeFile(log, text('c'));
  if (what === 'removed') await rm(`${log}.2`);
  const { warnings } = await follow(site, []);
  expect(warnings).toEqual(expected.map((one) => expect.stringContaining(one)));
  expect(await closedGaps(site)).toBe(gaps);
});

test('a folder, a log with a different name and a file with rejected rows next to the log are ignored', async () => {
  const site = await newSite(database.write);
  await mkdir(`${log}.d`);
  await writeFile(log, text('a'));
  await follow(site, []);
  await rename(log, `${log}.1`);
  await writeFile(log, text('b'));
  await writeFile(`${log}.shop2`, text('x'));
  await writeFile(`${log}.rejected.ndjson`, '{}');
  expect((await follow(site, [])).added).toEqual([1]);
  expect(await urls(site)).toEqual(['a', 'b']);
});

describe('a log that is truncated without a copy', () => {
  const command = (...args: readonly string[]) => runCommand({ database }, ['import', 'allpv', ...args]);

  test('leaves a gap; Health shows the command that imports the missing lines, and running it closes the gap', async () => {
    const site = await newSite(database.write);
    await writeFile(log, text('first', 'second'));
    const kept = join(folder, 'kept.log');
    const outcome = await follow(site, [
      async () => {
        await appendFile(log, text('third'));
        await rename(log, kept);
        await writeFile(log, text('x'));
      },
    ]);
    expect(outcome.added).toEqual([2, 1]);
    expect(outcome.warnings).toEqual([expect.stringContaining('qal imports gaps')]);

    const health = await runCommand({ database }, ['health']);
    const shown = new RegExp(`qal import allpv --site ${site} --gap (\\d+) FILE`).exec(
      health.out + health.err,
    );
    const [whole, number = ''] = shown ?? [];
    expect(whole).toBeDefined();
    expect((await runCommand({ database }, ['imports', 'gaps'])).out).toContain(whole);

    const other = join(folder, 'other.log');
    await writeFile(other, text('a', 'b', 'c', 'd'));
    expect(await command(other, '--site', site, '--gap', number)).toMatchObject({
      code: 1,
      err: expect.stringContaining(`is not the file that gap ${number} is in`),
    });
    expect(await command(kept, '--site', site, '--gap', number)).toMatchObject({
      code: 0,
      out: expect.stringContaining('added      1'),
    });
    expect(await urls(site)).toEqual(['first', 'second', 'third', 'x']);
    expect(await command(kept, '--site', site, '--gap', number)).toMatchObject({
      err: expect.stringContaining('There is no open gap'),
    });
  });

  test('stops the follower if the option is set; a gap can be closed without an import', async () => {
    const site = await newSite(database.write);
    await writeFile(log, text('a'));
    await follow(site, []);
    await writeFile(log, text('x'));
    const options = ['--site', site, '--follow', '--format', 'combined'];
    expect(await command(log, ...options, '--on-gap', 'stop')).toMatchObject({
      code: 1,
      err: expect.stringContaining('follow with --on-gap record'),
    });
    expect(await urls(site)).toEqual(['a']);
    await follow(site, []);
    expect(await urls(site)).toEqual(['a', 'x']);
    const gaps = await runCommand({ database }, ['imports', 'gaps']);
    const number = new RegExp(`--site ${site} --gap (\\d+)`).exec(gaps.out)?.[1] ?? '';
    const close = () => runCommand({ database }, ['imports', 'close-gap', number]);
    expect(await close()).toMatchObject({ code: 0, out: `Gap ${number} is closed.\n` });
    expect(await close()).toMatchObject({ code: 1, err: expect.stringContaining('There is no open gap') });
  });
});

test('if a piece cannot be imported, the stored position stays before it', async () => {
  const site = await newSite(database.write);
  await writeFile(log, text('a'));
  await follow(site, []);
  await appendFile(log, `nonsense\n${text('b')}`);
  await expect(follow(site, [])).rejects.toThrow('does not match the format');
  await writeFile(log, text('a', 'b'));
  expect((await follow(site, [])).added).toEqual([1]);
});

test('the command rejects input that cannot be followed', async () => {
  const site = await newSite(database.write);
  const csv = join(folder, 'views.csv');
  await writeFile(csv, 'url,access_time\n');
  const run = (...options: readonly string[]) =>
    runCommand({ database }, ['import', 'allpv', csv, '--site', site, '--follow', ...options]);
  expect(await run()).toMatchObject({
    code: 1,
    err: expect.stringContaining('cannot be followed; only logs and NDJSON can'),
  });
  expect(await run('--dry-run')).toMatchObject({
    code: 2,
    err: expect.stringContaining('cannot be a dry run'),
  });
  expect(await run('--every', 'x')).toMatchObject({
    err: expect.stringContaining('Give a whole number of seconds'),
  });
  expect(await run('--gap', 'x')).toMatchObject({ err: expect.stringContaining('a gap number') });
});

/** Runs the command until the site has this many rows. */
async function followUntil(site: string, rows: number, ...options: readonly string[]) {
  const stopped = new AbortController();
  const args = ['import', 'allpv', log, '--site', site, '--follow', '--every', '1', ...options];
  const running = runCommand({ database, signal: stopped.signal, dataDir: join(folder, 'data') }, args);
  await until(async () => (await countViews(database.write, site)) >= rows);
  stopped.abort();
  return running;
}

test('the command runs until it is stopped', async () => {
  const site = await newSite(database.write);
  await writeFile(log, text('a', 'b'));
  expect((await followUntil(site, 2)).out).toContain('added 2, skipped 0, rejected 0');
});

test('the format of a log that is empty or missing at first is detected from its first lines', async () => {
  const site = await newSite(database.write);
  const running = followUntil(site, 1);
  await writeFile(log, '');
  await appendFile(log, text('a'));
  expect(await running).toMatchObject({ code: 0, out: expect.stringContaining('added 1') });
});

test('rejected rows from all pieces are written to one file', async () => {
  const site = await newSite(database.write);
  const rejected = async (name: string) =>
    (await readFile(name, 'utf8'))
      .trim()
      .split('\n')
      .map((row) => JSON.parse(row).row);
  await writeFile(log, `${text('a')}nonsense\n`);
  await followUntil(site, 1, '--on-error', 'skip');
  await appendFile(log, `more nonsense\n${text('b')}`);
  await followUntil(site, 2, '--on-error', 'skip');
  expect(await rejected(`${log}.rejected.ndjson`)).toEqual(['nonsense', 'more nonsense']);
  const elsewhere = join(folder, 'bad.ndjson');
  await appendFile(log, `again\n${text('c')}`);
  await followUntil(site, 3, '--on-error', 'skip', '--rejected', elsewhere);
  expect(await rejected(elsewhere)).toEqual(['again']);
});

test('rejected rows that cannot be written next to the log go into one file per day, so that old ones can be removed', async () => {
  const site = await newSite(database.write);
  await mkdir(unfinishedPath(`${log}.rejected.ndjson`, site));
  await writeFile(log, `${text('a')}nonsense\n`);
  await followUntil(site, 1, '--on-error', 'skip');
  expect(await readdir(join(folder, 'data', 'rejected'))).toEqual([
    expect.stringMatching(/^[0-9a-f]{8}-2026-05-01-access\.log\.rejected\.ndjson$/),
  ]);
});

test('when the country database is replaced, the new one is used for the next lines', async () => {
  const site = await newSite(database.write);
  const geoip = join(folder, 'countries.mmdb');
  const use = async (country: string) => {
    await writeFile(`${geoip}.new`, countryDatabase({ '203.0.113.0/24': country }));
    await rename(`${geoip}.new`, geoip);
  };
  await use('DE');
  await writeFile(log, text('a'));
  const running = followUntil(site, 2, '--geoip', geoip);
  await until(async () => (await countViews(database.write, site)) === 1);
  await use('AT');
  await appendFile(log, text('b'));
  expect(await running).toMatchObject({ code: 0 });
  const views = await storedViews(database.write, site);
  expect(views.map(({ country_code }) => country_code).sort()).toEqual(['AT', 'DE']);
});
