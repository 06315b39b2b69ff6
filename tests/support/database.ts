// A test database: migrated, empty or filled, with the same two pools as the program. Usage: const database = await
// createTestDatabase(); ... await database.drop();
import { randomBytes } from 'node:crypto';
import type { Knex } from 'knex';
import { openReadPool, type ReadPool } from '../../db/read-pool';
import { READER_SETTINGS } from '../../db/roles';
import { openWritePool } from '../../db/write-pool';
import { borrowServer } from './borrow-server';
import type { DatabaseProxy } from './database-proxy';
import { divideDatabase, forgetDivided, isDividedHere } from './divided-database';
import {
  asOwner,
  copyDatabase,
  type Filling,
  filledTemplate,
  readerConnection,
  type TestServer,
  withDatabase,
} from './test-server';

/** The number of connections in each pool. */
export const MAX_CONNECTIONS = 5;

export interface TestDatabase {
  /** This pool can only read the `analytics` schema. */
  readonly read: ReadPool;
  /** Connects as the owner of all tables. */
  readonly write: Knex;
  readonly readerRole: string;
  /** The owner's connection string. */
  readonly url: string;
  /** The reader's connection string. */
  readonly readUrl: string;
  /** Closes the pools and removes the database. */
  drop(): Promise<void>;
}

/** Leaves out the program's schemas, as on a new server. */
export const EMPTY = 'empty';

/**
 * Copies the migrated template, or the template with the given data, unless the database is to be empty. The pools can connect
 * through a proxy, and a Citus coordinator can connect to its workers through proxies.
 */
export async function createTestDatabase(
  filling?: Filling | typeof EMPTY,
  proxy?: DatabaseProxy,
  workerProxies: readonly DatabaseProxy[] = [],
): Promise<TestDatabase> {
  const { server, giveBack } = await borrowServer();
  const name = `${server.readerRole}_${randomBytes(6).toString('hex')}`;
  try {
    const template = await templateOf(server, filling);
    await asOwner(server, (client) => copyDatabase(client, template, name));
    if (isDividedHere && filling !== EMPTY)
      await divideDatabase(withDatabase(server.ownerUrl, name), workerProxies);
  } catch (error) {
    await giveBack();
    throw error;
  }
  const through = proxy?.through ?? ((direct: string) => direct);
  const url = withDatabase(server.ownerUrl, name);
  const reader = { connectionString: through(readerConnection(server, name).connectionString) };
  // Connections through a proxy may break.
  const shared =
    proxy === undefined
      ? { poolMax: MAX_CONNECTIONS, onPoolError: raise }
      : { poolMax: MAX_CONNECTIONS, onPoolError: () => {}, silenceSeconds: 1 };
  const ofOwner = {
    ...shared,
    connection: { connectionString: through(url) },
    name: 'qal test write',
    settings: { timezone: 'UTC', jit: 'off' },
  };
  const write = openWritePool(ofOwner);
  const read = openReadPool({
    ...shared,
    connection: reader,
    name: 'qal test read',
    settings: { timezone: 'UTC', ...READER_SETTINGS },
  });
  return {
    read,
    write,
    readerRole: server.readerRole,
    url,
    readUrl: reader.connectionString,
    async drop() {
      await Promise.all([read.end(), write.destroy()]);
      await asOwner(server, (client) => client.query(`DROP DATABASE ${name} WITH (FORCE)`));
      await forgetDivided(name);
      await giveBack();
    },
  };
}

async function templateOf(server: TestServer, filling?: Filling | typeof EMPTY): Promise<string> {
  if (filling === EMPTY) return 'template0';
  return filling === undefined ? server.template : filledTemplate(server, filling);
}

function raise(error: Error): void {
  throw error;
}
