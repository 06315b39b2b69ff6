// A server that keeps connections open but stops responding: every wait ends, and the pools lose no connections.
import type { Knex } from 'knex';
import { ServerSilent } from '../../db/open-connections';
import { openReadPool, type ReadPool } from '../../db/read-pool';
import { isUnavailable } from '../../db/unavailable';
import { openWritePool } from '../../db/write-pool';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { type DatabaseProxy, openDatabaseProxy } from '../support/database-proxy';

let proxy: DatabaseProxy;
let database: TestDatabase;
let read: ReadPool;
let write: Knex;
let end: () => Promise<unknown>;

beforeAll(async () => {
  proxy = await openDatabaseProxy();
  database = await createTestDatabase();
});
beforeEach(() => {
  const options = {
    connection: { connectionString: proxy.through(database.url) },
    name: 'behind a proxy',
    settings: {},
    poolMax: 1,
    silenceSeconds: 1,
    onPoolError: () => {},
  };
  read = openReadPool(options);
  write = openWritePool(options);
  end = () => Promise.all([read.end(), write.destroy()]);
});
afterEach(async () => {
  await end();
  proxy.recover();
});
afterAll(async () => {
  await database.drop();
  await proxy.close();
});

const oneRead = () => read.query({ text: 'SELECT 1 AS one' });
const oneWrite = async () => (await write.raw('SELECT 1 AS one')).rows;

// conformance: host.silent-database-client
test('a statement without a response fails, and the pools work again once the server responds', async () => {
  await Promise.all([oneRead(), oneWrite()]);
  proxy.fallSilent();
  await Promise.all([
    expect(oneRead()).rejects.toThrow(ServerSilent),
    expect(oneWrite()).rejects.toThrow(ServerSilent),
  ]);
  proxy.recover();
  expect(await Promise.all([oneRead(), oneWrite()])).toEqual([[{ one: 1 }], [{ one: 1 }]]);
});

test('if responses stop in the middle of a transaction, it ends, and an outage is reported', async () => {
  const interrupted = write.transaction(async (transaction) => {
    await transaction.raw('SELECT 1');
    proxy.fallSilent();
    await transaction.raw('SELECT 2');
  });
  const failed: unknown = await interrupted.catch((error: unknown) => error);
  expect(isUnavailable(failed)).toBe(true);
  proxy.recover();
  expect(await oneWrite()).toEqual([{ one: 1 }]);
});

test('a new connection without a response times out', async () => {
  proxy.fallSilent();
  const failed: unknown = await oneRead().catch((error) => error);
  expect(isUnavailable(failed)).toBe(true);
  proxy.recover();
  expect(await oneRead()).toEqual([{ one: 1 }]);
});

test('a caller that disconnects stops waiting even if its statement cannot be canceled', async () => {
  const caller = new AbortController();
  const working = read.withConnection({ seconds: 60, signal: caller.signal }, async (connection) => {
    proxy.fallSilent();
    const answer = connection.query('SELECT 1');
    caller.abort(new Error('gone'));
    return answer;
  });
  await expect(working).rejects.toThrow('gone');
});

test('a long statement continues as long as the server is running it', async () => {
  const { rows } = await write.raw('SELECT 1 AS one, pg_sleep(2) IS NULL AS slept');
  expect(rows).toEqual([{ one: 1, slept: false }]);
});

test('the pools of an unresponsive server can be closed, which ends all work on them', async () => {
  const started: Promise<void>[] = [];
  const expectStart = () => {
    let markStarted = () => {};
    started.push(new Promise((resolve) => (markStarted = resolve)));
    return markStarted;
  };
  const [readStarted, writeStarted] = [expectStart(), expectStart()];
  const signal = new AbortController().signal;
  const work = Promise.allSettled([
    read.withConnection({ seconds: 60, signal }, (connection) => {
      readStarted();
      return connection.query('SELECT pg_sleep(600)');
    }),
    write.transaction(async (transaction) => {
      await transaction.raw('SELECT 1');
      writeStarted();
      await transaction.raw('SELECT pg_sleep(600)');
    }),
  ]);
  await Promise.all(started);
  proxy.fallSilent();
  await end();
  expect((await work).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
});
