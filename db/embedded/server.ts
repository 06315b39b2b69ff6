// Starts, joins and stops the embedded PostgreSQL of one data directory. Any number of processes use it together: the
// first one starts it, the last one stops it.
// The server outlives a killed Node on purpose, so that nothing acknowledged is lost; the next start adopts it.
import type { ChildProcess } from 'node:child_process';
import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { serverAccount } from './account';
import { SUPERUSER } from './cluster';
import { createDirectory } from './data-directory';
import { diskError, EmbeddedServerError, lossError } from './errors';
import { DATABASE, type HostLock, joinDirectory } from './host-lock';
import {
  connectIfRunning,
  isBusy,
  type LaunchOptions,
  launch,
  type Place,
  START_PATIENCE_MS,
} from './launch';
import { mayBePostgres, readPostmaster } from './postmaster';
import { checkSocketPlace, removeSocketPlace, SOCKET_PORT, socketPlace } from './socket';
import { hasStopped, type RunningServer, stopServer } from './stop-server';

export interface EmbeddedOptions extends LaunchOptions {
  readonly dataDir: string;
  /** Whether this process answers requests: only one of those that use a directory may. */
  readonly isHttpServer?: boolean | undefined;
  /** Called when the server goes away for good while we use it. */
  onError(error: Error): void;
}

export interface EmbeddedServer {
  /** For a client that owns everything. */
  readonly connection: { host: string; port: number; user: string; database: string };
  /** Whether it ran already. */
  readonly adopted: boolean;
  readonly postmasterPid: number;
  /**
   * Lets go of the server. The last process that uses it ends all connections and waits until the server has written
   * everything and exited.
   */
  stop(): Promise<void>;
  /** Lets the process end without stopping the server. */
  unref(): void;
}

interface Joined {
  readonly lock: HostLock;
  readonly pid: number;
  /** The server, if this process launched it. */
  readonly child: ChildProcess | undefined;
  readonly adopted: boolean;
}

/** Starts the server of this directory, or joins those who use it. Throws an EmbeddedServerError. */
export async function startEmbeddedServer(options: EmbeddedOptions): Promise<EmbeddedServer> {
  const place = await findPlace(options);
  await checkSocketPlace(place.socket, place.account);
  const { lock, pid, child, adopted } = await joinServer(place, options).catch((error: unknown) => {
    throw error instanceof EmbeddedServerError ? error : (diskError(error) ?? error);
  });
  let stopping: Promise<void> | undefined;
  return {
    connection: { host: place.socket.directory, port: SOCKET_PORT, user: SUPERUSER, database: DATABASE },
    adopted,
    postmasterPid: pid,
    stop() {
      stopping ??= leave(place, { clusterDir: place.clusterDir, pid, child }, lock);
      return stopping;
    },
    unref: () => lock.unref(),
  };
}

/** Waits for a server that is just being stopped, and then starts another. */
async function joinServer(place: Place, options: EmbeddedOptions): Promise<Joined> {
  for (const before = Date.now(); ; await wait(20)) {
    const found = await connectIfRunning(place);
    const { client, child } =
      found === undefined ? await launch(place, options) : { client: found, child: undefined };
    const pid = (await readPostmaster(place.clusterDir))?.pid;
    const hasEnded = async () =>
      pid === undefined || hasStopped({ clusterDir: place.clusterDir, pid, child });
    const lock = await joinDirectory(client, {
      ...{ dataDir: place.dataDir, socketDirectory: place.socket.directory, hasEnded },
      isHttpServer: options.isHttpServer === true,
      onError: (loss) =>
        void lossError(place.dataDir, loss).then(options.onError, () => options.onError(loss)),
    }).catch(async (error) => {
      await client.end();
      if (isBusy(error)) return undefined;
      throw error;
    });
    if (lock !== undefined && pid !== undefined) return { lock, pid, child, adopted: found !== undefined };
    await client.end();
    if (Date.now() - before > START_PATIENCE_MS)
      throw new EmbeddedServerError(`The server in ${place.clusterDir} is stopping and does not end.`);
  }
}

const STOPPING_PATIENCE_MS = 10_000;

async function findPlace({
  dataDir,
  stoppingPatienceMs = STOPPING_PATIENCE_MS,
}: EmbeddedOptions): Promise<Place> {
  await createDirectory(dataDir);
  const real = await realpath(dataDir);
  const clusterDir = join(real, 'postgres');
  const account = await serverAccount(clusterDir);
  return { dataDir: real, clusterDir, account, socket: socketPlace(clusterDir), stoppingPatienceMs };
}

/** Stops the server unless others use it, or it runs in another container on the same directory. */
async function leave(place: Place, server: RunningServer, lock: HostLock): Promise<void> {
  const isLast = (await lock.leave()) && (await mayBePostgres(server.pid));
  if (!isLast) return lock.close();
  // The lock goes with the server, so that nobody joins one that is about to stop.
  await stopServer(server).finally(lock.close);
  await removeSocketPlace(place.socket);
}
