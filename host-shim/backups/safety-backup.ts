// Writes a backup before the whole database is changed, by a migration or by an upgrade of PostgreSQL.
import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Knex } from 'knex';
import { writeBackup } from '../../db/backup/write-backup';
import type { BackupQuestion } from '../../db/migrate';
import {
  type Clock,
  createFolder,
  giveToOwnerOf,
  type Log,
  messageOf,
  programVersion,
} from '../extension-api';
import type { Config } from '../server/config';
import { backupName, folderOf, listBackups, removeUnfinished } from './backup-folder';
import { requireRoom } from './require-room';

interface SafetyBackup {
  readonly write: Knex;
  readonly config: Pick<Config, 'dataDir' | 'backupDir' | 'backupRecipients'>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** The prefix of the file name. The last `kept` backups with this prefix are kept. */
  readonly prefix: string;
  readonly kept: number;
  readonly questions?: readonly BackupQuestion[];
  /** Additional bytes that DATA_DIR needs for a database of this size. */
  roomInDataDir?(databaseBytes: number): number;
}

/** A backup's size as a fraction of the size of the database, which has indexes and is not compressed. */
const SHARE = 0.5;

/**
 * Writes into QAL_BACKUP_DIR, or, if that is not set or backups are encrypted, into `backups` in DATA_DIR: this backup is never
 * encrypted, because an upgrade of PostgreSQL reads it back. Returns the file. Throws if there is not enough space. Only one
 * process at a time may do this.
 */
export async function writeSafetyBackup(options: SafetyBackup): Promise<string> {
  const { config, clock, prefix } = options;
  const isHere = config.backupDir === undefined || config.backupRecipients !== undefined;
  const folder = isHere ? join(config.dataDir, 'backups') : await folderOf(config);
  await createFolder(folder, 0o700);
  // A killed process may have left unfinished files.
  await removeUnfinished(folder, prefix);
  await requireSpace(folder, options);
  const file = join(folder, `${prefix}${backupName(clock())}`);
  await writeBackup({ ...options, file, program: programVersion() });
  await giveToOwnerOf(folder, file);
  for (const old of (await listBackups(folder, prefix)).slice(options.kept))
    await rm(old.path, { force: true });
  return file;
}

async function requireSpace(folder: string, { write, config, roomInDataDir = () => 0 }: SafetyBackup) {
  const { dataDir } = config;
  const isOneDisk = (await stat(folder)).dev === (await stat(dataDir)).dev;
  const forFile = (bytes: number) => SHARE * bytes;
  const forBoth = (bytes: number) => forFile(bytes) + roomInDataDir(bytes);
  await requireRoom({ write, folder, what: 'It', bytesFor: isOneDisk ? forBoth : forFile });
  if (!isOneDisk) await requireRoom({ write, folder: dataDir, what: 'It', bytesFor: roomInDataDir });
}

interface UpgradeOptions extends Pick<SafetyBackup, 'write' | 'clock' | 'signal'> {
  readonly config: SafetyBackup['config'] & Pick<Config, 'backupBeforeUpgrade'>;
  readonly log: Log;
}

/** Throws if the backup fails (for example, for lack of space), so that nothing is migrated. */
export async function backUpBeforeUpgrade({ config, log, ...options }: UpgradeOptions): Promise<void> {
  if (!config.backupBeforeUpgrade) return;
  try {
    const file = await writeSafetyBackup({ ...options, config, prefix: 'before-upgrade-', kept: 2 });
    log.warn({ file }, 'Wrote a backup before the migration.');
  } catch (error) {
    throw new Error(
      `The database was not migrated, because the backup before the migration failed: ${messageOf(error)} ` +
        'Set QAL_BACKUP_DIR to a folder with enough room, or QAL_BACKUP_BEFORE_UPGRADE=off if you have a backup.',
      { cause: error },
    );
  }
}
