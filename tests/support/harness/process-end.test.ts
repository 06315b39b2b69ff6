// A process starts a separate server for its hosts, and leaves nothing behind, even if it is killed.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { readPostmaster } from '../../../db/embedded/postmaster';
import { borrowServer } from '../borrow-server';
import { outsideEnvironment } from '../outside-environment';
import { RUN_TYPESCRIPT } from '../program-process';
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

async function startProcess(end: 'stop' | 'leave' | 'wait', ownServer?: string): Promise<HostProcess> {
  const env = outsideEnvironment('TEST_DATABASE_URL');
  const child = spawn(process.execPath, [RUN_TYPESCRIPT, join(__dirname, 'host-process.ts'), end], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: ownServer === undefined ? env : { ...env, TEST_DATABASE_URL: ownServer },
  });
  children.push(child);
  const ended = once(child, 'exit');
  const output = await Promise.race([once(child.stdout, 'data'), ended.then(() => [''])]);
  return { child, databaseUrl: String(output[0]).trim(), ended };
}

/** The directory of a process's server, and the pid of its postmaster. */
async function serverOf({ child }: HostProcess): Promise<{ directory: string; postmaster: number }> {
  const [directory = 'none'] = throwawayDirectories(`qal-test-${child.pid}-`);
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

test('two processes have separate servers, which end when the processes are killed', async () => {
  const both = await Promise.all([startProcess('wait'), startProcess('wait')]);
  const servers = await Promise.all(both.map(serverOf));
  expect(new Set(servers.map(({ postmaster }) => postmaster)).size).toBe(2);
  for (const { databaseUrl } of both) {
    const client = new Client({ connectionString: databaseUrl });
    await client.connect();
    expect((await client.query('SELECT count(*)::int AS n FROM analytics.site')).rows).toEqual([{ n: 0 }]);
    await client.end();
  }
  for (const { child } of both) child.kill('SIGKILL');
  for (const { directory, postmaster } of servers) {
    await until(() => !existsSync(directory) && !isAlive(postmaster));
  }
});

test.each([
  ['stops its hosts ends by itself and', 'stop'],
  ['exits while a host is open', 'leave'],
] as const)('a process that %s leaves nothing behind', async (_label, end) => {
  const { child, ended } = await startProcess(end);
  expect(await ended).toEqual([0, null]);
  await until(() => throwawayDirectories(`qal-test-${child.pid}-`).length === 0);
});

test('nothing is left on TEST_DATABASE_URL after the last host stops', async () => {
  const { server, giveBack } = await borrowServer();
  const { databaseUrl, ended } = await startProcess('stop', server.ownerUrl);
  expect(await ended).toEqual([0, null]);
  const run = /qal_test_([0-9a-f]{8})_/.exec(databaseUrl)?.[1];
  expect(run).toMatch(/./);
  const { rows } = await asOwner(server, (client) =>
    client.query(
      `SELECT datname AS name FROM pg_database WHERE datname LIKE $1 UNION ALL SELECT rolname FROM pg_roles WHERE rolname LIKE $1`,
      [`%${run}%`],
    ),
  );
  expect(rows).toEqual([]);
  await giveBack();
});
