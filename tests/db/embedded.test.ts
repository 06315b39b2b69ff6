import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, chown, mkdir, mkdtemp, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Client } from 'pg';
import { DirectoryInUseError, lossError } from '../../db/embedded/errors';
import { type EmbeddedOptions, type EmbeddedServer, startEmbeddedServer } from '../../db/embedded/server';
import { socketPlace } from '../../db/embedded/socket';
import { RUN_TYPESCRIPT } from '../support/program-process';
import { throwawayFolder } from '../support/throwaway-postgres';
import { until } from '../support/until';

const isRoot = process.getuid?.() === 0;
const running = new Set<EmbeddedServer>();
const directories = new Set<string>();
const hosts = new Set<ChildProcess>();

async function newDirectory(): Promise<string> {
  const directory = await mkdtemp(join(throwawayFolder(), 'qal-embedded-'));
  directories.add(directory);
  return directory;
}

// Creating a cluster takes almost a second, so tests share one where possible, one test at a time.
let sharedDir: string;

async function start(dataDir: string, more: Partial<EmbeddedOptions> = {}): Promise<EmbeddedServer> {
  const server = await startEmbeddedServer({
    dataDir,
    onError(error) {
      throw error;
    },
    ...more,
  });
  running.add(server);
  return server;
}

async function query(server: EmbeddedServer, sql: string): Promise<unknown[]> {
  const client = new Client({ ...server.connection, ssl: false });
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

/** A process that serves requests for the directory until it is killed. */
async function hostProcess(dataDir: string): Promise<ChildProcess> {
  const host = spawn(process.execPath, [RUN_TYPESCRIPT, join(__dirname, 'host-process.ts'), dataDir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  hosts.add(host);
  await new Promise((resolve, reject) => {
    host.stdout?.once('data', resolve);
    host.once('exit', () => reject(new Error('The host process ended before it was ready.')));
  });
  return host;
}

async function killOutright(host: ChildProcess): Promise<void> {
  const gone = new Promise((resolve) => host.once('exit', resolve));
  host.kill('SIGKILL');
  await gone;
}

const isRunningIn = (directory: string) => existsSync(join(directory, 'postgres', 'postmaster.pid'));

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

beforeAll(async () => {
  sharedDir = await mkdtemp(join(throwawayFolder(), 'qal-embedded-'));
  const server = await startEmbeddedServer({ dataDir: sharedDir, onError: () => undefined });
  await server.stop();
});

afterAll(async () => {
  await rm(sharedDir, { recursive: true, force: true });
});

afterEach(async () => {
  for (const host of hosts) host.kill('SIGKILL');
  hosts.clear();
  for (const server of running) await server.stop();
  running.clear();
  for (const directory of directories) await rm(directory, { recursive: true, force: true });
  directories.clear();
});

describe('starting and stopping', () => {
  test('data survives a restart, and no server runs in between', async () => {
    const first = await start(sharedDir);
    await query(first, 'CREATE TABLE kept AS SELECT 7 AS n');
    await first.stop();
    expect(isAlive(first.postmasterPid)).toBe(false);
    expect(isRunningIn(sharedDir)).toBe(false);
    const second = await start(sharedDir);
    expect(await query(second, 'SELECT n FROM kept')).toEqual([{ n: 7 }]);
    await query(second, 'DROP TABLE kept');
  });

  test('stopping a server twice is harmless', async () => {
    const server = await start(sharedDir);
    await Promise.all([server.stop(), server.stop()]);
  });

  test('a server sorts text by bytes, folds case beyond ASCII, has no network address, and runs in UTC', async () => {
    const server = await start(sharedDir);
    expect(
      await query(
        server,
        `SELECT 'B' < 'a' AS bytewise, lower('ÄÉ') AS folded, current_setting('listen_addresses') AS addresses,
                current_setting('timezone') AS zone, current_setting('jit') AS jit`,
      ),
    ).toEqual([{ bytewise: true, folded: 'äé', addresses: '', zone: 'UTC', jit: 'off' }]);
  });

  (isRoot ? test : test.skip)('root hands the server and its directory over to another account', async () => {
    const directory = await newDirectory();
    await chmod(directory, 0o755);
    const server = await start(directory);
    const cluster = await stat(join(directory, 'postgres'));
    expect(cluster.uid).not.toBe(0);
    expect(cluster.mode & 0o777).toBe(0o700);
    const status = await readFile(`/proc/${server.postmasterPid}/status`, 'utf8');
    expect(status).toContain(`Uid:\t${cluster.uid}\t${cluster.uid}\t`);
  });

  (isRoot ? test : test.skip)('what root creates belongs to the owner of the directory', async () => {
    const directory = await newDirectory();
    await chown(directory, 1, 1);
    await start(directory);
    for (const name of ['postgres', 'postgres.log'])
      expect([name, (await stat(join(directory, name))).uid]).toEqual([name, 1]);
  });

  test('a server works inside a folder that others cannot enter', async () => {
    expect((await stat(sharedDir)).mode & 0o777).toBe(0o700);
    const server = await start(sharedDir);
    expect(await query(server, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });
});

describe('concurrent processes', () => {
  // conformance: beyond.commands-work-beside
  test('the last process that uses a directory stops the server', async () => {
    const first = await start(sharedDir);
    const second = await start(sharedDir);
    expect([first.adopted, second.adopted]).toEqual([false, true]);
    await first.stop();
    expect(await query(second, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    await second.stop();
    expect(isRunningIn(sharedDir)).toBe(false);
  });

  test('if two processes stop at the same time, one of them stops the server', async () => {
    const servers = [await start(sharedDir), await start(sharedDir)];
    await Promise.all(servers.map((server) => server.stop()));
    expect(isRunningIn(sharedDir)).toBe(false);
  });

  // conformance: beyond.commands-work-beside
  test('four processes that start at the same time in a new directory share one server', async () => {
    const directory = await newDirectory();
    const servers = await Promise.all(Array.from({ length: 4 }, () => start(directory)));
    expect(new Set(servers.map(({ postmasterPid }) => postmasterPid)).size).toBe(1);
  });

  test('a process that starts while the last one stops also gets a server', async () => {
    for (let round = 0; round < 3; round += 1) {
      const stopping = await start(sharedDir);
      const [, starting] = await Promise.all([stopping.stop(), start(sharedDir)]);
      expect(await query(starting, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
      await starting.stop();
    }
  });

  test('starting and stopping repeatedly never fails', async () => {
    const host = async () => {
      for (let time = 0; time < 3; time++) {
        const server = await start(sharedDir);
        await server.stop();
      }
    };
    await Promise.all([host(), host(), host()]);
    expect(isRunningIn(sharedDir)).toBe(false);
  });

  test('only one process can serve requests, and the error for others contains its pid', async () => {
    const host = await hostProcess(sharedDir);
    const second = start(sharedDir, { isHttpServer: true });
    await expect(second).rejects.toBeInstanceOf(DirectoryInUseError);
    await expect(second).rejects.toThrow(
      new RegExp(`The data directory ${sharedDir} is in use by qal process ${host.pid} .*set DATA_DIR`),
    );
    await killOutright(host);
    await start(sharedDir, { isHttpServer: true });
  });
});

describe('after a kill', () => {
  test('the next start adopts the server of a killed host, with all committed data', async () => {
    const host = await hostProcess(sharedDir);
    await killOutright(host);
    const server = await start(sharedDir);
    expect(server.adopted).toBe(true);
    await query(server, 'SELECT 1');
    await server.stop();
    expect(isRunningIn(sharedDir)).toBe(false);
  });

  test('a server that was killed is restarted', async () => {
    const host = await hostProcess(sharedDir);
    const postmaster = Number(
      (await readFile(join(sharedDir, 'postgres', 'postmaster.pid'), 'utf8')).split('\n')[0],
    );
    await killOutright(host);
    process.kill(postmaster, 'SIGKILL');
    const server = await start(sharedDir);
    expect(await query(server, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  test('a server starts even if a stale pid file contains the pid of another program', async () => {
    await writeFile(
      join(sharedDir, 'postgres', 'postmaster.pid'),
      `${process.pid}\n${sharedDir}\n0\n5432\n.\n\n\nready\n`,
    );
    await start(sharedDir);
  });

  test('the log has errors, but not their statements, which may name a visitor', async () => {
    const server = await start(sharedDir);
    const log = join(sharedDir, 'postgres.log');
    const { size } = await stat(log);
    await expect(query(server, `SELECT 1 / 0 AS "visitor-17"`)).rejects.toThrow('division by zero');
    const written = (await readFile(log, 'utf8')).slice(size);
    expect(written).toContain('division by zero');
    expect(written).not.toContain('visitor-17');
  });

  test('a server that finds the empty pid file of another server that is starting is started again', async () => {
    const pidFile = join(sharedDir, 'postgres', 'postmaster.pid');
    const log = join(sharedDir, 'postgres.log');
    const { size } = await stat(log);
    await writeFile(pidFile, '');
    const starting = start(sharedDir);
    await until(async () => /postmaster\.pid" is empty/.test((await readFile(log, 'utf8')).slice(size)));
    await rm(pidFile);
    expect(await query(await starting, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  test('if a crash of the machine left an empty pid file, the error names it, and the file stays', async () => {
    const pidFile = join(sharedDir, 'postgres', 'postmaster.pid');
    await writeFile(pidFile, '');
    await expect(start(sharedDir)).rejects.toThrow(
      `${pidFile} is empty, which can happen when the machine crashes. If no other process or container uses`,
    );
    expect((await stat(pidFile)).size).toBe(0);
    await rm(pidFile);
    await start(sharedDir);
  });
});

describe('a server that is permanently gone', () => {
  test('is reported once and immediately, and can be stopped', async () => {
    let report = (_error: Error) => {};
    const reported = new Promise<Error>((resolve) => {
      report = resolve;
    });
    const server = await start(sharedDir, { onError: report });
    process.kill(server.postmasterPid, 'SIGKILL');
    expect((await reported).message).toBe('The embedded PostgreSQL stopped and did not restart.');
    await server.stop();
    await start(sharedDir);
  });

  test('is reported with a full disk as the reason', async () => {
    const loss = new Error('It has gone away.');
    expect(await lossError(sharedDir, loss)).toBe(loss);
    // The /proc file system has no free space.
    expect((await lossError('/proc', loss)).message).toMatch(
      /^It has gone away\. The data directory's disk is full\. Free up space/,
    );
  });

  test('stops at once, with or without a pid file, even if it was adopted', async () => {
    for (const isAdopted of [false, true]) {
      if (isAdopted) await killOutright(await hostProcess(sharedDir));
      const server = await start(sharedDir, { onError: () => undefined });
      expect(server.adopted).toBe(isAdopted);
      process.kill(server.postmasterPid, 'SIGKILL');
      await server.stop();
    }
  });
});

describe('a crashed server', () => {
  /**
   * Kills the session that is writing, as the out-of-memory killer would. PostgreSQL then ends all other sessions and recovers.
   */
  async function crash(server: EmbeddedServer): Promise<void> {
    const client = new Client({ ...server.connection, ssl: false });
    client.on('error', () => {});
    await client.connect();
    await client.query('CREATE TABLE IF NOT EXISTS written (n int); TRUNCATE written');
    await client.query('BEGIN; INSERT INTO written SELECT generate_series(1, 200000)');
    const { rows } = await client.query('SELECT pg_backend_pid() AS pid');
    const writing = client.query('INSERT INTO written SELECT generate_series(1, 100000000)');
    process.kill(rows[0].pid, 'SIGKILL');
    await expect(writing).rejects.toThrow(/terminated unexpectedly|ECONNRESET/);
  }

  const NOTHING_WRITTEN = [{ n: '0' }];

  test('may be left running while it recovers: the next start finds all committed data', async () => {
    const first = await start(sharedDir);
    await crash(first);
    await first.stop();
    const second = await start(sharedDir);
    expect(await query(second, 'SELECT count(*) AS n FROM written')).toEqual(NOTHING_WRITTEN);
    await second.stop();
    expect(isRunningIn(sharedDir)).toBe(false);
  });

  test('works again once it has recovered', async () => {
    const server = await start(sharedDir);
    await crash(server);
    const answer = async (): Promise<unknown[]> =>
      query(server, 'SELECT count(*) AS n FROM written').catch(() => wait(20).then(answer));
    expect(await answer()).toEqual(NOTHING_WRITTEN);
  });

  test('is replaced if it hangs while shutting down after its host was killed', async () => {
    const first = await start(sharedDir, { onError: () => undefined });
    await crash(first);
    // PostgreSQL 18 never finishes a fast shutdown that begins during recovery.
    process.kill(first.postmasterPid, 'SIGINT');
    const second = await start(sharedDir, { stopTimeoutMs: 500 });
    expect(isAlive(first.postmasterPid)).toBe(false);
    expect(await query(second, 'SELECT count(*) AS n FROM written')).toEqual(NOTHING_WRITTEN);
  });
});

describe('directories', () => {
  test.each([
    ['/proc/qal', 'the file system does not allow directories there'],
    ['/dev/null/qal', 'a file is in the way'],
    ['/dev/null', 'a file is in the way'],
  ])('%s cannot contain a directory, and the error gives the reason', async (directory, reason) => {
    await expect(start(directory)).rejects.toThrow(
      `The data directory ${directory} cannot be created: ${reason}. Set DATA_DIR to a directory`,
    );
  });

  test('if the path is too long for a socket, a private folder in /tmp is created and later removed, even when several processes use it', async () => {
    const directory = join(await newDirectory(), 'd'.repeat(120));
    // cp keeps the owner; Node.js does not.
    execFileSync('cp', ['-a', sharedDir, directory]);
    const socket = socketPlace(join(directory, 'postgres'));
    expect(Buffer.byteLength(join(socket.directory, '.s.PGSQL.5432'))).toBeLessThan(104);
    const stopping = await start(directory);
    expect((await stat(socket.directory)).mode & 0o777).toBe(0o700);
    expect(await query(stopping, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    const [, starting] = await Promise.all([stopping.stop(), start(directory)]);
    expect(await query(starting, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    await starting.stop();
    expect(existsSync(socket.directory)).toBe(false);
  });

  // attack: attacker-s-folder-place
  test('the private folder in /tmp is rejected if others can write to it', async () => {
    const directory = join(await newDirectory(), 'd'.repeat(120));
    const socket = socketPlace(join(directory, 'postgres'));
    directories.add(socket.directory);
    await mkdir(socket.directory);
    await chmod(socket.directory, 0o777);
    await expect(start(directory)).rejects.toThrow('belongs to another account');
  });

  test('the remains of a killed initdb are removed, but not the folder of a running one', async () => {
    const abandoned = join(sharedDir, 'postgres.new-abcdef');
    const fresh = join(sharedDir, 'postgres.new-ghijkl');
    await mkdir(abandoned);
    await mkdir(fresh);
    await utimes(abandoned, 0, 0);
    await start(sharedDir);
    expect([existsSync(abandoned), existsSync(fresh)]).toEqual([false, true]);
    await rm(fresh, { recursive: true });
  });

  test('a directory from a different PostgreSQL version is rejected', async () => {
    const file = join(sharedDir, 'postgres', 'PG_VERSION');
    const version = await readFile(file, 'utf8');
    await writeFile(file, '12\n');
    await expect(start(sharedDir)).rejects.toThrow('was written by PostgreSQL 12');
    await writeFile(file, version);
  });

  test('a folder with other content is not changed', async () => {
    const directory = await newDirectory();
    await mkdir(join(directory, 'postgres'));
    await writeFile(join(directory, 'postgres', 'letter.txt'), 'mine');
    await expect(start(directory)).rejects.toThrow('neither empty nor a PostgreSQL directory');
    expect(await readFile(join(directory, 'postgres', 'letter.txt'), 'utf8')).toBe('mine');
  });

  test('a PG_BINDIR without programs is reported', async () => {
    await expect(start(sharedDir, { pgBinDir: '/nowhere' })).rejects.toThrow('PG_BINDIR is /nowhere');
  });
});
