// A process starts a separate server for its hosts, and leaves nothing behind, even if it is killed.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { readPostmaster } from '../../../db/embedded/postmaster';
import { borrowServer, TEST_SERVER_VARIABLE } from '../borrow-server';
import { outsideEnvironment } from '../outside-environment';
import { RUN_TYPESCRIPT } from '../program-process';
import { startTestHost } from '../test-host';
import { asOwner } from '../test-server';
import { throwawayDirectories } from '../throwaway-postgres';
import { until } from '../until';

const children: ChildProcess[] = [];
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
});

interface HostProcess {
  readonly child: ChildProcess;
  readonly databaseUrl: string;
  readonly ended: Promise<unknown>;
}

/** Starts a process with a host. Once its standard input is closed, the process ends in the given way. */
async function startProcess(end: 'stop' | 'leave'): Promise<HostProcess> {
  const child = spawn(process.execPath, [RUN_TYPESCRIPT, join(__dirname, 'host-process.ts'), end], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: outsideEnvironment('TEST_DATABASE_URL'),
  });
  children.push(child);
  const ended = once(child, 'exit');
  const output = await Promise.race([once(child.stdout, 'data'), ended.then(() => [''])]);
  return { child, databaseUrl: String(output[0]).trim(), ended };
}

/** The directories that a process has created and not removed. */
const leftOf = ({ child }: HostProcess) => throwawayDirectories(`qal-test-${child.pid}-`);

/** The directory of a process's server, and the pid of its postmaster. */
async function serverOf(host: HostProcess): Promise<{ directory: string; postmaster: number }> {
  const [directory = 'none'] = leftOf(host);
  const postmaster = await readPostmaster(join(directory, 'postgres'));
  return { directory, postmaster: postmaster?.pid ?? 0 };
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

test('processes have separate servers, and leave nothing behind, whether they stop their hosts, exit while a host is open, or are killed', async () => {
  const [stopping, leaving, killed] = await Promise.all([
    startProcess('stop'),
    startProcess('leave'),
    startProcess('stop'),
  ]);
  const all = [stopping, leaving, killed];
  const servers = await Promise.all(all.map(serverOf));
  expect(new Set(servers.map(({ postmaster }) => postmaster)).size).toBe(3);
  for (const { databaseUrl } of all) {
    const client = new Client({ connectionString: databaseUrl });
    await client.connect();
    expect((await client.query('SELECT count(*)::int AS n FROM analytics.site')).rows).toEqual([{ n: 0 }]);
    await client.end();
  }
  killed.child.kill('SIGKILL');
  for (const one of [stopping, leaving]) {
    one.child.stdin?.end();
    expect(await one.ended).toEqual([0, null]);
  }
  for (const one of all) await until(() => leftOf(one).length === 0);
  for (const { directory, postmaster } of servers) {
    await until(() => !existsSync(directory) && !isAlive(postmaster));
  }
});

test('nothing is left on TEST_DATABASE_URL after the last host stops', async () => {
  const { server, giveBack } = await borrowServer();
  const run = await withEnvironment(
    { [TEST_SERVER_VARIABLE]: undefined, TEST_DATABASE_URL: server.ownerUrl },
    async () => {
      const host = await startTestHost();
      await host.stop();
      return /qal_test_([0-9a-f]{8})_/.exec(host.database.url)?.[1];
    },
  );
  expect(run).toMatch(/./);
  expect(server.readerRole).not.toContain(run);
  const { rows } = await asOwner(server, (client) =>
    client.query(
      `SELECT datname AS name FROM pg_database WHERE datname LIKE $1 UNION ALL SELECT rolname FROM pg_roles WHERE rolname LIKE $1`,
      [`%${run}%`],
    ),
  );
  expect(rows).toEqual([]);
  await giveBack();
});

async function withEnvironment<T>(changed: NodeJS.ProcessEnv, work: () => Promise<T>): Promise<T> {
  const before = { ...process.env };
  const set = (name: string, value: string | undefined) => {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  };
  for (const [name, value] of Object.entries(changed)) set(name, value);
  try {
    return await work();
  } finally {
    for (const name of Object.keys(changed)) set(name, before[name]);
  }
}
