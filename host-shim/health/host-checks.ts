import { statfs } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { type BackupHealthOptions, checkBackup } from '../backups/backup-health';
import {
  countOf,
  DAY_MS,
  type Finding,
  formatCount,
  type HealthCheck,
  pageAddress,
  type Replicas,
} from '../extension-api';
import type { Extensions } from '../extensions/extensions';
import { checkLogins } from './check-logins';
import { checkRetired } from './check-retired';

export interface HostCheckOptions extends BackupHealthOptions {
  readonly replicas?: Replicas | undefined;
  /** Whether the data directory contains databases that an upgrade of PostgreSQL has replaced. */
  readonly hasRetired?: boolean;
  readonly extensions: Pick<Extensions, 'followedAt' | 'list'>;
  /** Migrations that the database lacks, and migrations that this program does not have. */
  compareMigrations(): Promise<{ readonly missing: readonly string[]; readonly unknown: readonly string[] }>;
  /** The growth of the data on this disk, in bytes per day; null if unknown. */
  dailyGrowth(): Promise<number | null>;
  /** Tests pass their own function. The folder must exist. */
  readDisk?(folder: string): Promise<Disk>;
}

export interface Disk {
  readonly freeBytes: number;
  readonly bytes: number;
}

const SLOW_MS = 500;
const MAX_CLOCK_DIFFERENCE_SECONDS = 5;
const MAX_FOLLOW_AGE_SECONDS = 10;
const UNUSED_DAYS = 180;
const GB = 1e9;
const MIN_DAYS_LEFT = 30;
/** A forecast beyond two years is a guess. */
const MAX_DAYS_SHOWN = 730;

const fine = (brief: string): Finding => ({ state: 'fine', brief });

type VitalOptions = Pick<HostCheckOptions, 'write' | 'compareMigrations'>;

/** These checks also work on a database that has not been migrated. */
export const vitalChecks = (options: VitalOptions): readonly HealthCheck[] => [
  { title: 'Database', isVital: true, isOfServer: true, look: () => lookAtDatabase(options) },
  { title: 'Migrations', isVital: true, look: () => lookAtMigrations(options) },
];

export const hostChecks = (options: HostCheckOptions): readonly HealthCheck[] => [
  ...vitalChecks(options),
  { title: 'Clocks', isOfServer: true, look: () => lookAtClocks(options) },
  { title: 'Disk', isOfServer: true, look: () => lookAtDisk(options) },
  { title: 'Extensions', isOfServer: true, look: () => lookAtExtensions(options) },
  { title: 'Changes by other servers', isOfServer: true, look: async () => lookAtFollowing(options) },
  ...(options.replicas === undefined ? [] : [lookAtReplicas(options.replicas)]),
  { title: 'Application passwords', look: () => lookAtPasswords(options) },
  { title: 'Logins', look: () => checkLogins(options) },
  { title: 'Backup', look: () => checkBackup(options) },
  ...(options.hasRetired === true
    ? [{ title: 'Old database', isOfServer: true, look: () => checkRetired(options) }]
    : []),
];

async function lookAtDatabase({ write }: VitalOptions): Promise<Finding> {
  const started = performance.now();
  await write.raw('SELECT 1');
  const milliseconds = Math.round(performance.now() - started);
  const brief = `responded in ${milliseconds} ms`;
  if (milliseconds < SLOW_MS) return fine(brief);
  return {
    state: 'warning',
    brief,
    about: `The database took ${milliseconds} ms for a trivial statement.`,
    remedy: { text: "Check the load and disk of the database's machine." },
  };
}

async function lookAtMigrations({ compareMigrations }: VitalOptions): Promise<Finding> {
  const { missing, unknown } = await compareMigrations();
  if (missing.length > 0)
    return {
      state: 'failing',
      brief: `${missing.length} missing`,
      about: `The database lacks ${missing.join(', ')}.`,
      remedy: { text: 'Apply them, or restart the server, which applies them too.', command: 'qal migrate' },
    };
  if (unknown.length > 0)
    return {
      state: 'failing',
      brief: `${unknown.length} from a newer version`,
      about: `A newer version of this program has changed the database: ${unknown.join(', ')}.`,
      remedy: { text: 'Start that version here too.' },
    };
  return fine('all applied');
}

async function lookAtClocks({ clock, write }: HostCheckOptions): Promise<Finding> {
  const before = clock().getTime();
  const { rows } = await write.raw<{ rows: { now: Date }[] }>('SELECT clock_timestamp() AS now');
  const here = (before + clock().getTime()) / 2;
  const seconds = Math.round(((rows[0]?.now.getTime() ?? here) - here) / 1000);
  if (Math.abs(seconds) <= MAX_CLOCK_DIFFERENCE_SECONDS) return fine('program and database agree');
  const apart = `${formatCount(Math.abs(seconds))} s`;
  return {
    state: 'warning',
    brief: `${apart} apart`,
    about: `The database's clock is ${apart} ${seconds > 0 ? 'ahead of' : 'behind'} the program's. Sessions, rate limits and the age of data are wrong by this much.`,
    remedy: { text: 'Synchronize the clocks of both machines with a time service (NTP).' },
  };
}

/** Looks at the nearest existing folder: with an external database, the data directory may not exist. */
async function readDisk({ dataDir, readDisk: read = diskOf }: HostCheckOptions): Promise<Disk> {
  let folder = resolve(dataDir);
  for (;;) {
    try {
      return await read(folder);
    } catch (error) {
      if (dirname(folder) === folder) throw error;
      folder = dirname(folder);
    }
  }
}

