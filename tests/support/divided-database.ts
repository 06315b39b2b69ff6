// Distributes a test database over the workers of a Citus cluster, whose connection strings are in TEST_CITUS_WORKERS.
// TEST_DATABASE_URL is the coordinator's. Without them, a test database is on a single machine.
import { Client } from 'pg';
import { openWritePool } from '../../db/write-pool';
import { distributeTables } from '../../extension/data/storage/distribute/distribute-tables';
import { loadManifest } from '../../manifests/reader/manifest';

const workers = (process.env.TEST_CITUS_WORKERS ?? '').split(' ').filter((url) => url !== '');

export const isDividedHere = workers.length > 0;

/** Distributes the database with this connection string. */
export async function divideDatabase(url: string): Promise<void> {
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
    ...workers.map((worker) => `SELECT citus_add_node(${placeOf(worker)})`),
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

async function runAt(url: string, statements: readonly string[]): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}
