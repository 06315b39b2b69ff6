// The program checks a Citus cluster before it changes anything. The Citus catalog is simulated.
import { checkServer } from '../../db/check-server';
import { unknownRoles, unknownRolesMessage } from '../../db/citus';
import { migrate } from '../../db/migrate';
import { grantReading } from '../../db/roles';
import { poolOf } from '../../db/write-pool';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { fakeCitus } from '../support/fake-citus';
import { SCHEMAS } from '../support/test-server';
import { until } from '../support/until';

let database: TestDatabase;
beforeEach(async () => {
  database = await createTestDatabase();
});
afterEach(() => database.drop());

/** The statements that `work` sends. */
async function statementsOf(work: () => Promise<unknown>): Promise<readonly string[]> {
  const sent: string[] = [];
  const listen = ({ sql }: { sql: string }) => void sent.push(sql);
  database.write.client.on('query', listen);
  await work().finally(() => database.write.client.off('query', listen));
  return sent;
}

test.each([
  [0, 'coordinator'],
  [3, 'worker'],
])('in a cluster, the server in group %i is a %s', async (group, kind) => {
  await database.write.raw('CREATE TABLE public.pg_dist_local_group AS SELECT ?::int AS groupid', [group]);
  const checked = checkServer(database.write);
  if (kind === 'worker')
    await expect(checked).rejects.toThrow(
      'The server at DATABASE_URL is a worker of a Citus cluster. Use the address of its coordinator.',
    );
  else await expect(checked).resolves.toMatch(/^\d+/);
});

test('a statement is canceled, although Citus adds a function of the same name', async () => {
  const pool = poolOf(database.write);
  await database.write.raw(
    'CREATE FUNCTION public.pg_cancel_backend(global_pid bigint) RETURNS boolean LANGUAGE sql RETURN false',
  );
  const client = await pool.acquire();
  try {
    const sleeping = expect(client.query('SELECT pg_sleep(600)')).rejects.toThrow('canceling statement');
    await until(async () => {
      const { rows } = await database.write.raw(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'`,
      );
      return rows.length > 0;
    });
    await pool.cancel(client);
    await sleeping;
  } finally {
    client.release();
  }
});

test('startup does not grant the reader privileges that it already has', async () => {
  const again = await statementsOf(() => migrate(database.write, SCHEMAS, database.readerRole));
  expect(again.filter((sql) => /\b(GRANT|ALTER|CREATE)\b/.test(sql))).toEqual([]);
});

test.each([
  ['REVOKE USAGE ON SCHEMA analytics FROM', 'GRANT USAGE ON SCHEMA'],
  ['REVOKE SELECT ON analytics.page FROM', 'GRANT SELECT ON ALL TABLES'],
  ['ALTER DEFAULT PRIVILEGES IN SCHEMA analytics REVOKE SELECT ON TABLES FROM', 'ALTER DEFAULT PRIVILEGES'],
])('after %s the reader, only the lost privilege is granted again', async (lost, granted) => {
  await database.write.raw(`${lost} ??`, [database.readerRole]);
  const grant = () => grantReading(database.write, 'analytics', database.readerRole);
  const sent = (await statementsOf(grant)).filter((sql) => /GRANT/.test(sql));
  expect(sent).toEqual([expect.stringContaining(granted)]);
  expect((await statementsOf(grant)).filter((sql) => /GRANT/.test(sql))).toEqual([]);
});

describe('roles that Citus has not recorded', () => {
  const owner = 'qal_citus_owner';
  beforeEach(async () => {
    await database.write.raw('CREATE TABLE public.pg_dist_object (classid oid, objid oid)');
    await database.write.raw('GRANT SELECT ON public.pg_dist_object TO PUBLIC');
    const setWorkers = await fakeCitus(database.write);
    await setWorkers([{ group: 1, state: 'responds' }]);
    await database.write.raw(`CREATE ROLE ${owner}`);
  });
  afterEach(() => database.write.raw(`DROP OWNED BY ${owner}; DROP ROLE ${owner}`));

  const asOwner = () =>
    database.write.transaction(async (trx) => {
      await trx.raw(`SET LOCAL ROLE ${owner}`);
      return unknownRoles(trx, database.readerRole);
    });

  test('are listed until a superuser makes Citus record them', async () => {
    const both = [owner, database.readerRole].sort();
    expect((await asOwner()).toSorted()).toEqual(both);
    expect(unknownRolesMessage(both)).toMatch(
      /^Citus has not recorded the roles \S+ and \S+\. As a superuser/,
    );
    await database.write.raw(
      "INSERT INTO public.pg_dist_object SELECT 'pg_authid'::regclass, oid FROM pg_roles WHERE rolname = ANY(?)",
      [both],
    );
    expect(await asOwner()).toEqual([]);
  });

  test('do not matter to a superuser, or if there are no workers', async () => {
    expect(await unknownRoles(database.write, database.readerRole)).toEqual([]);
    await database.write.raw('DELETE FROM public.pg_dist_node');
    expect(await asOwner()).toEqual([]);
  });
});
