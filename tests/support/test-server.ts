// The server for test databases: embedded, or TEST_DATABASE_URL, whose role needs CREATEDB and CREATEROLE. Test databases are
// copied from its templates: a migrated one, and some with data.
import { randomBytes } from 'node:crypto';
import type { Knex } from 'knex';
import { Client } from 'pg';
import { migrate } from '../../db/migrate';
import { openWritePool } from '../../db/write-pool';
import { PRODUCT } from '../../host-shim/main';
import { configure } from '../../host-shim/server/config';
import { schemasOf } from '../../host-shim/server/installation';
import { startThrowawayPostgres, type ThrowawayPostgres } from './throwaway-postgres';

/** The program's schemas. */
export const SCHEMAS = schemasOf(configure(PRODUCT.extensions, {}).extensions);

/** The data that is needed to create databases. Passed between processes as JSON. */
export interface TestServer {
  /** The owner's connection string for the maintenance database. */
  readonly ownerUrl: string;
  readonly template: string;
  readonly readerRole: string;
  readonly readerPassword: string;
}

/** Initial data for test databases. It is identified by name and written once for all processes that use it. */
export interface Filling {
  readonly name: string;
  fill(write: Knex): Promise<void>;
}

export interface RunningTestServer {
  readonly server: TestServer;
  /** The embedded server. Undefined if an existing one is used. */
  readonly postgres: ThrowawayPostgres | undefined;
  stop(): Promise<void>;
}

/** Starts the server or connects to it, and creates the template. */
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
  await withPool(server, server.template, (write) => migrate(write, SCHEMAS, server.readerRole));
}

/** Returns the name of the template with this data, and creates it if it does not exist. */
export async function filledTemplate(server: TestServer, { name, fill }: Filling): Promise<string> {
  const template = `${server.template}_${name}`;
  const unfinished = `${template}_unfinished`;
  await asOwner(server, async (client) => {
    // The lock is held until the connection ends. A second process waits, and then finds the template.
    await client.query('SELECT pg_advisory_lock(hashtext($1))', [template]);
    const { rows } = await client.query('SELECT FROM pg_database WHERE datname = $1', [template]);
    if (rows.length > 0) return;
    await client.query(`DROP DATABASE IF EXISTS ${unfinished} WITH (FORCE)`);
    await copyDatabase(client, server.template, unfinished);
    await withPool(server, unfinished, fill);
    await client.query(`ALTER DATABASE ${unfinished} RENAME TO ${template}`);
  });
  return template;
}

export async function copyDatabase(client: Client, template: string, name: string): Promise<void> {
  const { rows } = await client.query('SHOW fsync');
  // Copying files is faster than writing every page to the log, unless every file must be synced.
  const strategy = rows[0]?.fsync === 'off' ? 'FILE_COPY' : 'WAL_LOG';
  await client.query(`CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY ${strategy}`);
}

async function withPool(
  server: TestServer,
  database: string,
  work: (write: Knex) => Promise<unknown>,
): Promise<void> {
  const write = openWritePool({
    connection: { connectionString: withDatabase(server.ownerUrl, database) },
    name: 'qal template',
    settings: { timezone: 'UTC' },
    poolMax: 2,
    onPoolError: raise,
  });
  await work(write).finally(() => write.destroy());
}

async function removeFromServer(server: TestServer): Promise<void> {
  await asOwner(server, async (client) => {
    const { rows } = await client.query(
      'SELECT datname FROM pg_database WHERE starts_with(datname, $1) OR starts_with(datname, $2)',
      [server.readerRole, server.template],
    );
    for (const row of rows) await client.query(`DROP DATABASE "${row.datname}" WITH (FORCE)`);
    await client.query(`DROP ROLE IF EXISTS ${server.readerRole}`);
  });
}

/** Runs `work` on a separate connection as the owner. */
export async function asOwner<T>(server: TestServer, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: server.ownerUrl });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** The same connection string for a different database. */
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
