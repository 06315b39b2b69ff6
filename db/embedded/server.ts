// Starts, adopts and stops the embedded PostgreSQL of one data directory.
// The server outlives a killed Node on purpose, so that nothing acknowledged is lost; the next start adopts it.
import { type ChildProcess, spawn } from 'node:child_process';
import { open, readFile, realpath, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Client } from 'pg';
import { type Account, serverAccount } from './account';
import { type Binaries, findBinaries } from './binaries';
import { ensureCluster, SUPERUSER, serverPath } from './cluster';
import { createDirectory } from './data-directory';
import { cannotRunHere, codeOf, EmbeddedServerError } from './errors';
import { connectAsSuperuser, DATABASE, takeHostLock } from './host-lock';
import { clearStalePostmaster, readPostmaster } from './postmaster';
import { asAccount } from './program';
import { type ServerSettings, serverSettings, settingArguments } from './settings';
import {
  checkSocketPlace,
  prepareSocketPlace,
  removeSocketPlace,
  SOCKET_PORT,
  type SocketPlace,
  socketPlace,
} from './socket';

const START_PATIENCE_MS = 120_000;
const OCCUPIED_PATIENCE_MS = 10_000;
const STOP_PATIENCE_MS = 60_000;
const LONGEST_LOG = 8 * 1024 * 1024;

export interface EmbeddedOptions {
  readonly dataDir: string;
  readonly pgBinDir?: string | undefined;
  /** Called when the server goes away for good while we use it. */
  onError(error: Error): void;
  /** Overrides of the usual settings. */
  readonly settings?: ServerSettings;
  readonly packageDir?: string;
}

export interface EmbeddedServer {
  /** For a client that owns everything. */
  readonly connection: { host: string; port: number; user: string; database: string };
  readonly adopted: boolean;
  readonly postmasterPid: number;
  /** Ends all connections and waits until the server has written everything and exited. */
  stop(): Promise<void>;
  /** Lets the process end without stopping the server. */
  unref(): void;
}

interface Place {
  readonly dataDir: string;
  readonly clusterDir: string;
  readonly account: Account | null;
  readonly socket: SocketPlace;
}

/** Starts the server of this directory, or adopts one that a killed host left running. Throws an EmbeddedServerError. */
export async function startEmbeddedServer(options: EmbeddedOptions): Promise<EmbeddedServer> {
  const place = await findPlace(options.dataDir);
  await checkSocketPlace(place.socket, place.account);
  const found = await connectIfRunning(place);
  const { client, child } =
    found === undefined ? await launch(place, options) : { client: found, child: undefined };
  const postmaster = await readPostmaster(place.clusterDir);
  if (postmaster === undefined) throw new EmbeddedServerError(`${place.clusterDir} has no running server.`);
  const lock = await takeHostLock(client, place.dataDir, place.socket.directory, {
    hasEnded: () => hasStopped(place, postmaster.pid, child),
    onError: options.onError,
  });
  let stopping: Promise<void> | undefined;
  return {
    connection: { host: place.socket.directory, port: SOCKET_PORT, user: SUPERUSER, database: DATABASE },
    adopted: found !== undefined,
    postmasterPid: postmaster.pid,
    stop() {
      stopping ??= (async () => {
        await shutDown(place, postmaster.pid, child, () => lock.release());
        await removeSocketPlace(place.socket);
      })();
      return stopping;
    },
    unref: () => lock.unref(),
  };
}

async function findPlace(dataDir: string): Promise<Place> {
  await createDirectory(dataDir);
  const real = await realpath(dataDir);
  const clusterDir = join(real, 'postgres');
  const account = await serverAccount(clusterDir);
  return { dataDir: real, clusterDir, account, socket: socketPlace(clusterDir) };
}

async function connectIfRunning(place: Place): Promise<Client | undefined> {
  const before = Date.now();
  for (;;) {
    if ((await readPostmaster(place.clusterDir)) === undefined) return undefined;
    try {
      return await connectAsSuperuser(place.socket.directory);
    } catch (error) {
      if (isAbsent(error)) return undefined;
      if (!isBusy(error) || Date.now() - before > START_PATIENCE_MS) throw error;
    }
    await wait(20);
  }
}

interface Launched {
  readonly client: Client;
  readonly child: ChildProcess;
}