async function diskOf(folder: string): Promise<Disk> {
  const { bavail, blocks, bsize } = await statfs(folder);
  return { freeBytes: bavail * bsize, bytes: blocks * bsize };
}

async function lookAtDisk(options: HostCheckOptions): Promise<Finding> {
  const growth = await options.dailyGrowth();
  const disk = await readDisk(options);
  return describeDisk(disk, growth !== null && growth > 0 ? Math.floor(disk.freeBytes / growth) : undefined);
}

/** Warns below 10% (on a large disk, 10 GB) or 30 days before the disk is full; fails below 2% (on a large disk, 1 GB). */
function describeDisk({ freeBytes, bytes }: Disk, daysLeft = Number.POSITIVE_INFINITY): Finding {
  const forecast = `full in about ${countOf(daysLeft, 'day')}`;
  const brief = `${Math.floor((freeBytes / bytes) * 100)}% free${daysLeft < MAX_DAYS_SHOWN ? `, ${forecast}` : ''}`;
  const isLow = freeBytes < Math.min(bytes / 10, 10 * GB);
  if (!isLow && daysLeft >= MIN_DAYS_LEFT) return fine(brief);
  return {
    state: freeBytes < Math.min(bytes / 50, GB) ? 'failing' : 'warning',
    brief,
    about: `The data directory's disk has ${(freeBytes / GB).toFixed(1)} of ${(bytes / GB).toFixed(1)} GB free${daysLeft < MAX_DAYS_SHOWN ? `, and will be ${forecast} at the growth rate of recent weeks` : ''}. On a full disk, imports fail and the embedded database stops.`,
    remedy: { text: 'Free up space, or move the data directory to a larger disk.' },
  };
}

async function lookAtExtensions({ extensions }: HostCheckOptions): Promise<Finding> {
  const listed = await extensions.list();
  const failed = listed.filter(
    ({ state, failure, installed }) => failure !== null && (installed || state === 'active'),
  );
  const off = listed.filter(
    ({ state, failure, required }) => required && failure === null && state !== 'active',
  );
  if (failed.length + off.length === 0) return fine('all active extensions are running');
  const needed = off.length > 0 || failed.some(({ required }) => required);
  return {
    state: 'failing',
    brief: failed.length > 0 ? `${failed.length} could not start` : `${off.length} required, but off`,
    about: [
      ...failed.map(({ name, failure }) => `${name} could not start: ${failure}`),
      ...off.map(({ name }) => `${name} is off, but this program needs it.`),
    ].join(' '),
    remedy: {
      text: needed ? 'Fix the cause and activate it again.' : 'Fix the cause and try again, or turn it off.',
      page: { address: pageAddress('extensions'), title: 'Extensions' },
    },
  };
}

/** A server looks for changes every half second. */
function lookAtFollowing({ extensions }: HostCheckOptions): Finding {
  const followedAt = extensions.followedAt();
  if (followedAt === undefined) return fine('checked only by servers');
  const seconds = (performance.now() - followedAt) / 1000;
  const brief = `checked ${seconds.toFixed(1)} s ago`;
  if (seconds < MAX_FOLLOW_AGE_SECONDS) return fine(brief);
  return {
    state: 'warning',
    brief,
    about: `For ${seconds.toFixed(0)} s, this server has not been able to check which extensions other servers turned on or off.`,
    remedy: { text: 'The log shows the reason.' },
  };
}

function lookAtReplicas(replicas: Replicas): HealthCheck {
  const look = async (): Promise<Finding> => {
    const states = replicas.states();
    const gone = states.flatMap(({ place, fault }) => (fault === undefined ? [] : [`${place}: ${fault}`]));
    const sum = (key: 'answered' | 'left') => states.reduce((total, state) => total + state[key], 0);
    const brief = `${states.length - gone.length} of ${states.length} in use, ${countOf(sum('answered'), 'read')} answered, ${sum('left')} passed on`;
    if (gone.length === 0) return fine(brief);
    return {
      state: 'warning',
      brief,
      about: `Not in use: ${gone.join('; ')}. Other servers answer instead.`,
      remedy: {
        text: 'Start each server, or correct its address in DATABASE_READ_URL. Each one is checked once a second, and used again as soon as it responds.',
      },
    };
  };
  return { title: 'Read replicas', isOfServer: true, look };
}

async function lookAtPasswords({ clock, write }: HostCheckOptions): Promise<Finding> {
  const now = clock();
  const since = new Date(now.getTime() - UNUSED_DAYS * DAY_MS);
  const { rows } = await write.raw<{ rows: { login: string; unused: number }[] }>(
    `SELECT u.login, count(*)::integer AS unused
       FROM host.application_passwords p JOIN host.users u USING (user_id)
      WHERE coalesce(p.last_used_at, p.created_at) < ? AND (p.expires_at IS NULL OR p.expires_at > ?)
      GROUP BY u.login ORDER BY u.login`,
    [since, now],
  );
  const unused = rows.reduce((sum, row) => sum + row.unused, 0);
  if (unused === 0) return fine(`none unused for ${UNUSED_DAYS} days`);
  return {
    state: 'warning',
    brief: `${unused} unused for ${UNUSED_DAYS} days`,
    about: `Unused for ${UNUSED_DAYS} days: ${countOf(unused, 'application password')}. Owners: ${rows.map((row) => row.login).join(', ')}.`,
    remedy: {
      text: 'Revoke those that are not needed: a forgotten password can be stolen unnoticed.',
      page: { address: pageAddress('users'), title: 'Users' },
    },
  };
}
