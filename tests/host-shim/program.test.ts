// The program as a process: exit codes, the first and second start, and a clean stop.
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, readlink, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { useProgram } from '../support/program-process';
import { basicHeader } from '../support/test-host';
import { throwawayFolder } from '../support/throwaway-postgres';

let directory: string;
let database: TestDatabase;
beforeAll(async () => {
  directory = await mkdtemp(join(throwawayFolder(), 'qal-test-'));
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

test('reports every invalid setting and exits with code 2', async () => {
  expect(await run(['users', 'list'], { PORT: 'http', LOG_LEVEL: 'loud' })).toMatchObject({
    code: 2,
    out: '',
    err: expect.stringMatching(/^PORT must be .*\nLOG_LEVEL must be .*\n$/),
  });
});

test('--version works without settings', async () => {
  const { code, out, err } = await run(['--version'], { QAL_ENV_FILE: join(directory, 'missing.env') });
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(out).toMatch(/^\d+\.\d+\.\d+\n$/);
});

test('help lists every command, without settings or a database', async () => {
  const { code, out, err } = await run(['--help'], {
    QAL_ENV_FILE: join(directory, 'missing.env'),
    DATABASE_URL: 'postgresql://127.0.0.1:1/none',
  });
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(out).toMatch(/^Usage: qal/);
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

test('Ctrl-C stops the program with a message while it is loading', async () => {
  // The program sets its umask before it loads the rest.
  const interrupting = `data:text/javascript,${encodeURIComponent(
    'const { umask } = process; process.umask = (mask) => { process.kill(process.pid, "SIGINT"); return umask(mask); };',
  )}`;
  expect(await run(['serve', '--port', '0'], { NODE_OPTIONS: `--import=${interrupting}` })).toEqual({
    code: Number.NaN,
    out: '',
    err: 'Stopped while the program was loading; nothing was done.\n',
  });
  expect(existsSync(dataDir().DATA_DIR)).toBe(false);
});

// conformance: contracts.what-missing-version
test('the error for a contract that is not installed names the setting and its valid values', async () => {
  const environment = {
    DATABASE_URL: database.url,
    DATABASE_READ_URL: database.readUrl,
    QAL_DEFAULT_VERSION: '2020-01-01',
    // The tests' database role is not allowed to set the limit, and a warning about it would be logged first.
    DB_TEMP_FILE_MB: '0',
  };
  expect(await run(['serve', '--port', '0'], environment)).toEqual({
    code: 2,
    out: '',
    err: expect.stringMatching(
      /^QAL_DEFAULT_VERSION must be one of latest, oldest, \d{4}-\d\d-\d\d.*; "2020-01-01" is not\.\n$/,
    ),
  });
});

/** Paths in a folder that other accounts can access. Skips PostgreSQL's folder, which they cannot enter. */
async function openToOthers(folder: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const entry = await stat(path);
    if ((entry.mode & 0o077) !== 0) found.push(path);
    if (entry.isDirectory() && name !== 'postgres') found.push(...(await openToOthers(path)));
  }
  return found;
}

/** The TCP ports that a process listens on, each once: several sockets may share one. */
async function portsOf(pid: number): Promise<readonly number[]> {
  const open = (await readdir(`/proc/${pid}/fd`)).map((fd) =>
    readlink(`/proc/${pid}/fd/${fd}`).catch(() => ''),
  );
  const sockets = new Set(await Promise.all(open));
  const tables = await Promise.all(['tcp', 'tcp6'].map((name) => readFile(`/proc/net/${name}`, 'utf8')));
  const listening = '0A';
  const ports = tables
    .flatMap((table) => table.split('\n').map((line) => line.trim().split(/\s+/)))
    .filter(([, , , state, , , , , , inode]) => state === listening && sockets.has(`socket:[${inode}]`))
    .map(([, address = '']) => Number.parseInt(address.split(':')[1] ?? '', 16));
  return [...new Set(ports)];
}

describe('a server with its own database', () => {
  const postmaster = () => join(directory, 'data', 'postgres', 'postmaster.pid');
  const postmasterPid = async () => Number((await readFile(postmaster(), 'utf8')).split('\n')[0]);
  let server: Awaited<ReturnType<typeof serve>>;
  beforeAll(async () => {
    const sites = 'sites:\n  - { tracking_id: shop, domain: shop.example, name: Shop, timezone: UTC }\n';
    expect(await program.run(['sites', 'apply', '-'], dataDir(), sites)).toMatchObject({ code: 0 });
    server = await serve({});
  });

  test('prints the credentials of the first account, and a command that works', async () => {
    const secret = /Application password +(.+)/.exec(server.text.out)?.[1] ?? '';
    expect(server.text.out).toMatch(/Administrator +admin\n +Login password +\w{20}\n/);
    expect(server.text.out).toMatch(
      new RegExp(
        `^curl -s -u 'admin:${secret}' .* '${server.url}/wp-json/qa-platform/query\\?version=2026-05-11'$`,
        'm',
      ),
    );
    const body = /-d '(.*)' 'http/.exec(server.text.out)?.[1] ?? '';
    const response = await fetch(`${server.url}/wp-json/qa-platform/query`, {
      method: 'POST',
      headers: {
        Authorization: basicHeader({ login: 'admin', secret }),
        'Content-Type': 'application/json',
      },
      body,
    });
    expect([response.status, await response.json()]).toMatchObject([200, { ok: true }]);
  });

  // attack: read-data-directory-column
  // conformance: beyond.commands-work-beside
  test('shares its database with commands that run at the same time; other accounts cannot read any file that they write', async () => {
    const copy = join(directory, 'data', 'columns', 'columns.duckdb');
    while (!existsSync(copy)) await pause(20);
    const written = join(directory, 'written');
    await mkdir(written, { mode: 0o700 });
    const [exported, backup] = [join(written, 'export'), join(written, 'backup')];
    const done = await Promise.all([
      run(['passwords', 'create', 'admin', '--name', 'beside']),
      run(['export', '--site', 'shop', exported]),
      run(['backup', backup]),
    ]);
    expect(done).toMatchObject([
      { code: 0, out: expect.stringMatching(/^([A-Za-z0-9]{4} ?){6}\n$/), err: '' },
      { code: 0 },
      { code: 0 },
    ]);
    const Authorization = basicHeader({ login: 'admin', secret: done[0].out });
    const response = await fetch(`${server.url}/wp-json/qa-platform/guide`, { headers: { Authorization } });
    expect(response.status).toBe(200);
    expect([existsSync(join(exported, 'site.yaml')), existsSync(backup)]).toEqual([true, true]);
    expect([...(await openToOthers(join(directory, 'data'))), ...(await openToOthers(written))]).toEqual([]);
    expect((await stat(join(directory, 'data'))).mode & 0o777).toBe(0o700);
  });

  test('is the only one that serves requests for its data directory', async () => {
    const second = await run(['serve', '--port', '0']);
    expect([second.code, second.err]).toEqual([1, expect.stringMatching(/ is in use by qal process /)]);
  });

  // attack: connect-database
  (existsSync('/proc/net/tcp') ? test : test.skip)('is the only one that listens on TCP', async () => {
    expect(await portsOf(server.child.pid ?? 0)).toEqual([Number(new URL(server.url).port)]);
    expect(await portsOf(await postmasterPid())).toEqual([]);
  });

  describe('after it is stopped', () => {
    let code: number;
    beforeAll(async () => {
      server.child.kill('SIGHUP');
      code = await server.ended;
    });

    test('has ended without an error, and so has its database', () => {
      expect([code, existsSync(postmaster())]).toEqual([0, false]);
    });

    test('starts again at the same time as a command, keeps the database that they share, and exits with code 1 when the database is permanently gone', async () => {
      // The command waits for rows on standard input.
      const command = program.start(['import', 'allpv', '--site', 'shop', '-'], dataDir());
      const again = await serve({});
      expect(again.text.out).not.toContain('Login password');
      expect(again.text.out).toContain('bin/qal users password admin');
      expect(again.text.out).toContain("-u 'admin:APPLICATION PASSWORD'");
      command.child.stdin?.end('{"url": "https://shop.example/", "access_time": "2026-05-01T10:00:00Z"}\n');
      expect(await command.ended).toBe(0);
      expect((await fetch(`${again.url}/readyz`)).status).toBe(200);
      process.kill(await postmasterPid(), 'SIGKILL');
      expect(await again.ended).toBe(1);
      expect(again.text.err).toMatch(/^The embedded PostgreSQL stopped and did not restart\.$/m);
    });
  });
});

test('reports in one sentence that the database does not respond, and exits with code 1', async () => {
  const { code, out, err } = await run(['users', 'list'], { DATABASE_URL: 'postgresql://127.0.0.1:1/none' });
  expect([code, out]).toEqual([1, '']);
  expect(err).toMatch(/^PostgreSQL does not respond at 127\.0\.0\.1:1\/none.*\n$/);
});
