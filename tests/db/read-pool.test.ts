// Waiting for a connection from the read pool has a time limit, and no connection is lost, no matter what callers do.
import knex from 'knex';
import { NoConnection } from '../../db/connection-pool';
import { openReadPool, type ReadPool } from '../../db/read-pool';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { until } from '../support/until';

let database: TestDatabase;
let pool: ReadPool;
let isEnded: boolean;

beforeAll(async () => {
  database = await createTestDatabase();
});
beforeEach(() => {
  isEnded = false;
  pool = openReadPool({
    connection: { connectionString: database.readUrl },
    name: 'one at a time',
    settings: { timezone: 'UTC' },
    poolMax: 1,
    onPoolError: () => {},
  });
});
afterEach(async () => {
  if (!isEnded) await pool.end();
});
afterAll(() => database.drop());

const patience = (seconds: number, signal = new AbortController().signal) => ({ seconds, signal });
const one = () => pool.query({ text: 'SELECT 1 AS one' });

/** Keeps the only connection busy during `work`. */
function whileTaken(work: () => Promise<void>): Promise<void> {
  return pool.withConnection(patience(60), work);
}

test('a caller that waits too long gets an error, and the connection remains usable', async () => {
  await whileTaken(async () => {
    const waiting = pool.withConnection(patience(0.05), async () => 'never');
    await expect(waiting).rejects.toThrow(NoConnection);
    await expect(waiting).rejects.toThrow('No connection to the database became free within 0.05 seconds.');
  });
  expect(await one()).toEqual([{ one: 1 }]);
});

test("a caller that aborts while waiting gets the signal's reason, and the connection remains usable", async () => {
  const caller = new AbortController();
  await whileTaken(async () => {
    const waiting = pool.withConnection(patience(60, caller.signal), async () => 'never');
    caller.abort(new Error('gone'));
    await expect(waiting).rejects.toThrow('gone');
    await expect(pool.withConnection(patience(60, caller.signal), async () => 'never')).rejects.toThrow(
      'gone',
    );
  });
  expect(await one()).toEqual([{ one: 1 }]);
});

test("canceling affects only the caller's own statement", async () => {
  const caller = new AbortController();
  const sleeping = pool.withConnection(patience(60, caller.signal), (connection) => {
    setTimeout(() => caller.abort(new Error('gone')), 20);
    return connection.query('SELECT pg_sleep(600)');
  });
  await expect(sleeping).rejects.toThrow('gone');
  for (let times = 0; times < 20; times++) expect(await one()).toEqual([{ one: 1 }]);
});

test('a short time limit does not affect the next caller', async () => {
  const limit = { text: "SELECT current_setting('statement_timeout') AS max" };
  const limitFor = (seconds: number) =>
    pool.withConnection(patience(seconds), async (connection) => (await connection.query(limit.text)).rows);
  expect(await limitFor(8)).toEqual([{ max: '8s' }]);
  expect(await pool.query(limit)).toEqual([{ max: '5min' }]);
  expect(await limitFor(9)).toEqual([{ max: '9s' }]);
  const batches: unknown[] = [];
  for await (const batch of pool.batches<string[]>(patience(60), limit)) batches.push(...batch);
  expect(batches).toEqual([['1min']]);
});

test('a connection that the server closed is replaced', async () => {
  const ended = pool.withConnection(patience(60), (connection) =>
    connection.query('SELECT pg_terminate_backend(pg_backend_pid())'),
  );
  await expect(ended).rejects.toThrow();
  // The pool is notified shortly afterwards.
  let answer: unknown;
  for (let tries = 0; answer === undefined && tries < 100; tries++)
    answer = await one().catch(() => undefined);
  expect(answer).toEqual([{ one: 1 }]);
});

test('a failed statement does not affect its connection', async () => {
  await expect(pool.query({ text: 'SELECT 1 / 0' })).rejects.toThrow('division by zero');
  expect(await one()).toEqual([{ one: 1 }]);
});

test('a SELECT that Knex built without a connection runs with its values', async () => {
  const built = knex({ client: 'pg' })
    .from('analytics.device')
    .select<{ device_id: number }[]>('device_id')
    .whereIn('device_id', [1, 2]);
  expect(await pool.select(built.orderBy('device_id'))).toEqual([{ device_id: 1 }, { device_id: 2 }]);
});

