import { type ChildProcess, spawn } from 'node:child_process';
import { open, readFile, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Client } from 'pg';
import { giveToOwnerOf } from '../create-folder';
import { machineMemory } from '../machine-memory';
import type { Account } from './account';
import { type Binaries, findBinaries } from './binaries';
import { ensureCluster, serverPath } from './cluster';
import { cannotRunHere, codeOf, EmbeddedServerError } from './errors';
import { connectAsSuperuser } from './host-lock';
import { clearStalePostmaster, hasEnded, mayBePostgres, readPostmaster, stopServer } from './postmaster';
import { asAccount } from './program';
import { prepareSocketPlace, SOCKET_PORT, type SocketPlace } from './socket';

export const START_TIMEOUT_MS = 120_000;
const OCCUPIED_TIMEOUT_MS = 10_000;
const MAX_LOG_BYTES = 8 * 1024 * 1024;

export interface Place {
  readonly dataDir: string;
  readonly clusterDir: string;
  readonly account: Account | null;
  readonly socket: SocketPlace;
  /** How long another process may take to stop the server before the server is considered hung. */
  readonly stopTimeoutMs: number;
}

export interface LaunchOptions {
  readonly pgBinDir?: string | undefined;
  readonly packageDir?: string;
  readonly settings?: ServerSettings;
  readonly stopTimeoutMs?: number;
}

/** Connects to this directory's server once it is ready. Returns undefined if it is not running. */
export async function connectIfRunning(place: Place): Promise<Client | undefined> {
  const before = Date.now();
  for (;;) {
    const postmaster = await readPostmaster(place.clusterDir);
    if (postmaster === undefined) return undefined;
    try {
      return await connectAsSuperuser(place.socket.directory);
    } catch (error) {
      // Without a socket, the server is starting, stopping or dead. A killed server leaves its pid file unchanged.
      const isGone =
        isAbsent(error) && (postmaster.status === 'ready' || !(await mayBePostgres(postmaster.pid)));
      if (isGone) return undefined;
      if (!(isAbsent(error) || isBusy(error)) || Date.now() - before > START_TIMEOUT_MS) throw error;
    }
    await stopHungServer(place, before);
    await wait(20);
  }
}

/** Stops a server whose shutdown is taking too long, because it hangs or the process that was stopping it was killed. */
async function stopHungServer({ clusterDir, stopTimeoutMs }: Place, before: number): Promise<void> {
  const postmaster = await readPostmaster(clusterDir);
  if (postmaster?.status !== 'stopping' || Date.now() - before < stopTimeoutMs) return;
  await stopServer({ clusterDir, pid: postmaster.pid, child: undefined }, { isImmediate: true });
}

// Starts the server and connects to it. Retries for a while, because a server that was just killed keeps its shared memory and
// pid file until all its processes have exited.
export async function launch(place: Place, options: LaunchOptions) {
  const { dataDir, account } = place;
  const { pgBinDir, packageDir } = options;
  const binaries = await findBinaries({ dataDir, account, pgBinDir, packageDir });
  await ensureCluster(place.clusterDir, binaries, account);
  for (const before = Date.now(); ; await wait(100)) {
    await prepareSocketPlace(place.socket, account);
    await clearStalePostmaster(place.clusterDir);
    const { child, logStart } = await spawnServer(place, binaries, options.settings);
    const client = await connectOnceReady(place, child);
    if (client !== undefined) return { client, child };
    const log = (await readFile(logPath(dataDir))).subarray(logStart).toString('utf8');
    const occupied = OCCUPIED.test(log);
    if (!occupied || Date.now() - before > OCCUPIED_TIMEOUT_MS) {
      if (EMPTY_PID_FILE.test(log)) throw emptyPidFile(place.clusterDir);
      throw cannotRunHere(`the server did not start. Last lines of ${logPath(dataDir)}: ${log.slice(-800)}`);
    }
  }
}

/** Matches if another server is starting or stopping or has removed the shared socket folder, or if another process is stopping ours. */
const OCCUPIED =
  /already exists|lock file .* is empty|still in use|received \w+ shutdown request|could not create lock file .*: No such file/;

const EMPTY_PID_FILE = /lock file "postmaster\.pid" is empty/;

/**
 * The file is not removed automatically. A server that has just created it would lose its lock on the directory. After the same
 * crash, a server may also start in another container, where it cannot be seen.
 */
