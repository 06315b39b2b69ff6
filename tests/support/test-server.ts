// The one server of a test run: embedded in a temporary directory, or the one of TEST_DATABASE_URL (its role needs
// CREATEDB and CREATEROLE). Holds a migrated template that every test database is copied from.
import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { openPool } from '../../db/connect';
import { codeOf } from '../../db/embedded/error-code';
import { type EmbeddedServer, startEmbeddedServer } from '../../db/embedded/server';
import { migrate } from '../../db/migrate';

/** What the test files need to know; handed to the workers as JSON in the environment. */
export interface TestServer {
  /** The owner's connection string to the database that new ones are made from. */
  readonly ownerUrl: string;
  readonly template: string;
  readonly readerRole: string;
  readonly readerPassword: string;
}

export const TEST_SERVER_VARIABLE = 'QAL_TEST_SERVER';
const DIRECTORY_PREFIX = 'qal-test-';

export interface RunningTestServer {
  readonly server: TestServer;
  stop(): Promise<void>;
  /** For a signal, when there is no time to wait. */
  kill(): void;
}

/** Starts or reaches the server and makes the template. */
export async function startTestServer(ownUrl: string | undefined): Promise<RunningTestServer> {
  const embedded = ownUrl === undefined ? await startInTemporaryDirectory() : undefined;
  const ownerUrl = ownUrl ?? embedded?.url ?? '';
  const run = randomBytes(4).toString('hex');
  const server: TestServer = {
    ownerUrl,
    template: `qal_template_${run}`,
    readerRole: `qal_test_${run}`,
    readerPassword: randomBytes(12).toString('hex'),
  };
  const stop = async () => {
    if (embedded === undefined) await removeFromServer(server);
    await embedded?.stop();
  };
  try {
    await makeTemplate(server);
  } catch (error) {
    await stop();
    throw error;
  }
  return { server, stop, kill: () => embedded?.kill() };
}

async function makeTemplate(server: TestServer): Promise<void> {
  await asOwner(server, async (client) => {
    await client.query(`CREATE ROLE ${server.readerRole} LOGIN PASSWORD '${server.readerPassword}'`);
    await client.query(`CREATE DATABASE ${server.template}`);
  });
  const write = openPool({
    connection: { connectionString: withDatabase(server.ownerUrl, server.template) },
    name: 'qal template',
    settings: { timezone: 'UTC' },
    poolMax: 1,
    onPoolError: raise,
  });
  write.userParams = { readerRole: server.readerRole };
  await migrate(write).finally(() => write.destroy());
}

async function removeFromServer(server: TestServer): Promise<void> {
  await asOwner(server, async (client) => {
    const { rows } = await client.query('SELECT datname FROM pg_database WHERE starts_with(datname, $1)', [
      server.readerRole,
    ]);
    for (const row of rows) await client.query(`DROP DATABASE "${row.datname}" WITH (FORCE)`);
    await client.query(`DROP DATABASE IF EXISTS ${server.template} WITH (FORCE)`);
    await client.query(`DROP ROLE IF EXISTS ${server.readerRole}`);
  });
}

/** Runs something on a connection of the owner, outside all pools. */
export async function asOwner<T>(server: TestServer, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: server.ownerUrl });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** The same connection string for another database. */
export function withDatabase(url: string, database: string): string {
  const changed = new URL(url);
  changed.pathname = `/${database}`;
  return changed.href;
}

/** A connection string for a server on a unix socket. */
export function socketUrl(connection: {
  host: string;
  port: number;
  user: string;
  database: string;
}): string {
  const place = new URLSearchParams({ host: connection.host, port: String(connection.port) });
  return `postgresql://${connection.user}@localhost/${connection.database}?${place}`;
}

/** The reader's connection to a test database. */
export function readerConnection(server: TestServer, database: string): { connectionString: string } {
  const url = new URL(withDatabase(server.ownerUrl, database));
  url.username = server.readerRole;
  url.password = server.readerPassword;
  return { connectionString: url.href };
}

async function startInTemporaryDirectory() {
  await sweepLeftovers();
  const dataDir = await mkdtemp(join(tmpdir(), `${DIRECTORY_PREFIX}${process.pid}-`));
  const server: EmbeddedServer = await startEmbeddedServer({
    dataDir,
    onError: raise,
    // Nothing here outlives the run.
    settings: { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off', max_connections: '200' },
  });
  return {
    url: socketUrl(server.connection),
    async stop() {
      await server.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
    kill() {
      process.kill(server.postmasterPid, 'SIGQUIT');
      rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

// A run that was killed outright leaves its server and its directory; the next run ends both.
async function sweepLeftovers(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const pid = Number(/^qal-test-(\d+)-/.exec(name)?.[1]);
    if (!Number.isInteger(pid) || isAlive(pid)) continue;
    const dataDir = join(tmpdir(), name);
    const server = await startEmbeddedServer({ dataDir, onError: raise }).catch(() => undefined);
    await server?.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}

function raise(error: Error): void {
  throw error;
}
