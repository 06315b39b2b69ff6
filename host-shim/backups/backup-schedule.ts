// Writes, checks and copies backups in QAL_BACKUP_DIR, and rehearses restoring them.
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { recordBackup, writeBackup } from '../../db/backup/write-backup';
import type { MigratedSchema } from '../../db/migrate';
import { type Clock, DAY_MS, giveToOwnerOf, type Log, programVersion } from '../extension-api';
import { type JobRun, type JobTools, readJobs, runAlone, runJob } from '../jobs/job-runs';
import type { Config } from '../server/config';
import { backupName, folderOf, pruneBackups, removeUnfinished } from './backup-folder';
import { encryptBackup, encryptedName, plainFile, removeOldPlain, removePlain } from './encrypted-backup';
import { hasRehearsal, rehearseBackup, removeRehearsal } from './rehearse-backup';
import { runBackupCommand } from './run-command';

export interface BackupTools extends JobTools {
  readonly config: Pick<
    Config,
    | 'dataDir'
    | 'pgBinDir'
    | 'backupDir'
    | 'backupAt'
    | 'backupCommand'
    | 'backupRecipients'
    | 'backupRehearsal'
    | 'backupsDaily'
    | 'backupsWeekly'
    | 'backupsMonthly'
  >;
  readonly schemas: readonly MigratedSchema[];
  readonly log: Log;
  readonly signal: AbortSignal;
  onProgress?(table: string, bytes: number): void;
}

/** Names of the jobs in host.job. */
export const BACKUP_JOBS = { write: 'backup', copy: 'backup copy', rehearse: 'backup rehearsal' } as const;

const RETRY_MS = 3_600_000;
const REHEARSAL_DAYS = 30;

/** When the last backup should have begun, in this server's local time. */
export function lastScheduled(now: Date, at: string): Date {
  const [hour, minute] = at.split(':').map(Number);
  const on = (daysAgo: number) =>
    new Date(now.getFullYear(), now.getMonth(), now.getDate() - daysAgo, hour, minute);
  return on(0) <= now ? on(0) : on(1);
}

/** After a failure, the next attempt is an hour later. Ignores runs that a wrong clock dated in the future. */
export const isBackupDue =
  (clock: Clock, at: string) =>
  (last: JobRun | undefined): boolean => {
    const now = clock();
    const scheduled = lastScheduled(now, at);
    const isSince = (start: Date, then: Date | null | undefined) =>
      then != null && then >= start && then <= now;
    if (isSince(scheduled, last?.succeededAt)) return false;
    const hourAgo = new Date(now.getTime() - RETRY_MS + 1);
    return !isSince(scheduled > hourAgo ? scheduled : hourAgo, last?.begunAt);
  };

/** Called every minute. Also removes what a killed rehearsal left behind. The log and the health check report failures. */
export async function backUpIfDue(tools: BackupTools): Promise<void> {
  const { clock, config, write, log, signal } = tools;
  const isDue = isBackupDue(clock, config.backupAt);
  if (hasRehearsal(config.dataDir))
    await runAlone(write, BACKUP_JOBS.rehearse, () => removeRehearsal(config));
  // This is checked before the lock is taken, because a backup is rarely due.
  if (config.backupDir === undefined || !isDue((await readJobs(write)).get(BACKUP_JOBS.write))) return;
  await backUpNow(tools, isDue).catch((error: unknown) => {
    if (!signal.aborted) log.error({ err: error }, 'A backup, its copy or its rehearsal failed.');
  });
}

interface WrittenBackup {
  readonly file: string;
  /** The same backup without encryption, for the rehearsal. */
  readonly plain: string;
  readonly bytes: number;
  readonly rows: number;
  readonly tables: number;
}

/** Returns undefined if another process is writing a backup or none is due. Throws a BackupError on failure. */
export async function backUpNow(
  tools: BackupTools,
  isDue: (last: JobRun | undefined) => boolean = () => true,
): Promise<WrittenBackup | undefined> {
  const { config, write, log, signal } = tools;
  const written = await runJob(tools, BACKUP_JOBS.write, isDue, () => writeIntoFolder(tools));
  if (written === undefined) return undefined;
  const { file, plain, bytes, rows, tables } = written;
  log.info({ file, bytes, rows, tables }, 'Wrote and checked a backup.');
  const { backupCommand } = config;
  let fault: unknown;
  const keepFault = (error: unknown) => {
    fault ??= error;
  };
  if (backupCommand !== undefined)
    await runJob(tools, BACKUP_JOBS.copy, always, async () => {
      for (const each of [file, ...ledgersBeside(file, tools)])
        await runBackupCommand({ command: backupCommand, file: each, signal });
    }).catch(keepFault);
  const rehearsed = (await readJobs(write)).get(BACKUP_JOBS.rehearse)?.succeededAt;
  // A date far in the future is also treated as old: the clock was wrong at the time.
  const isOld = (at: Date) => Math.abs(tools.clock().getTime() - at.getTime()) >= REHEARSAL_DAYS * DAY_MS;
  if (config.backupRehearsal && (rehearsed == null || isOld(rehearsed)))
    await rehearse(tools, plain).catch(keepFault);
  if (plain !== file) await removePlain(dirname(plain));
  if (fault !== undefined) throw fault;
  return written;
}

const ledgersBeside = (file: string, { schemas }: Pick<BackupTools, 'schemas'>): readonly string[] =>
  schemas.flatMap(({ ledgers = [] }) => ledgers.map((name) => join(dirname(file), name))).filter(existsSync);

const always = () => true;

/** Returns undefined if another process is rehearsing. Throws a BackupError on failure. */
export const rehearse = (tools: BackupTools, file: string) =>
  runJob(tools, BACKUP_JOBS.rehearse, always, () => rehearseBackup({ ...tools, ...tools.config, file }));

async function writeIntoFolder(tools: BackupTools): Promise<WrittenBackup> {
  const { write, config, schemas, clock, signal } = tools;
  const folder = await folderOf(config);
  // A killed process may have left unfinished files, whose space the new backup may need.
  await removeUnfinished(folder);
  const madeAt = clock();
  const { dataDir, backupRecipients } = config;
  const name = backupName(madeAt);
  await removeOldPlain(dataDir, madeAt);
  const plain = backupRecipients === undefined ? join(folder, name) : await plainFile(dataDir, name);
  const questions = schemas.flatMap((schema) => schema.questions ?? []);
  const program = programVersion();
  const written = await writeBackup({ ...tools, file: plain, program, questions });
  let file = plain;
  let { bytes } = written;
  if (backupRecipients !== undefined) {
    file = join(folder, encryptedName(name));
    bytes = await encryptBackup(plain, file, backupRecipients, signal).catch(async (error: unknown) => {
      await removePlain(dirname(plain));
      throw error;
    });
  }
  await giveToOwnerOf(folder, file);
  await recordBackup(write, { madeAt, bytes });
  await pruneBackups(folder, madeAt, {
    daily: config.backupsDaily,
    weekly: config.backupsWeekly,
    monthly: config.backupsMonthly,
  });
  return { ...written, file, plain, bytes };
}
