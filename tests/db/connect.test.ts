import { createTestDatabase, type TestDatabase } from '../support/database';

const PATIENCE = { seconds: 60, signal: new AbortController().signal };

describe('the two pools', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createTestDatabase();
  });

  afterAll(async () => {
    await database.drop();
  });

  test('the reader can read analytics', async () => {
    const rows = await database.read.query({ text: 'SELECT count(*) AS n FROM analytics.device' });
    expect(rows).toEqual([{ n: 3 }]);
  });

  const WRITE = "INSERT INTO analytics.os VALUES (1, 'Linux', gen_random_uuid())";

  // conformance: states.none-described
  test('the reader cannot write', async () => {
    await expect(database.read.query({ text: WRITE })).rejects.toThrow('read-only transaction');
  });

  // conformance: service.read-interface
  test('the reader cannot write even if read-only is switched off, because its role does not have the privilege', async () => {
    const attempt = database.read.withConnection(PATIENCE, async (client) => {
      await client.query('SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE');
      try {
        await client.query(WRITE);
      } finally {
        await client.query('SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY');
      }
    });
    await expect(attempt).rejects.toThrow('permission denied for table os');
  });

  test("the reader cannot access the host's schema", async () => {
    await expect(database.read.query({ text: 'SELECT * FROM host.users' })).rejects.toThrow(
      'permission denied for schema host',
    );
  });

  test('every reader connection has the query settings', async () => {
    const rows = await database.read.query({
      text: "SELECT current_setting('work_mem') AS memory, current_setting('jit') AS jit, current_setting('timezone') AS zone",
    });
    expect(rows).toEqual([{ memory: '16MB', jit: 'off', zone: 'UTC' }]);
  });

  // conformance: host.timeout
  test('a statement is canceled in the database when its caller disconnects', async () => {
    const caller = new AbortController();
    const slow = database.read.withConnection({ seconds: 60, signal: caller.signal }, (client) => {
      setTimeout(() => caller.abort(new Error('gone')), 50);
      return client.query('SELECT pg_sleep(600) /* to cancel */');
    });
    await expect(slow).rejects.toThrow('gone');
    const { rows } = await database.write.raw(
      "SELECT count(*) AS running FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%/* to cancel */' AND pid <> pg_backend_pid()",
    );
    expect(rows).toEqual([{ running: 0 }]);
  });
});

describe('values', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createTestDatabase();
  });

  afterAll(async () => {
    await database.drop();
  });

  // conformance: answer.numbers-json-numbers
  test('bigint and numeric become numbers and a date stays a string, even in arrays', async () => {
    const rows = await database.read.query({
      text: `SELECT 9007199254740991::int8 AS i, -1.25::numeric AS n, '2026-02-28'::date AS d,
              '{1,NULL,2}'::int8[] AS ii, '{0.5}'::numeric[] AS nn, '{2026-02-28}'::date[] AS dd`,
    });
    expect(rows).toEqual([
      { i: 9007199254740991, n: -1.25, d: '2026-02-28', ii: [1, null, 2], nn: [0.5], dd: ['2026-02-28'] },
    ]);
  });

  test.each([
    '9007199254740993',
    '(-9007199254740993)',
    '1e300',
    "'NaN'::numeric",
    "'{9007199254740993}'::int8[]",
    // conformance: answer.sum-beyond-2
  ])('%s is rejected instead of rounded', async (expression) => {
    await expect(database.read.query({ text: `SELECT ${expression} AS x` })).rejects.toThrow(
      'number cannot represent exactly',
    );
  });

  test('the connection still works after a rejected value', async () => {
    await database.write.transaction(async (trx) => {
      await expect(trx.raw('SELECT 9007199254740993 AS x')).rejects.toThrow('exactly');
      const { rows } = await trx.raw('SELECT 1 AS one');
      expect(rows).toEqual([{ one: 1 }]);
    });
  });
});