// A server killed a moment ago holds its memory and its pid file until all its processes are gone.
async function launch(place: Place, options: EmbeddedOptions): Promise<Launched> {
  const { dataDir, account } = place;
  const { pgBinDir, packageDir } = options;
  const binaries = await findBinaries({ dataDir, account, pgBinDir, packageDir });
  await ensureCluster(place.clusterDir, binaries, account);
  await prepareSocketPlace(place.socket, account);
  for (const before = Date.now(); ; await wait(100)) {
    await clearStalePostmaster(place.clusterDir);
    const child = await spawnServer(place, binaries, options.settings);
    const client = await connectOnceReady(place, child);
    if (client !== undefined) return { client, child };
    const log = (await readFile(logPath(dataDir), 'utf8')).slice(-800);
    const occupied = /already exists|still in use/.test(log.slice(-300));
    if (!occupied || Date.now() - before > OCCUPIED_PATIENCE_MS) {
      throw cannotRunHere(`the server does not start. The end of ${logPath(dataDir)}: ${log}`);
    }
  }
}

async function spawnServer(
  { dataDir, clusterDir, account, socket }: Place,
  binaries: Binaries,
  more: ServerSettings | undefined,
): Promise<ChildProcess> {
  const place = { unix_socket_directories: socket.setting, port: String(SOCKET_PORT) };
  const settings = settingArguments({ ...serverSettings(), ...place, ...more });
  const log = await openLog(dataDir);
  try {
    // Detached, so that Ctrl-C reaches Node alone, which lets requests finish before it stops the server.
    const child = spawn(
      join(binaries.directory, 'postgres'),
      ['-D', await serverPath(clusterDir, account), ...settings],
      { ...asAccount(account, clusterDir), detached: true, stdio: ['ignore', log.fd, log.fd] },
    );
    // A program that cannot be spawned has no pid; connectOnceReady sees that.
    child.on('error', () => undefined);
    child.unref();
    return child;
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
  if ((await stat(path)).size > LONGEST_LOG) await truncate(path);
  return log;
}

// Another process may have started the server first: our child exits, we connect to the other one, and its lock refuses us.
async function connectOnceReady(place: Place, child: ChildProcess): Promise<Client | undefined> {
  const before = Date.now();
  while (Date.now() - before < START_PATIENCE_MS) {
    const postmaster = await readPostmaster(place.clusterDir);
    if (postmaster?.ready === true) {
      const client = await connectIfRunning(place);
      if (client !== undefined) return client;
    }
    const other = postmaster !== undefined && postmaster.pid !== child.pid && !postmaster.ready;
    if (hasEnded(child) && !other) return undefined;
    await wait(3);
  }
  return undefined;
}

async function shutDown(
  place: Place,
  pid: number,
  child: ChildProcess | undefined,
  release: () => Promise<void>,
): Promise<void> {
  const postmaster = await readPostmaster(place.clusterDir);
  try {
    // SIGINT is PostgreSQL's "fast" stop: it ends sessions, writes everything and exits. It is sent before the lock is
    // released, so that no other host adopts a server that is about to stop.
    if (postmaster?.pid === pid) signalProcess(pid, 'SIGINT');
  } finally {
    await release();
  }
  const before = Date.now();
  while (!(await hasStopped(place, pid, child))) {
    if (Date.now() - before > STOP_PATIENCE_MS) {
      throw new EmbeddedServerError(
        `PostgreSQL (process ${pid}) is still stopping after a minute; see ${logPath(place.dataDir)}.`,
      );
    }
    await wait(3);
  }
}

async function hasStopped(place: Place, pid: number, child: ChildProcess | undefined): Promise<boolean> {
  if (child?.pid === pid) return hasEnded(child);
  const postmaster = await readPostmaster(place.clusterDir);
  // A killed server leaves its pid file.
  return postmaster?.pid !== pid || !signalProcess(pid, 0);
}

/** Whether there is such a process. Signal 0 only asks. */
function signalProcess(pid: number, signal: 'SIGINT' | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch (error) {
    if (codeOf(error) === 'ESRCH') return false;
    throw error;
  }
}

function hasEnded(child: ChildProcess): boolean {
  return child.pid === undefined || child.exitCode !== null || child.signalCode !== null;
}

function isAbsent(error: unknown): boolean {
  return codeOf(error) === 'ENOENT' || codeOf(error) === 'ECONNREFUSED';
}

// 57P03: starting up, shutting down or recovering. 57P01 and a closed connection: shutting down.
function isBusy(error: unknown): boolean {
  const code = codeOf(error);
  return (
    code === '57P03' ||
    code === '57P01' ||
    code === 'ECONNRESET' ||
    code === 'EPIPE' ||
    /terminated/.test(String(error))
  );
}
