// A PostgreSQL server at a fixed address that can be crashed, saved and restored. It commits asynchronously, so a crash loses
// confirmed commits.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { serverAccount } from '../../../../db/embedded/account';
import { findBinaries } from '../../../../db/embedded/binaries';
import { settingArguments } from '../../../../db/embedded/launch';
import { readPostmaster } from '../../../../db/embedded/postmaster';
import { asAccount } from '../../../../db/embedded/program';
import { startEmbeddedServer } from '../../../../db/embedded/server';
import { runOnce } from '../../../support/streaming-replica';
import { startWatchdog, throwawayFolder } from '../../../support/throwaway-postgres';

const PATIENCE_MS = 120_000;
const LOSSY_SETTINGS = {
  fsync: 'off',
  synchronous_commit: 'off',
  wal_writer_delay: '10s',
  max_wal_size: '64MB',
};

export interface MovableCluster {
  readonly url: string;
  run(sql: string): Promise<readonly Record<string, unknown>[]>;
  /** Stops the server immediately. Anything that is not in its WAL is lost. */
  crash(): Promise<void>;
  start(): Promise<void>;
  /** Copies the files of the stopped server. `restore` replaces the files with such a copy. */
  save(name: string): Promise<void>;
  restore(name: string): Promise<void>;
  remove(): Promise<void>;
}

const copyTree = (from: string, to: string) => promisify(execFile)('cp', ['-a', from, to]);

export async function createCluster(): Promise<MovableCluster> {
  const dataDir = await mkdtemp(join(throwawayFolder(), 'qal-history-'));
  const watchdog = startWatchdog(dataDir);
  const first = await startEmbeddedServer({
    dataDir,
    onError(error) {
      throw error;
    },
  });
  const { user, database } = first.connection;
  await first.stop();
  const clusterDir = join(dataDir, 'postgres');
  const saved = (name: string) => join(dataDir, `saved-${name}`);
  const account = await serverAccount(clusterDir);
  const { directory } = await findBinaries({ dataDir, account });
  await chmod(dataDir, 0o711);
  const settings = settingArguments({
    listen_addresses: '',
    unix_socket_directories: '.',
    port: '5432',
    max_connections: '100',
    dynamic_shared_memory_type: 'mmap',
    timezone: 'UTC',
    shared_buffers: '32MB',
    ...LOSSY_SETTINGS,
  });
  const url = `postgresql://${user}@localhost/${database}?${new URLSearchParams({ host: clusterDir, port: '5432' })}`;

  async function crash(): Promise<void> {
    const postmaster = await readPostmaster(clusterDir);
    if (postmaster === undefined) return;
    process.kill(postmaster.pid, 'SIGQUIT');
    while ((await readPostmaster(clusterDir)) !== undefined) await pause(20);
  }

  async function start(): Promise<void> {
    const options = { ...asAccount(account, clusterDir), detached: true, stdio: 'ignore' as const };
    spawn(join(directory, 'postgres'), ['-D', '.', ...settings], options).unref();
    for (const before = Date.now(); ; await pause(50)) {
      if ((await runOnce(url, 'SELECT 1').catch(() => undefined)) !== undefined) return;
      if (Date.now() - before > PATIENCE_MS) throw new Error(`The cluster in ${clusterDir} did not start.`);
    }
  }

  return {
    url,
    run: (sql) => runOnce(url, sql),
    crash,
    start,
    async save(name) {
      await rm(saved(name), { recursive: true, force: true });
      await copyTree(clusterDir, saved(name));
    },
    async restore(name) {
      await rm(clusterDir, { recursive: true });
      await copyTree(saved(name), clusterDir);
    },
    async remove() {
      // Keeps this process alive until the shell has removed the directory.
      const keepAlive = setInterval(() => undefined, PATIENCE_MS);
      await crash();
      watchdog.stdin?.end();
      if (watchdog.exitCode === null) await once(watchdog, 'exit');
      clearInterval(keepAlive);
    },
  };
}
