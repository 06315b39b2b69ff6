// The backup that a new version writes before it migrates the database.
import { chown, mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { verifyBackup } from '../../db/backup/read-backup';
import { requireRoom } from '../../host-shim/backups/require-room';
import { writeSafetyBackup } from '../../host-shim/backups/safety-backup';
import { PRODUCT } from '../../host-shim/main';
import { configure } from '../../host-shim/server/config';
import { openMigratedDatabase } from '../../host-shim/server/installation';
import { createMemoryLog } from '../support/memory-log';
import { useTestDatabase } from '../support/use-database';
import { useFolder } from '../support/use-folder';

const database = useTestDatabase();
const LAST_MIGRATION = { schema: 'host', name: '0168-jobs' };

const dataDir = useFolder({ perFile: true, inMemory: true });

/** Downgrades the database to the version before `host.job`. */
async function downgrade(): Promise<void> {
  await database.write.raw('DROP TABLE IF EXISTS host.job');
  await database.write('migrations.applied_file').where(LAST_MIGRATION).delete();
}

async function open(
  more: Readonly<Record<string, string>> = {},
  clock = () => new Date(),
  signal?: AbortSignal,
  keepsSchema?: boolean,
) {
  const environment = { DATABASE_URL: database.url, DATABASE_READ_URL: database.readUrl, DATA_DIR: dataDir };
  const { config, extensions: installed } = configure(PRODUCT.extensions, { ...environment, ...more });
  const { log } = createMemoryLog();
  const { database: opened, applied } = await openMigratedDatabase({
    config,
    installed,
    log,
    clock,
    keepsSchema,
    ...(signal && { signal }),
  });
  await opened.stop();
  return applied;
}

// conformance: beyond.newer-program-says
test('a backup of the old database is written before the migration, and the last two are kept', async () => {
  expect(await open()).toEqual([]);
  expect(await readdir(dataDir)).toEqual([]);
  const folder = join(dataDir, 'backups');
  // A killed upgrade leaves a file like this.
  await mkdir(folder);
  await writeFile(join(folder, 'before-upgrade-qal-2026-10-31T12-00-00Z.gz.1c3d.part'), 'x');
  for (const day of [1, 2, 3]) {
    await downgrade();
    expect(await open({}, () => new Date(`2026-11-0${day}T12:00:00Z`))).toEqual(['host/0168-jobs']);
  }
  expect((await readdir(folder)).toSorted()).toEqual(
    ['2', '3'].map((day) => `before-upgrade-qal-2026-11-0${day}T12-00-00Z.gz`),
  );
  const file = join(folder, 'before-upgrade-qal-2026-11-03T12-00-00Z.gz');
  const { header, tables } = await verifyBackup(file, new AbortController().signal);
  expect(header.migrations.host).not.toContain('0168-jobs');
  expect(tables.map(({ table }) => table)).not.toContain('job');
});

const isRoot = process.getuid?.() === 0;
(isRoot ? test : test.skip)('a backup that root writes belongs to the owner of the folder', async () => {
  const folder = join(dataDir, 'owned');
  await mkdir(folder);
  await chown(folder, 1, 1);
  await downgrade();
  await open({ QAL_BACKUP_DIR: folder });
  const names = await readdir(folder);
  expect(await Promise.all(names.map(async (name) => (await stat(join(folder, name))).uid))).toEqual([1]);
});

// conformance: beyond.newer-program-says
test('after a stop during the backup, the old database is unchanged and no file is left behind', async () => {
  await downgrade();
  const before = await readdir(join(dataDir, 'backups'));
  await expect(open({}, undefined, AbortSignal.abort())).rejects.toThrow('Stopped; no backup was written.');
  expect(await database.write('migrations.applied_file').where(LAST_MIGRATION)).toEqual([]);
  expect(await readdir(join(dataDir, 'backups'))).toEqual(before);
});

// conformance: beyond.newer-program-says
test('if the backup fails, the database is not migrated unless a setting allows it', async () => {
  await downgrade();
  await expect(open({ QAL_BACKUP_DIR: join(dataDir, 'not-mounted') })).rejects.toThrow(
    /^The database was not migrated, because the backup before the migration failed: The folder .*not-mounted \(QAL_BACKUP_DIR\) does not exist\./,
  );
  expect(await database.write('migrations.applied_file').where(LAST_MIGRATION)).toEqual([]);
  const chosen = { QAL_BACKUP_DIR: join(dataDir, 'not-mounted'), QAL_BACKUP_BEFORE_UPGRADE: 'off' };
  expect(await open(chosen)).toEqual(['host/0168-jobs']);
});

test('a command that does not migrate reports a missing migration', async () => {
  const openUnchanged = () => open({}, undefined, undefined, true);
  expect(await openUnchanged()).toEqual([]);
  await downgrade();
  const before = await readdir(join(dataDir, 'backups'));
  await expect(openUnchanged()).rejects.toThrow('The database lacks 1 migration. Run  qal migrate  first.');
  expect(await database.write('migrations.applied_file').where(LAST_MIGRATION)).toEqual([]);
  expect(await readdir(join(dataDir, 'backups'))).toEqual(before);
  await open({ QAL_BACKUP_BEFORE_UPGRADE: 'off' });
});

test('the error for insufficient disk space contains the folder, the space needed and what to do', async () => {
  const room = { write: database.write, folder: dataDir, what: 'A rehearsal', remedy: 'Free up space.' };
  await expect(requireRoom({ ...room, bytesFor: () => 5e18 })).rejects.toThrow(
    /^A rehearsal needs about 5,000,000,000,000 MB in \S+, which has [\d,]+ MB free\. Free up space\.$/,
  );
  await requireRoom({ ...room, bytesFor: (bytes) => Math.min(bytes, 1) });
});

// conformance: beyond.next-postgresql
test('an upgrade of PostgreSQL requires space for the backup and for the new database', async () => {
  const backup = {
    write: database.write,
    config: { dataDir, backupDir: undefined, backupRecipients: undefined },
    clock: () => new Date(),
    signal: new AbortController().signal,
    prefix: 'before-postgresql-18-',
    kept: 1,
    roomInDataDir: () => 5e18,
  };
  const before = await readdir(join(dataDir, 'backups'));
  const refusal = /^It needs about 5,000,000,\d+,\d+ MB in \S+\/backups, which has/;
  await expect(writeSafetyBackup(backup)).rejects.toThrow(refusal);
  const config = { dataDir, backupDir: '/proc', backupRecipients: undefined };
  await expect(writeSafetyBackup({ ...backup, config })).rejects.toThrow(
    /^It needs about \d+ MB in \/proc, which has 0 MB/,
  );
  expect(await readdir(join(dataDir, 'backups'))).toEqual(before);
});