const emptyPidFile = (clusterDir: string) =>
  new EmbeddedServerError(
    `${join(clusterDir, 'postmaster.pid')} is empty, which can happen when the machine crashes. If no other process or container uses this directory, remove the file and start again.`,
  );

async function spawnServer(
  { dataDir, clusterDir, account, socket }: Place,
  binaries: Binaries,
  more: ServerSettings | undefined,
): Promise<{ child: ChildProcess; logStart: number }> {
  const place = { unix_socket_directories: socket.setting, port: String(SOCKET_PORT) };
  const settings = settingArguments({ ...serverSettings(), ...place, ...more });
  const log = await openLog(dataDir);
  try {
    const { size: logStart } = await log.stat();
    // Detached, so that Ctrl-C reaches only Node, which finishes its requests before it stops the server.
    const child = spawn(
      join(binaries.directory, 'postgres'),
      ['-D', await serverPath(clusterDir, account), ...settings],
      { ...asAccount(account, clusterDir), detached: true, stdio: ['ignore', log.fd, log.fd] },
    );
    // connectOnceReady recognizes a failed spawn by the missing pid.
    child.on('error', () => undefined);
    child.unref();
    return { child, logStart };
  } finally {
    await log.close();
  }
}

function logPath(dataDir: string): string {
  return join(dataDir, 'postgres.log');
}

async function openLog(dataDir: string) {
  const path = logPath(dataDir);
  const log = await open(path, 'a', 0o600);
  await giveToOwnerOf(dataDir, path);
  if ((await stat(path)).size > MAX_LOG_BYTES) await truncate(path);
  return log;
}

// If another process started the server first, our child exits, and we connect to that server.
async function connectOnceReady(place: Place, child: ChildProcess): Promise<Client | undefined> {
  const before = Date.now();
  while (Date.now() - before < START_TIMEOUT_MS) {
    const postmaster = await readPostmaster(place.clusterDir);
    if (postmaster?.status === 'ready') {
      const client = await connectIfRunning(place);
      if (client !== undefined) return client;
    }
    const other = postmaster !== undefined && postmaster.pid !== child.pid && postmaster.status !== 'ready';
    if (hasEnded(child) && !other) return undefined;
    if (other) await stopHungServer(place, before);
    await wait(3);
  }
  return undefined;
}

function isAbsent(error: unknown): boolean {
  return codeOf(error) === 'ENOENT' || codeOf(error) === 'ECONNREFUSED';
}

/** 57P03: the server is starting, stopping or recovering. 57P01 and a lost connection: it is stopping. */
export function isBusy(error: unknown): boolean {
  const code = codeOf(error) ?? '';
  return /^(57P0[13]|ECONNRESET|EPIPE)$/.test(code) || /terminated|not queryable/.test(String(error));
}

const MB = 1024 * 1024;

export type ServerSettings = Readonly<Record<string, string>>;

/** Sizes depend on the available memory (in bytes), within limits that suit laptops and small servers. */
function serverSettings(memory: number = machineMemory()): ServerSettings {
  const megabytes = Math.floor(memory / MB);
  return {
    listen_addresses: '',
    unix_socket_permissions: '0700',
    dynamic_shared_memory_type: 'mmap',
    max_connections: '100',
    // An import whose visitors are in random order needs the visitor index in memory.
    shared_buffers: `${Math.max(32, Math.min(256, Math.floor(megabytes / 8)), Math.min(1024, Math.floor(megabytes / 16)))}MB`,
    effective_cache_size: `${Math.max(128, Math.floor(megabytes / 2))}MB`,
    maintenance_work_mem: '128MB',
    random_page_cost: '1.1',
    jit: 'off',
    wal_level: 'minimal',
    max_wal_senders: '0',
    max_wal_size: '2GB',
    checkpoint_timeout: '15min',
    synchronous_commit: 'on',
    // Ends a query whose client was killed.
    client_connection_check_interval: '2s',
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_checkpoints: 'off',
    log_min_messages: 'warning',
    // Failed statements are not logged: callers report the errors, and a statement can be long and may name a visitor. The log
    // is truncated only when the server starts.
    log_min_error_statement: 'panic',
  };
}

export function settingArguments(settings: ServerSettings): readonly string[] {
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}