test('ending waits for work in progress and for connections to close', async () => {
  const working = pool.withConnection(patience(60), (connection) => connection.query('SELECT pg_sleep(0.1)'));
  isEnded = true;
  await Promise.all([working, pool.end()]);
  const { rows } = await database.write.raw(
    "SELECT count(*) AS n FROM pg_stat_activity WHERE application_name = 'one at a time'",
  );
  expect(rows).toEqual([{ n: 0 }]);
});

describe('in batches', () => {
  /** About a kilobyte per row. */
  const numbers = (count: number, signal?: AbortSignal) =>
    pool.batches<[number, string]>(patience(60, signal), {
      text: `SELECT n, repeat('x', 1000) FROM generate_series(1, $1::int) n`,
      values: [count],
    });
  const isWaiting = async () => {
    const { rows } = await database.write.raw(
      "SELECT 1 FROM pg_stat_activity WHERE application_name = 'one at a time' AND wait_event = 'ClientWrite'",
    );
    return rows.length === 1;
  };

  test.each([0, 1, 300, 3_000])('all %i rows arrive in order', async (count) => {
    const all: number[] = [];
    for await (const rows of numbers(count)) {
      expect(rows.length).toBeLessThan(500);
      all.push(...rows.map(([n]) => n));
    }
    expect(all).toEqual(Array.from({ length: count }, (_, index) => index + 1));
    expect(await one()).toEqual([{ one: 1 }]);
  });

  test('PostgreSQL waits while no rows are read', async () => {
    const reading = numbers(100_000);
    await reading.next();
    await until(isWaiting);
    await reading.return();
    expect(await one()).toEqual([{ one: 1 }]);
  });

  test('the connection remains usable after stopping at any row', async () => {
    for (let count = 200; count < 400; count += 5) {
      const reading = numbers(count);
      await reading.next();
      await reading.return();
      expect(await one()).toEqual([{ one: 1 }]);
    }
  });

  test('stopping early, failing and aborting release the connection', async () => {
    for await (const rows of numbers(100_000)) {
      expect(rows[0]).toEqual([1, expect.any(String)]);
      break;
    }
    expect(await one()).toEqual([{ one: 1 }]);
    const failing = pool.batches(patience(60), {
      text: "SELECT 1 / (2000 - n), repeat('x', 1000) FROM generate_series(1, 9000) n",
    });
    expect((await failing.next()).done).toBe(false);
    await expect(
      (async () => {
        for await (const _ of failing);
      })(),
    ).rejects.toThrow('division by zero');
    expect(await one()).toEqual([{ one: 1 }]);
    const caller = new AbortController();
    const reading = numbers(100_000, caller.signal);
    await reading.next();
    caller.abort(new Error('gone'));
    await expect(
      (async () => {
        for await (const _ of reading);
      })(),
    ).rejects.toThrow('gone');
    expect(await one()).toEqual([{ one: 1 }]);
  });

  test('a long statement is canceled', async () => {
    const caller = new AbortController();
    const sleeping = pool.batches(patience(60, caller.signal), { text: 'SELECT pg_sleep(600)' }).next();
    setTimeout(() => caller.abort(new Error('gone')), 20);
    await expect(sleeping).rejects.toThrow('gone');
    expect(await one()).toEqual([{ one: 1 }]);
  });

  test('stopping early ends a statement that ignores the cancel request', async () => {
    await database.write.raw(`CREATE FUNCTION stubborn() RETURNS text LANGUAGE plpgsql AS $$
      BEGIN PERFORM pg_sleep(600); RETURN ''; EXCEPTION WHEN query_canceled THEN PERFORM pg_sleep(40); RETURN ''; END $$`);
    const started = performance.now();
    const text =
      "SELECT CASE n WHEN 300 THEN stubborn() ELSE repeat('x', 1000) END FROM generate_series(1, 300) n";
    const isSleeping =
      "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'";
    for await (const rows of pool.batches(patience(60), { text })) {
      expect(rows[0]).toEqual([expect.any(String)]);
      await until(async () => (await database.write.raw(isSleeping)).rows.length > 0);
      break;
    }
    expect(await one()).toEqual([{ one: 1 }]);
    expect(performance.now() - started).toBeLessThan(30_000);
  });
});
