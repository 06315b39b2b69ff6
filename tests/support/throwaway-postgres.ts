// An embedded PostgreSQL that ends with this process. It is in memory if possible, and does not sync. A small shell process stops
// the server and removes the directory, even if this process is killed.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, existsSync, readdirSync, statfsSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ServerSettings } from '../../db/embedded/launch';
import { socketUrl, startEmbeddedServer } from '../../db/embedded/server';

export interface ThrowawayPostgres {
  readonly dataDir: string;
  /** The owner's connection string. */
  readonly url: string;
  stop(): Promise<void>;
}

const IN_MEMORY = '/dev/shm';
/** All tests together need a tenth of this. Containers often have only 64 MB. */
const MIN_FREE_BYTES = 2 * 1024 ** 3;

/** The existing directories whose names start with `prefix`. */
export function throwawayDirectories(prefix: string): readonly string[] {
  return [IN_MEMORY, tmpdir()].flatMap((folder) => {
    const names = existsSync(folder) ? readdirSync(folder) : [];
    return names.filter((name) => name.startsWith(prefix)).map((name) => join(folder, name));
  });
}

export function throwawayFolder(): string {
  try {
    accessSync(IN_MEMORY, constants.W_OK | constants.X_OK);
    const { bavail, bsize } = statfsSync(IN_MEMORY);
    return bavail * bsize >= MIN_FREE_BYTES ? IN_MEMORY : tmpdir();
  } catch {
    // Some systems do not have this folder, or do not allow writing to it.
    return tmpdir();
  }
}

const SETTINGS = {
  fsync: 'off',
  full_page_writes: 'off',
  synchronous_commit: 'off',
  max_connections: '200',
  // Dropping a database searches all buffers.
  shared_buffers: '128MB',
};

/** Starts a server in a directory whose name starts with `prefix`. This process may end without stopping it. */
export async function startThrowawayPostgres(
  prefix: string,
  more: ServerSettings = {},
): Promise<ThrowawayPostgres> {
  const dataDir = await mkdtemp(join(throwawayFolder(), prefix));
  const watchdog = startWatchdog(dataDir);
  const removeDirectory = async () => {
    watchdog.stdin?.end();
    if (watchdog.exitCode === null) await once(watchdog, 'exit');
  };
  try {
    const server = await startEmbeddedServer({
      dataDir,
      onError: raise,
      settings: { ...SETTINGS, ...more },
    });
    server.unref();
    return {
      dataDir,
      url: socketUrl(server),
      async stop() {
        // The server does not keep this process alive. Without this timer, the process could end before the server has stopped.
        const keepAlive = setInterval(() => undefined, 60_000);
        try {
          await server.stop();
          await removeDirectory();
        } finally {
          clearInterval(keepAlive);
        }
      },
    };
  } catch (error) {
    await removeDirectory();
    throw error;
  }
}

// When this process ends, even after kill -9, the operating system closes the pipe to the watchdog's standard input. SIGQUIT is
// PostgreSQL's immediate shutdown. The wait is limited, because a zombie still seems alive.
const WATCHDOG = `
cat >/dev/null
pid=$(head -n 1 "$1/postgres/postmaster.pid" 2>/dev/null)
if [ -n "$pid" ] && kill -QUIT "$pid" 2>/dev/null; then
  tries=0
  while [ $tries -lt 50 ] && kill -0 "$pid" 2>/dev/null; do tries=$((tries + 1)); sleep 0.1; done
fi
rm -rf -- "$1"
`;

export function startWatchdog(dataDir: string): ChildProcess {
  // Detached, so that a signal to the terminal's process group does not kill it first.
  const watchdog = spawn('/bin/sh', ['-c', WATCHDOG, 'sh', dataDir], {
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  watchdog.unref();
  if (watchdog.stdin instanceof Socket) watchdog.stdin.unref();
  return watchdog;
}

function raise(error: Error): void {
  throw error;
}
