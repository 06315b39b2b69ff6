// The host without any extensions: it starts, and its commands, pages and REST interface work without mentioning analytics.
import { join } from 'node:path';
import { createTestDatabase, EMPTY, type TestDatabase } from '../support/database';
import { logInAs, type PageClient, sendPageRequest } from '../support/page-client';
import { useProgram } from '../support/program-process';
import { sendRequest } from '../support/send-request';
import { basicHeader } from '../support/test-host';

/**
 * Analytics terms. Sites are not included, because users can be granted access to the sites of any extension. Neither are the
 * names of the program (`qal users list`, ~/.local/share/qal-analytics) and its variables (QAL_ENVIRONMENT).
 */
const ANALYTICS = [
  /\b(analytics?|tracking|quer(y|ies)|measure\w*|figures?|visits?|visitors?|page views?|materials?|contracts?|goals?)\b/gi,
  /\b(imports?|rollups?|counts|demo|playground|dashboard|qa-platform)\b/gi,
  /\bQAL\b/g,
];

const wordsIn = (text: string): readonly string[] =>
  ANALYTICS.flatMap((words) => text.replaceAll('qal-analytics', '').match(words) ?? []);

/** The text and attributes of a page. */
const visible = (html: string): string =>
  html
    .replace(/<(script|style)\b.*?<\/\1>/gs, '')
    .replace(
      / (class|id|src|href|name|for|type|data-[\w-]+|aria-(labelledby|describedby|controls))="[^"]*"/g,
      '',
    );

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase(EMPTY);
});
afterAll(() => database.drop());

const program = useProgram(join(__dirname, 'bare-host.ts'));
const run = (...args: readonly string[]) =>
  program.run(args, { DATABASE_URL: database.url }, 'a long login password\n');

test("help lists only the host's commands and settings", async () => {
  const [{ code, out, err }, serve] = await Promise.all([run('--help'), run('serve', '--help')]);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect([...out.matchAll(/^ {2}([a-z]+)/gm)].map(([, name]) => name)).toEqual([
    'serve',
    'migrate',
    'config',
    'users',
    'passwords',
    'extensions',
    'health',
    'backup',
    'restore',
    'help',
  ]);
  expect(serve.out).toContain('QAL_RATE_PER_HOUR=100');
  expect(wordsIn(out + serve.out)).toEqual([]);
});

test("migrate creates only the host's tables", async () => {
  expect(await run('migrate')).toEqual({
    code: 0,
    out: 'host/0001-tables\nhost/0008-password-rights\nhost/0040-limits\nhost/0084-backups\nhost/0089-links\nhost/0140-password-levels\nhost/0168-jobs\nhost/0169-viewers\nhost/0170-alarms\nhost/0174-link-limits\nhost/0180-second-factor\n',
    err: '',
  });
  const { rows } = await database.write.raw(
    "SELECT nspname FROM pg_namespace WHERE nspname !~ '^pg_' ORDER BY 1",
  );
  expect(rows.map(({ nspname }: { nspname: string }) => nspname)).toEqual([
    'host',
    'information_schema',
    'migrations',
    'public',
  ]);
});

test('the commands manage accounts, application passwords and extensions', async () => {
  expect(await run('users', 'add', 'ann', '--role', 'administrator', '--password-stdin')).toEqual({
    code: 0,
    out: '',
    err: 'Added administrator ann. Next: qal passwords create ann --name NAME\n',
  });
  const [users, created, extensions] = await Promise.all([
    run('users', 'list'),
    run('passwords', 'create', 'ann', '--name', 'laptop'),
    run('extensions', 'list'),
  ]);
  expect(users).toMatchObject({ code: 0, out: expect.stringMatching(/^ann +administrator/) });
  expect(created).toMatchObject({ code: 0, err: '' });
  expect(extensions).toEqual({ code: 0, out: '', err: '' });
});

describe('the server', () => {
  let server: Awaited<ReturnType<typeof program.serve>>;
  let url: string;
  let ann: PageClient;
  beforeAll(async () => {
    server = await program.serve({ DATABASE_URL: database.url });
    url = server.url;
    ann = await logInAs(server, 'ann', { password: 'a long login password' });
  });

  test('prints a welcome message', () => {
    expect(server.text.out).toContain(`Log in at ${url}/wp-admin/`);
    expect(wordsIn(server.text.out)).toEqual([]);
  });

  test('serves every page that its pages link to', async () => {
    const waiting = ['/wp-admin/'];
    const seen = new Map<string, number>();
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
      const { status, text, headers } = await ann.get(path);
      seen.set(path, status);
      expect({ path, words: wordsIn(visible(text)) }).toEqual({ path, words: [] });
      const links = [...text.matchAll(/href="(\/wp-admin\/[^"#]*)"/g)].map(([, link = '']) => link);
      const to = headers.location === undefined ? [] : [new URL(headers.location, url).pathname];
      for (const link of [...links, ...to])
        if (!seen.has(link) && !waiting.includes(link) && !link.includes('assets')) waiting.push(link);
    }
    expect([...seen].filter(([, status]) => status >= 400)).toEqual([]);
    for (const page of ['profile', 'application-passwords', 'users', 'system', 'extensions', 'connection'])
      expect([...seen.keys()].join(' ')).toContain(`/wp-admin/${page}`);
    const login = await sendPageRequest({ url }, '/wp-login.php');
    expect(wordsIn(visible(login.text))).toEqual([]);
  });

  test('answers REST requests: routes, users, an application password, and requests with that password', async () => {
    const send = (
      method: 'GET' | 'POST' | 'OPTIONS',
      path: string,
      headers: Readonly<Record<string, string>>,
      body?: object,
    ) =>
      sendRequest({
        method,
        url: `${url}/wp-json${path}`,
        headers: [...Object.entries(headers), ['Content-Type', 'application/json']],
        body: body && JSON.stringify(body),
      });
    const session = { Cookie: ann.cookie, 'X-WP-Nonce': ann.nonce };
    const root = await send('GET', '/', {});
    expect(root.body).toMatchObject({ name: 'Bare host', namespaces: expect.arrayContaining(['wp/v2']) });
    const created = await send('POST', '/wp/v2/users/me/application-passwords', session, { name: 'phone' });
    expect(created.status).toBe(201);
    const authorization = basicHeader({ login: 'ann', secret: created.body.password });
    const me = await send('GET', '/wp/v2/users/me', { Authorization: authorization });
    expect(me).toMatchObject({ status: 200, body: { slug: 'ann' } });
    const missing = await send('POST', '/qa-platform/query', { Authorization: authorization }, {});
    expect(missing).toMatchObject({ status: 404, body: { code: 'rest_no_route' } });
    const routes = Object.keys(root.body.routes);
    expect(routes.length).toBeGreaterThan(8);
    const options = await Promise.all(
      routes.map((route) => send('OPTIONS', route.replace(/\(\?P.*?\)/g, 'me'), session)),
    );
    for (const { text } of [root, created, me, missing, ...options]) expect(wordsIn(text)).toEqual([]);
  });

  test('stops cleanly, and has not loaded any files from the extension', async () => {
    server.child.kill('SIGTERM');
    expect(await server.ended).toBe(0);
    expect(server.text.err).toBe(
      'Stopping: waiting for in-flight requests to finish. Press Ctrl-C again to stop immediately.\n',
    );
  });
});
