// The program as a process: exit codes, the first and the second start, and a clean stop.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { useProgram } from '../support/program-process';
import { basicHeader } from '../support/test-host';
import { throwawayFolder } from '../support/throwaway-postgres';

let directory: string;
let database: TestDatabase;
beforeAll(async () => {
  directory = await mkdtemp(join(await throwawayFolder(), 'qal-test-'));
  database = await createTestDatabase();
});
afterAll(async () => {
  await database.drop();
  await rm(directory, { recursive: true });
});

const program = useProgram(join(__dirname, '../../host-shim/cli/qal.ts'));
const dataDir = () => ({ DATA_DIR: join(directory, 'data') });
const run = (args: readonly string[], environment: Record<string, string> = {}) =>
  program.run(args, { ...dataDir(), ...environment });
const serve = (environment: Record<string, string>) => program.serve({ ...dataDir(), ...environment });

test('names every wrong setting, and ends with exit code 2', async () => {
  expect(await run(['users', 'list'], { PORT: 'http', LOG_LEVEL: 'loud' })).toMatchObject({
    code: 2,
    out: '',
    err: expect.stringMatching(/^PORT must be .*\nLOG_LEVEL must be .*\n$/),
  });
});

test('names the setting for a contract that is not installed, and what would be right', async () => {
  const environment = {
    DATABASE_URL: database.url,
    DATABASE_READ_URL: database.readUrl,
    QAL_DEFAULT_VERSION: '2020-01-01',
  };
  expect(await run(['serve', '--port', '0'], environment)).toEqual({
    code: 2,
    out: '',
    err: expect.stringMatching(
      /^QAL_DEFAULT_VERSION must be one of latest, oldest, \d{4}-\d\d-\d\d.*; "2020-01-01" is not\.\n$/,
    ),
  });
});

test('ends with exit code 1 when the embedded database is gone for good', async () => {
  const sites = join(directory, 'sites.yaml');
  await writeFile(
    sites,
    'sites:\n  - { tracking_id: shop, domain: shop.example, name: Shop, timezone: UTC }\n',
  );
  expect(await run(['sites', 'apply', sites])).toMatchObject({ code: 0 });
  const server = await serve({});
  const pidFile = join(directory, 'data', 'postgres', 'postmaster.pid');
  process.kill(Number((await readFile(pidFile, 'utf8')).split('\n')[0]), 'SIGKILL');
  expect(await server.ended).toBe(1);
  expect(server.text.err).toMatch(/^The embedded PostgreSQL has gone away and did not come back\.$/m);
});

test('lists every command without a database', async () => {
  const { code, out } = await run(['--help'], { DATABASE_URL: 'postgresql://127.0.0.1:1/none' });
  expect(code).toBe(0);
  for (const name of [
    'serve',
    'migrate',
    'users',
    'passwords',
    'sites',
    'import',
    'query',
    'explain',
    'demo',
  ]) {
    expect(out).toMatch(new RegExp(`^ {2}${name}\\b`, 'm'));
  }
});

test('says in one sentence that the database does not answer, and ends with exit code 1', async () => {
  const { code, out, err } = await run(['users', 'list'], { DATABASE_URL: 'postgresql://127.0.0.1:1/none' });
  expect([code, out]).toEqual([1, '']);
  expect(err).toMatch(/^No PostgreSQL answers at 127\.0\.0\.1:1\/none.*\n$/);
});

test('starts and stops twice', async () => {
  await database
    .write('analytics.site')
    .insert({ tracking_id: 'shop', domain: 'shop.example', name: 'Shop', timezone: 'UTC' });
  const ownDatabase = { DATABASE_URL: database.url, DATABASE_READ_URL: database.readUrl };
  const first = await serve(ownDatabase);
  const secret = /Application password +(.+)/.exec(first.text.out)?.[1] ?? '';
  expect(first.text.out).toMatch(/Administrator +admin\n +Login password +\w{20}\n/);
  expect(first.text.out).toMatch(
    new RegExp(`^curl -s -u 'admin:${secret}' .* ${first.url}/wp-json/qa-platform/query$`, 'm'),
  );
  const body = /-d '(.*)' http/.exec(first.text.out)?.[1] ?? '';
  const answer = await fetch(`${first.url}/wp-json/qa-platform/query`, {
    method: 'POST',
    headers: { Authorization: basicHeader({ login: 'admin', secret }), 'Content-Type': 'application/json' },
    body,
  });
  expect([answer.status, await answer.json()]).toMatchObject([200, { ok: true }]);
  first.child.kill('SIGTERM');
  expect(await first.ended).toBe(0);

  const second = await serve(ownDatabase);
  expect(second.text.out).not.toContain('Login password');
  expect(second.text.out).toContain('qal -- users password admin');
  expect(second.text.out).toContain("-u 'admin:APPLICATION PASSWORD'");
  second.child.kill('SIGHUP');
  expect(await second.ended).toBe(0);
});
