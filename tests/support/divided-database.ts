// Distributes a test database over the workers of a Citus cluster, whose connection strings are in TEST_CITUS_WORKERS.
// TEST_DATABASE_URL must be the coordinator. Without these variables, a test database is on a single machine.
import { Client, type QueryResultRow } from 'pg';
import { openWritePool } from '../../db/write-pool';
import { distributeTables } from '../../extension/data/storage/distribute/distribute-tables';
import { loadManifest } from '../../manifests/reader/manifest';
import { type DatabaseProxy, openDatabaseProxy } from './database-proxy';

const workers = (process.env.TEST_CITUS_WORKERS ?? '').split(' ').filter((url) => url !== '');

export const workerCount = workers.length;

export const isDividedHere = workerCount > 0;

/** A proxy in front of each worker, at this machine's address as seen from the coordinator. */
export async function openWorkerProxies(): Promise<readonly DatabaseProxy[]> {
  const coordinator = process.env.TEST_DATABASE_URL ?? '';
  const [{ host } = { host: null }] = await runAt<{ host: string | null }>(coordinator, [
    'SELECT host(inet_client_addr()) AS host',
  ]);
  return Promise.all(workers.map((worker) => openDatabaseProxy(worker, { host: host ?? '127.0.0.1' })));
}

/** Distributes the database with this connection string. The coordinator can connect to the workers through proxies. */
export async function divideDatabase(url: string, proxies: readonly DatabaseProxy[] = []): Promise<void> {
  const name = new URL(url).pathname.slice(1);
  const inDatabase = (server: string) => Object.assign(new URL(server), { pathname: `/${name}` }).href;
  for (const worker of workers) {
    await runAt(worker, [`CREATE DATABASE ${name}`]);
    await runAt(inDatabase(worker), ['CREATE EXTENSION citus']);
  }
  await runAt(url, [
    'CREATE EXTENSION citus',
    'SET client_min_messages = error',
    `SELECT citus_set_coordinator_host(${placeOf(url)})`,
    ...workers.map(
      (worker, index) => `SELECT citus_add_node(${placeOf(proxies[index]?.through(worker) ?? worker)})`,
    ),
  ]);
  const write = openWritePool({
    connection: { connectionString: url },
    name: 'qal divide',
    settings: { timezone: 'UTC' },
    poolMax: 1,
    onPoolError(error) {
      throw error;
    },
  });
  const { obstacles } = await distributeTables({ write }, loadManifest()).finally(() => write.destroy());
  if (obstacles.length > 0) throw new Error(obstacles.join(' '));
}

/** Removes a database from the workers. */
export async function forgetDivided(name: string): Promise<void> {
  for (const worker of workers) await runAt(worker, [`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`]);
}

const placeOf = (url: string): string => {
  const { hostname, port } = new URL(url);
  return `'${hostname}', ${port || '5432'}`;
};

/** Returns the rows of the last statement. */
async function runAt<Row extends QueryResultRow>(url: string, statements: readonly string[]): Promise<Row[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    let rows: Row[] = [];
    for (const statement of statements) ({ rows } = await client.query<Row>(statement));
    return rows;
  } finally {
    await client.end();
  }
}
