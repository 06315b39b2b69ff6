// Two servers and concurrent commands on the same database: a change made through one of them applies to all.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { createUser } from '../../host-shim/accounts/users';
import { createApplicationPassword } from '../../host-shim/auth/application-password-store';
import { UNRESTRICTED } from '../../host-shim/auth/key-restrictions';
import { applyTestSites } from '../support/host-data';
import { useProgram } from '../support/program-process';
import { basicHeader, type Credentials } from '../support/test-host';
import { useTestDatabase } from '../support/use-database';
import { useFolder } from '../support/use-folder';

const database = useTestDatabase();
const servers = useProgram(join(__dirname, 'notes-program.ts'));
const commands = useProgram(join(__dirname, '../../host-shim/cli/qal.ts'));
const CALLS_PER_MINUTE = 8;
const folder = useFolder({ perFile: true, inMemory: true });
let urls: readonly string[];
let greetings: readonly string[];

/** The environment of each process. */
const environmentOf = (dataDir: string) => ({
  DATABASE_URL: database.url,
  DATABASE_READ_URL: database.readUrl,
  DATA_DIR: join(folder, dataDir),
  QAL_RATE_PER_MINUTE: String(CALLS_PER_MINUTE),
  QAL_COLUMNS_MEMORY_MB: '64',
});

beforeAll(async () => {
  const started = await Promise.all(['one', 'two'].map((dataDir) => servers.serve(environmentOf(dataDir))));
  urls = started.map(({ url }) => url);
  greetings = started.map(({ text }) => text.out);
  const site = { tracking_id: 'shop', domain: 'shop.example', name: 'Shop', timezone: 'UTC' };
  await applyTestSites(database.write, [site]);
});

/** A command that runs at the same time as the servers. */
async function command(args: readonly string[]): Promise<void> {
  const { code, err } = await commands.run(args, environmentOf('command'));
  expect({ code, err }).toEqual({ code: 0, err: expect.any(String) });
}

const tools = { clock: () => new Date(), randomBytes, passwordCost: { N: 2 ** 10, r: 8, p: 1 } };

async function newUser(login: string): Promise<Credentials & { readonly uuid: string }> {
  const account = { login, role: 'administrator', password: 'a long password', sites: [] } as const;
  const userId = await createUser(database.write, account, tools);
  const restrictions = UNRESTRICTED;
  const key = await createApplicationPassword(database.write, { userId, name: 'test', restrictions }, tools);
  return { login, secret: key.secret, uuid: key.password.uuid };
}

/** Sends a request to one of the servers. */
const send = (server: 0 | 1, user: Credentials, path: string, more: RequestInit = {}) =>
  fetch(`${urls[server]}/wp-json${path}`, {
    ...more,
    headers: { Authorization: basicHeader(user), 'Content-Type': 'application/json' },
  });

const QUERY = {
  tracking_id: 'shop',
  materials: [{ name: 'allpv' }],
  time: { start: '2026-05-01T00:00:00', end: '2026-06-01T00:00:00', tz: 'UTC' },
  make: { v: { from: ['allpv'], keep: ['allpv.url'], sort: { by: 'url', order: 'asc' } } },
  result: { use: 'v' },
};
/** The URLs of the imported views. */
const SEEN = ['https://shop.example/a', 'https://shop.example/b'];
const answer = z.object({ result: z.object({ rows: z.array(z.tuple([z.string()])) }) });

async function urlsSeen(server: 0 | 1, user: Credentials): Promise<readonly string[]> {
  const response = await send(server, user, '/qa-platform/query', {
    method: 'POST',
    body: JSON.stringify(QUERY),
  });
  return answer.parse(await response.json()).result.rows.flat();
}

test('two servers can start at the same time on an empty database, and only one of them prints the credentials of the first account', () => {
  const printed = greetings.map((text) => /Application password +\S/.test(text));
  expect(printed.toSorted()).toEqual([false, true]);
});

// conformance: beyond.several-servers-commands
test('a password that was revoked on one server is rejected by the other on the next request', async () => {
  const ann = await newUser('ann');
  const me = '/wp/v2/users/me';
  expect([(await send(0, ann, me)).status, (await send(1, ann, me)).status]).toEqual([200, 200]);
  const revoked = await send(0, ann, `${me}/application-passwords/${ann.uuid}`, { method: 'DELETE' });
  expect(revoked.status).toBe(200);
  expect([(await send(1, ann, me)).status, (await send(0, ann, me)).status]).toEqual([401, 401]);
});

// conformance: beyond.several-servers-commands
test('calls are counted across both servers', async () => {
  const bob = await newUser('bob');
  const statuses: number[] = [];
  for (let call = 0; call <= CALLS_PER_MINUTE; call++)
    statuses.push((await send(call % 2 === 0 ? 0 : 1, bob, '/qa-platform/guide?parts=sites')).status);
  expect(statuses).toEqual([...Array.from({ length: CALLS_PER_MINUTE }, () => 200), 429]);
});

// conformance: beyond.several-servers-commands
test("a server's next response reflects what the other server imported or a command changed", async () => {
  const cid = await newUser('cid');
  expect(await urlsSeen(1, cid)).toEqual([]);
  const view = (url: string) =>
    JSON.stringify({ url, reader_id: 1, session_id: 1, access_time: '2026-05-02T10:00:00Z' });
  const body = ['/a', '/b'].map(view).join('\n');
  const imported = await send(0, cid, '/qal-data/v1/import/allpv?site=shop', { method: 'POST', body });
  expect(await imported.json()).toMatchObject({ added: 2 });
  expect(await urlsSeen(1, cid)).toEqual(SEEN);
  expect(await urlsSeen(0, cid)).toEqual(SEEN);

  await command(['features', 'set', 'filter', 'off']);
  const filtered = { ...QUERY, make: { v: { ...QUERY.make.v, filter: { title: 'A' } } } };
  const refused = await Promise.all(
    ([0, 1] as const).map((server) =>
      send(server, cid, '/qa-platform/query', { method: 'POST', body: JSON.stringify(filtered) }),
    ),
  );
  expect(refused.map(({ status }) => status)).toEqual([400, 400]);
});

/** Waits for a response with this status. */
async function awaitStatus(status: number, request: () => Promise<Response>): Promise<void> {
  for (const before = performance.now(); (await request()).status !== status; await pause(20))
    if (performance.now() - before > 120_000) throw new Error(`No response had status ${status}.`);
}

// conformance: beyond.several-servers-commands
test('turning an extension off or on through one server also turns it off or on for the other', async () => {
  const dan = await newUser('dan');
  const turn = (status: 'active' | 'inactive') =>
    send(0, dan, '/wp/v2/plugins/notes', { method: 'POST', body: JSON.stringify({ status }) });
  const notes = () => send(1, dan, '/notes/v1/all');
  await awaitStatus(200, notes);
  expect((await turn('inactive')).status).toBe(200);
  await awaitStatus(404, notes);
  expect((await turn('active')).status).toBe(200);
  await awaitStatus(200, notes);
});

test('each server reports when it last checked for changes by other servers', async () => {
  const health = await (await fetch(`${urls[1]}/healthz?details=1`)).text();
  expect(health).toMatch(/^Changes by other servers: fine, checked \d+\.\d s ago$/m);
});
