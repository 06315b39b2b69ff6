import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Knex } from 'knex';
import { writeBackup } from '../../db/backup/write-backup';
import { type Clock, createFolder, type Log, programVersion } from '../extension-api';
import type { Config } from '../server/config';
import { backupName, folderOf, listBackups, removeUnfinished } from './backup-folder';
import { requireRoom } from './require-room';

interface UpgradeOptions {
  readonly write: Knex;
  readonly config: Pick<Config, 'dataDir' | 'backupDir' | 'backupBeforeUpgrade'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
}

const PREFIX = 'before-upgrade-';
const KEPT = 2;
/** The size of a backup as a share of the database, which is larger because it has indexes and is not compressed. */
const SHARE = 0.5;

/** Writes into QAL_BACKUP_DIR, or into `backups` in DATA_DIR. Throws if there is not enough space, so that nothing is migrated. */
export async function backUpBeforeUpgrade({
  write,
  config,
  clock,
  log,
  signal,
}: UpgradeOptions): Promise<void> {
  if (!config.backupBeforeUpgrade) return;
  try {
    const folder = config.backupDir === undefined ? join(config.dataDir, 'backups') : await folderOf(config);
    await createFolder(folder, 0o700);
    // Left by an upgrade that was killed. Only one process migrates at a time.
    await removeUnfinished(folder, PREFIX);
    await requireRoom({ write, folder, what: 'It', bytesFor: (bytes) => SHARE * bytes });
    const file = join(folder, `${PREFIX}${backupName(clock())}`);
    await writeBackup({ write, file, program: programVersion(), clock, signal, onProgress: () => {} });
    for (const old of (await listBackups(folder, PREFIX)).slice(KEPT)) await rm(old.path, { force: true });
    log.warn({ file }, 'Wrote a backup before the migration.');
  } catch (error) {
    throw new Error(
      `The database was not migrated, because the backup before it failed: ${error instanceof Error ? error.message : error} ` +
        'Set QAL_BACKUP_DIR to a folder with enough room, or QAL_BACKUP_BEFORE_UPGRADE=off if you have a backup.',
      { cause: error },
    );
  }
}
