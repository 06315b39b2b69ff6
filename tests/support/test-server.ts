// Owns the server that test databases lie on: an embedded one, or the one of TEST_DATABASE_URL (its role needs
// CREATEDB and CREATEROLE). Holds a migrated template that every test database is copied from.
import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { openPool } from '../../db/connect';
import { migrate } from '../../db/migrate';
import { startThrowawayPostgres, type ThrowawayPostgres } from './throwaway-postgres';

/** What is needed to make databases; handed from process to process as JSON. */
export interface TestServer {
  /** The owner's connection string to the database that new ones are made from. */
  readonly ownerUrl: string;
  readonly template: string;
  readonly readerRole: string;
  readonly readerPassword: string;
}

export interface RunningTestServer {
  readonly server: TestServer;
  /** The embedded one; undefined with a server that was there before. */
  readonly postgres: ThrowawayPostgres | undefined;
  stop(): Promise<void>;
}

/** Starts or reaches the server and makes the template. */
export async function startTestServer(
  ownUrl: string | undefined,
  directoryPrefix: string,
): Promise<RunningTestServer> {
  const postgres = ownUrl === undefined ? await startThrowawayPostgres(directoryPrefix) : undefined;
  const ownerUrl = ownUrl ?? postgres?.url ?? '';
  const run = randomBytes(4).toString('hex');
  const server: TestServer = {
    ownerUrl,
    template: `qal_template_${run}`,
    readerRole: `qal_test_${run}`,
    readerPassword: randomBytes(12).toString('hex'),
  };
  const stop = () => (postgres === undefined ? removeFromServer(server) : postgres.stop());
  try {
    await makeTemplate(server);
  } catch (error) {
    await stop();
    throw error;
  }
  return { server, postgres, stop };
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

/** The reader's connection to a test database. */
export function readerConnection(server: TestServer, database: string): { connectionString: string } {
  const url = new URL(withDatabase(server.ownerUrl, database));
  url.username = server.readerRole;
  url.password = server.readerPassword;
  return { connectionString: url.href };
}

function raise(error: Error): void {
  throw error;
}
