// The files in QAL_BACKUP_DIR: how they are named, and which of them are kept.
import { existsSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { BackupError } from '../../db/backup/backup-format';
import { utcText } from '../extension-api';
import type { Config } from '../server/config';

const NAME = /^qal-(\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d)Z\.gz(?:\.age)?(?:(?:\.[\w-]+)?(\.part))?$/;

interface BackupFile {
  readonly path: string;
  readonly madeAt: Date;
}

/** `qal-2026-11-29T03-00-00Z.gz` */
export const backupName = (at: Date): string =>
  `qal-${utcText(at, 'YYYY-MM-DDTHH:mm:ss').replaceAll(':', '-')}Z.gz`;

/** Newest first. Ignores unfinished backups and files with other names. */
export async function listBackups(folder: string, prefix = ''): Promise<readonly BackupFile[]> {
  const found: BackupFile[] = [];
  for (const name of await readdir(folder)) {
    const [, text, isUnfinished] = (name.startsWith(prefix) && NAME.exec(name.slice(prefix.length))) || [];
    if (text === undefined || isUnfinished !== undefined) continue;
    const [day, time = ''] = text.split('T');
    const madeAt = new Date(`${day}T${time.replaceAll('-', ':')}Z`);
    found.push({ path: join(folder, name), madeAt });
  }
  return found.toSorted((one, other) => other.madeAt.getTime() - one.madeAt.getTime());
}

interface KeptBackups {
  readonly daily: number;
  readonly weekly: number;
  readonly monthly: number;
}

const two = (value: number): string => String(value).padStart(2, '0');

/** The local day, week and month. A week is named after its first day, a Monday. */
function periodsOf(at: Date) {
  const day = (date: Date) => `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  const monday = new Date(at.getFullYear(), at.getMonth(), at.getDate() - ((at.getDay() + 6) % 7));
  return { daily: day(at), weekly: day(monday), monthly: day(at).slice(0, 7) };
}

/**
 * Chooses the newest backup of each of the last `daily` days, `weekly` weeks and `monthly` months that have one, so that
 * a long gap in the backups does not cause any to be deleted.
 */
export function chooseKept<File extends Pick<BackupFile, 'madeAt'>>(
  newestFirst: readonly File[],
  kept: KeptBackups,
): ReadonlySet<File> {
  const chosen = new Set<File>();
  for (const unit of ['daily', 'weekly', 'monthly'] as const) {
    const periods = new Set<string>();
    for (const file of newestFirst) {
      const period = periodsOf(file.madeAt)[unit];
      if (periods.has(period)) continue;
      if (periods.size === kept[unit]) break;
      periods.add(period);
      chosen.add(file);
    }
  }
  return chosen;
}

/**
 * Deletes unfinished backups and those that `chooseKept` does not choose. Call this only while no other backup is being written.
 * Backups that a wrong clock dated in the future are neither counted nor deleted.
 */
export async function pruneBackups(folder: string, now: Date, kept: KeptBackups): Promise<void> {
  const files = (await listBackups(folder)).filter(({ madeAt }) => madeAt <= now);
  const chosen = chooseKept(files, kept);
  for (const file of files) if (!chosen.has(file)) await rm(file.path, { force: true });
  await removeUnfinished(folder);
}

export async function removeUnfinished(folder: string, prefix = ''): Promise<void> {
  for (const name of await readdir(folder)) {
    const isUnfinished = name.startsWith(prefix) && NAME.exec(name.slice(prefix.length))?.[2] !== undefined;
    if (isUnfinished) await rm(join(folder, name), { force: true });
  }
}

/** Does not create the folder: it may belong to a disk that is not mounted. */
export async function folderOf({ backupDir }: Pick<Config, 'backupDir'>): Promise<string> {
  if (backupDir === undefined)
    throw new BackupError('Specify a file, or set QAL_BACKUP_DIR to the folder for backups.');
  if (existsSync(backupDir)) return backupDir;
  throw new BackupError(
    `The folder ${backupDir} (QAL_BACKUP_DIR) does not exist. Mount its disk, or create it for the account that runs this program.`,
  );
}
