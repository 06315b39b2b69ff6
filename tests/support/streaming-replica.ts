// A primary and its streaming replicas, as temporary servers. The embedded package does not contain pg_basebackup, so a replica
// starts from a copy of the primary's files that is made in backup mode.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, cp, mkdtemp, writeFile } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { giveTo, serverAccount } from '../../db/embedded/account';
import { findBinaries } from '../../db/embedded/binaries';
import { settingArguments } from '../../db/embedded/launch';
import { readPostmaster } from '../../db/embedded/postmaster';
import { asAccount } from '../../db/embedded/program';
import {
  startThrowawayPostgres,
  startWatchdog,
  type ThrowawayPostgres,
  throwawayFolder,
} from './throwaway-postgres';

const REPLICATION = { wal_level: 'replica', max_wal_senders: '8' };
const TIMEOUT_MS = 120_000;

export interface Replica {
  /** The superuser's connection string. */
  readonly url: string;
  /** Runs SQL as the superuser. */
  run(sql: string): Promise<readonly Record<string, unknown>[]>;
  /** Waits until the replica has all of the primary's current data. */
  caughtUp(): Promise<void>;
  promote(): Promise<void>;
  /** Stops the server immediately, as a crash would. `start` starts it again. */
  kill(): Promise<void>;
  start(): Promise<void>;
  remove(): Promise<void>;
}

export const startPrimary = (prefix: string): Promise<ThrowawayPostgres> =>
  startThrowawayPostgres(prefix, REPLICATION);

/** Copies a primary and then follows it. */
export async function startReplica(primary: ThrowawayPostgres, prefix: string): Promise<Replica> {
  const dataDir = await mkdtemp(join(throwawayFolder(), prefix));
  const watchdog = startWatchdog(dataDir);
  const clusterDir = join(dataDir, 'postgres');
  const primaryDir = join(primary.dataDir, 'postgres');
  const account = await serverAccount(primaryDir);
  const { directory } = await findBinaries({ dataDir, account });
  // The servers' account needs access to the primary's socket.
  for (const folder of [dataDir, primary.dataDir]) await chmod(folder, 0o711);
  const slot = basename(dataDir).replace(/\W/g, '_').toLowerCase();
  await copyCluster(primary.url, slot, primaryDir, clusterDir);
  await chmod(clusterDir, 0o700);
  if (account !== null) await giveTo(account, clusterDir);

  const url = new URL(primary.url);
  const conninfo = `host=${url.searchParams.get('host')} port=${url.searchParams.get('port')} user=${url.username}`;
  const settings = settingArguments({
    listen_addresses: '',
    unix_socket_directories: '.',
    port: '5432',
    fsync: 'off',
    max_connections: '200',
    hot_standby: 'on',
    wal_level: 'replica',
    max_wal_senders: '8',
    primary_conninfo: conninfo,
    primary_slot_name: slot,
    wal_retrieve_retry_interval: '100ms',
    dynamic_shared_memory_type: 'mmap',
    timezone: 'UTC',
    shared_buffers: '32MB',
  });
  url.searchParams.set('host', clusterDir);

  const run = (sql: string) => runOnce(url.href, sql);

  async function caughtUp(): Promise<void> {
    const [written] = await runOnce(primary.url, 'SELECT pg_current_wal_insert_lsn() AS place');
    const condition = `SELECT pg_last_wal_replay_lsn() >= '${written?.place}' AS there`;
    for (const before = Date.now(); (await run(condition))[0]?.there !== true; await pause(20))
      if (Date.now() - before > TIMEOUT_MS) throw new Error('The replica did not catch up.');
  }

  async function start(): Promise<void> {
    const options = { ...asAccount(account, clusterDir), detached: true, stdio: 'ignore' as const };
    spawn(join(directory, 'postgres'), ['-D', '.', ...settings], options).unref();
    for (const before = Date.now(); ; await pause(50)) {
      const found = await run('SELECT 1').catch(() => undefined);
      if (found !== undefined) return;
      if (Date.now() - before > TIMEOUT_MS) throw new Error(`The replica in ${clusterDir} did not start.`);
    }
  }

  /** Calls pg_promote without letting it wait, because its snapshot could conflict with changes that must be replayed before the promotion. */
  async function promote(): Promise<void> {
    await run('SELECT pg_promote(false)');
    for (
      const before = Date.now();
      (await run('SELECT pg_is_in_recovery() AS waits'))[0]?.waits !== false;
      await pause(20)
    )
      if (Date.now() - before > TIMEOUT_MS) throw new Error('The replica was not promoted.');
  }

  async function kill(): Promise<void> {
    const postmaster = await readPostmaster(clusterDir);
    if (postmaster === undefined) return;
    process.kill(postmaster.pid, 'SIGQUIT');
    while ((await readPostmaster(clusterDir)) !== undefined) await pause(20);
  }

  async function remove(): Promise<void> {
    await kill();
    watchdog.stdin?.end();
    if (watchdog.exitCode === null) await once(watchdog, 'exit');
  }

  try {
    await start();
  } catch (error) {
    await remove();
    throw error;
  }
  return { url: url.href, run, caughtUp, promote, kill, start, remove };
}

/** Runs SQL on a separate connection. */
export async function runOnce(url: string, sql: string): Promise<readonly Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  client.on('error', () => {});
  try {
    await client.connect();
    return (await client.query(sql)).rows;
  } finally {
    await client.end().catch(() => {});
  }
}

/** Files that belong to a running server. */
const OWN = /^(postmaster\.(pid|opts)|\.s\.PGSQL\..*|pg_wal\/.+|pg_replslot\/.+)$/;

async function copyCluster(url: string, slot: string, from: string, to: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('SELECT pg_create_physical_replication_slot($1, true)', [slot]);
    await client.query("SELECT pg_backup_start('replica', true)");
    // Files may appear and disappear during the copy. Replaying the WAL applies their changes.
    await cp(from, to, {
      recursive: true,
      preserveTimestamps: true,
      filter: (path) => !OWN.test(relative(from, path)),
    });
    const { rows } = await client.query<{ labelfile: string }>('SELECT labelfile FROM pg_backup_stop(false)');
    await writeFile(join(to, 'backup_label'), rows[0]?.labelfile ?? '');
    await writeFile(join(to, 'standby.signal'), '');
  } finally {
    await client.end();
  }
}
