// The embedded PostgreSQL of a data directory. Any number of processes can share it: the first one starts it, and the last one
// stops it. If Node is killed, the server keeps running, so that no confirmed data is lost; the next start adopts it.
import { existsSync } from 'node:fs';
import { realpath, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { createFolder } from '../create-folder';
import { serverAccount } from './account';
import { findBinaries } from './binaries';
import { requireVersion, SUPERUSER, upgradeFolder } from './cluster';
import { codeOf, diskError, EmbeddedServerError, lossError } from './errors';
import { DATABASE, type HostLock, joinDirectory } from './host-lock';
import { connectIfRunning, isBusy, type LaunchOptions, launch, type Place, START_TIMEOUT_MS } from './launch';
import { hasStopped, mayBePostgres, type RunningServer, readPostmaster, stopServer } from './postmaster';
import { finishReplacement, replaceCluster } from './replacement';
import { checkSocketPlace, removeSocketPlace, SOCKET_PORT, socketPlace } from './socket';

export interface EmbeddedOptions extends LaunchOptions {
  readonly dataDir: string;
  readonly isHttpServer?: boolean | undefined;
  /** Throws a DirectoryInUseError if another process uses the server. No other process can join until this one stops. */
  readonly isExclusive?: boolean | undefined;
  /** Called if the server stops permanently while it is in use. */
  onError(error: Error): void;
}

export interface EmbeddedServer {
  readonly connection: { host: string; port: number; user: string; database: string };
  readonly adopted: boolean;
  readonly postmasterPid: number;
  /** In the last process: ends all connections, and waits until the server has written everything and exited. */
  stop(): Promise<void>;
  /** Stops the server, and replaces its cluster with the one in the upgrade folder. Requires `isExclusive`. */
  replace(): Promise<void>;
  /** Lets the process exit without stopping the server. */
  unref(): void;
}

/** The address for clients that use neither the lock nor a password. */
export function socketUrl({ connection }: Pick<EmbeddedServer, 'connection'>): string {
  const { host, port, user, database } = connection;
  return `postgresql://${user}@localhost/${database}?${new URLSearchParams({ host, port: String(port) })}`;
}

export async function startEmbeddedServer(options: EmbeddedOptions): Promise<EmbeddedServer> {
  const place = await findPlace(options);
  await checkSocketPlace(place.socket, place.account);
  const { lock, pid, child, adopted } = await joinServer(place, options).catch((error: unknown) => {
    throw error instanceof EmbeddedServerError ? error : (diskError(error) ?? error);
  });
  // While this process shares the server, no upgrade is under way, so this folder was left by an upgrade that was killed.
  if (options.isExclusive !== true && existsSync(upgradeFolder(place.dataDir)))
    await removeEmbeddedDatabase(upgradeFolder(place.dataDir), options.pgBinDir);
  let stopping: Promise<void> | undefined;
  return {
    connection: { host: place.socket.directory, port: SOCKET_PORT, user: SUPERUSER, database: DATABASE },
    adopted,
    postmasterPid: pid,
    stop() {
      stopping ??= leave(place, { clusterDir: place.clusterDir, pid, child }, lock);
      return stopping;
    },
    async replace() {
      if (!(await lock.leave())) throw new EmbeddedServerError(`The server in ${place.clusterDir} was lost.`);
      await replaceCluster(place);
      stopping = lock.close();
      await stopping;
      await removeSocketPlace(place.socket);
    },
    unref: () => lock.unref(),
  };
}

/** Removes a data directory. A process that was killed leaves its server running; that server is adopted and stopped. */
export async function removeEmbeddedDatabase(dataDir: string, pgBinDir: string | undefined): Promise<void> {
  if (existsSync(join(dataDir, 'postgres', 'postmaster.pid')))
    await startEmbeddedServer({ dataDir, pgBinDir, onError: () => {} }).then(
      (server) => server.stop(),
      // An unfinished database does not start. A server that is still running stops by itself once its folder is gone.
      () => {},
    );
  await rm(dataDir, { recursive: true, force: true });
}

/** If the server is being stopped, waits and starts a new one. */
async function joinServer(place: Place, options: EmbeddedOptions) {
  for (const before = Date.now(); ; await wait(20)) {
    await settleUpgrade(place, options);
    const found = await connectIfRunning(place);
    const { client, child } =
      found === undefined ? await launch(place, options) : { client: found, child: undefined };
    const pid = (await readPostmaster(place.clusterDir))?.pid;
    const hasEnded = async () =>
      pid === undefined || hasStopped({ clusterDir: place.clusterDir, pid, child });
    const lock = await joinDirectory(client, {
      dataDir: place.dataDir,
      socketDirectory: place.socket.directory,
      hasEnded,
      isHttpServer: options.isHttpServer === true,
      isExclusive: options.isExclusive === true,
      onError: (loss) =>
        void lossError(place.dataDir, loss).then(options.onError, () => options.onError(loss)),
    }).catch(async (error) => {
      await client.end();
      if (isBusy(error)) return undefined;
      throw error;
    });
    if (lock !== undefined && pid !== undefined) return { lock, pid, child, adopted: found !== undefined };
    await client.end();
    if (Date.now() - before > START_TIMEOUT_MS)
      throw new EmbeddedServerError(`The server in ${place.clusterDir} is taking too long to stop.`);
  }
}

/** Finishes an upgrade past the point of no return. If an upgrade is under way or was killed, its old server is not adopted. */
async function settleUpgrade(place: Place, options: EmbeddedOptions): Promise<void> {
  const { dataDir, clusterDir, account } = place;
  if (!existsSync(upgradeFolder(dataDir))) return;
  await finishReplacement(place);
  const { pgBinDir, packageDir } = options;
  await requireVersion(clusterDir, await findBinaries({ dataDir, account, pgBinDir, packageDir }));
}

const STOP_TIMEOUT_MS = 10_000;

async function findPlace({ dataDir, stopTimeoutMs = STOP_TIMEOUT_MS }: EmbeddedOptions): Promise<Place> {
  await createDirectory(dataDir);
  const real = await realpath(dataDir);
  const clusterDir = join(real, 'postgres');
  const account = await serverAccount(clusterDir);
  return { dataDir: real, clusterDir, account, socket: socketPlace(clusterDir), stopTimeoutMs };
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'this account does not have permission to write there',
  EPERM: 'this account does not have permission to write there',
  EROFS: 'the file system is read-only',
  ENOTSUP: 'the file system does not allow directories there',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'a file is in the way',
};

async function createDirectory(directory: string): Promise<void> {
  try {
    await createFolder(directory);
  } catch (error) {
    const reason = REASONS[codeOf(error) ?? ''] ?? String(error);
    throw new EmbeddedServerError(
      `The data directory ${resolve(directory)} cannot be created: ${reason}. Set DATA_DIR to a directory that this account can write to.`,
      { cause: error },
    );
  }
}

/** Stops the server unless other processes use it or it runs in a different container. */
async function leave(place: Place, server: RunningServer, lock: HostLock): Promise<void> {
  const isLast = (await lock.leave()) && (await mayBePostgres(server.pid));
  if (!isLast) return lock.close();
  // The lock ends with the server, so no process can join a server that is about to stop.
  await stopServer(server).finally(lock.close);
  await removeSocketPlace(place.socket);
}
