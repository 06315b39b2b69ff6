import { existsSync, statSync } from 'node:fs';
import type { Knex } from 'knex';
import { type Clock, countOf, DAY_MS, type Finding, utcText } from '../extension-api';
import { readJobs } from '../jobs/job-runs';
import { BACKUP_JOBS } from './backup-schedule';

export interface BackupHealthOptions {
  readonly clock: Clock;
  readonly write: Knex;
  readonly dataDir: string;
  readonly backupDir?: string | undefined;
}

/** The age at which the last daily backup is considered late. */
const LATE_DAYS = 2;
const MAX_DAYS = 7;

export const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;

export async function checkBackup(options: BackupHealthOptions): Promise<Finding> {
  const { clock, write, backupDir } = options;
  const last = await lastBackup(write, clock());
  if (backupDir === undefined) return lookAtManual(last, clock());
  const jobs = await readJobs(write);
  const faults = Object.values(BACKUP_JOBS).flatMap((name) => jobs.get(name)?.fault ?? []);
  const days = last === undefined ? undefined : daysSince(last.madeAt, clock());
  const brief =
    last === undefined
      ? 'none yet'
      : `the last is ${countOf(days ?? 0, 'day')} old, ${megabytes(last.bytes)}${isOnSameDisk(options) ? ', on the same disk as the data' : ''}`;
  const isLate = days === undefined || days >= LATE_DAYS;
  if (!isLate && faults.length === 0) return { state: 'fine', brief };
  const about = [
    ...(last === undefined ? ['There is no backup yet.'] : []),
    ...(last !== undefined && isLate ? [`The last backup was written on ${utcText(last.madeAt)}.`] : []),
    ...faults,
  ].join(' ');
  return {
    state: days !== undefined && days >= MAX_DAYS ? 'failing' : 'warning',
    brief: faults.length === 0 ? brief : `${brief}; the last run failed`,
    about,
    remedy: {
      text:
        faults.length === 0
          ? 'A running server writes one every day at QAL_BACKUP_AT. This command writes one now.'
          : 'Fix the cause, then run a backup to check that it works again.',
      command: 'qal backup',
    },
  };
}

const daysSince = (then: Date, now: Date): number =>
  Math.max(0, Math.floor((now.getTime() - then.getTime()) / DAY_MS));

interface LastBackup {
  readonly madeAt: Date;
  readonly bytes: number;
}

/** Ignores backups that a wrong clock dated in the future. */
export const lastBackup = (write: Knex, now: Date): Promise<LastBackup | undefined> =>
  write
    .from('host.backup')
    .where('made_at', '<=', now)
    .orderBy('made_at', 'desc')
    .first<LastBackup | undefined>({ madeAt: 'made_at', bytes: 'bytes' });

function isOnSameDisk({ backupDir, dataDir }: BackupHealthOptions): boolean {
  if (backupDir === undefined || !existsSync(backupDir) || !existsSync(dataDir)) return false;
  return statSync(backupDir).dev === statSync(dataDir).dev;
}

/** Backups made by other programs are not recorded here, so a missing backup is not a problem. */
function lookAtManual(last: LastBackup | undefined, now: Date): Finding {
  if (last === undefined) return { state: 'fine', brief: 'No backup yet', isAmber: true };
  const days = daysSince(last.madeAt, now);
  const brief = `the last is ${countOf(days, 'day')} old`;
  if (days <= MAX_DAYS) return { state: 'fine', brief };
  return {
    state: 'warning',
    brief,
    about: `The last backup by qal backup was written on ${utcText(last.madeAt)}, ${days} days ago.`,
    remedy: {
      text: 'Set QAL_BACKUP_DIR for daily backups, or find out why yours do not run, and write one now.',
      command: 'qal backup FILE',
    },
  };
}
