// Logging in with application passwords: who is accepted, who is rejected, and what is recorded.
import { basicHeader, startTestHost, type TestHost } from '../support/test-host';
import { createToy } from '../support/toy-extension';

const ECHO = '/wp-json/toy/v1/echo';
const DAY_MS = 86_400_000;

let now = new Date('2026-05-01T10:00:00Z');
let host: TestHost;
beforeAll(async () => {
  host = await startTestHost({
    extensions: [createToy().extension],
    clock: () => now,
    sites: ['shop', 'blog'].map((name) => ({
      tracking_id: name,
      domain: `${name}.example`,
      name,
      timezone: 'UTC',
    })),
    users: [
      { login: 'Ann', role: 'administrator', email: 'ann@example.org' },
      { login: 'bob', role: 'analyst', sites: ['shop', 'blog'] },
    ],
  });
});
afterAll(() => host.stop());

const ask = (login: string, secret: string) => host.request('GET', ECHO, { user: { login, secret } });
const secretOf = (login: string) => host.credentials(login).secret;

test.each([
  ['by login', 'Ann'],
  ['by login, in a different letter case', 'aNN'],
  ['by email', 'ann@example.org'],
  ['by email, in a different letter case', 'Ann@Example.ORG'],
  // conformance: auth.http-basic-application
])('a user can be identified %s', async (_label, login) => {
  const { status, body } = await ask(login, secretOf('Ann'));
  expect(status).toBe(200);
  expect(body.user).toMatchObject({
    login: 'Ann',
    role: 'administrator',
    sites: 'all',
    key: { name: 'test', rateShare: null, restricted: false },
  });
});

// conformance: auth.other-rules
test('an analyst sees the granted sites', async () => {
  const { body } = await ask('bob', secretOf('bob'));
  expect({ ...body.user, sites: [...body.user.sites].sort() }).toMatchObject({
    role: 'analyst',
    sites: ['blog', 'shop'],
  });
});

// conformance: host.what-no-letter
test('characters in the secret other than letters and digits are ignored', async () => {
  const secret = secretOf('Ann');
  for (const typed of [secret.replace(/(.{4})/g, '$1 '), secret.replace(/(.{4})/g, '$1-'), `:${secret}:`]) {
    expect((await ask('Ann', typed)).status).toBe(200);
  }
});

test.each([
  ['a wrong secret', 'Ann', 'x'.repeat(24)],
  ["another user's secret", 'bob', ''],
  // conformance: auth.http-basic-application, host.never-login-password
  ['the login password', 'Ann', 'login password for tests'],
  ['an unknown user', 'carol', 'x'.repeat(24)],
  ['a secret without letters and digits', 'Ann', '----'],
  ['SQL in the user name', "' OR ''='", 'x'],
  // conformance: auth.missing-wrong-credentials, host.wrong-user-wrong
])('%s is rejected with the same message', async (_label, login, secret) => {
  const { status, body } = await ask(login, secret || secretOf('Ann'));
  expect(status).toBe(401);
  expect(body.toy.reason).toMatch(/^Unknown user or wrong application password\./);
});

test('the secret is case-sensitive', async () => {
  const secret = secretOf('Ann');
  const swapped = secret.replace(/[a-z]/gi, (letter) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  );
  expect((await ask('Ann', swapped)).status).toBe(401);
});

test('application passwords with the same name are revoked separately and immediately', async () => {
  await host.createUser({ login: 'dora', role: 'analyst' });
  const [one, two] = [
    await host.createApplicationPassword('dora', 'same'),
    await host.createApplicationPassword('dora', 'same'),
  ];
  expect((await ask('dora', one.secret)).status).toBe(200);
  await host.database.write('host.application_passwords').where({ uuid: one.uuid }).del();
  expect((await ask('dora', one.secret)).status).toBe(401);
  expect((await ask('dora', two.secret)).status).toBe(200);
});

test('a disabled account is rejected immediately', async () => {
  await host.createUser({ login: 'eve', role: 'analyst' });
  const { secret } = await host.createApplicationPassword('eve');
  expect((await ask('eve', secret)).status).toBe(200);
  await host.database.write('host.users').where({ login: 'eve' }).update({ disabled: true });
  expect((await ask('eve', secret)).status).toBe(401);
});

test('concurrent callers are not mixed up', async () => {
  const logins = ['Ann', 'bob', 'Ann', 'bob', 'bob', 'Ann', 'Ann', 'bob'];
  const answers = await Promise.all(logins.map((login) => ask(login, secretOf(login))));
  expect(answers.map(({ body }) => body.user.login)).toEqual(logins);
});

test('the last use is recorded at most once a day', async () => {
  await host.createUser({ login: 'finn', role: 'analyst' });
  const { secret, uuid } = await host.createApplicationPassword('finn');
  const use = async () => {
    expect((await ask('finn', secret)).status).toBe(200);
    await host.rest.settle();
    const row = await host.database.write('host.application_passwords').where({ uuid }).first();
    return { at: row.last_used_at, ip: row.last_ip };
  };
  const start = now;
  expect(await use()).toEqual({ at: start, ip: expect.stringMatching(/127\.0\.0\.1$/) });
  now = new Date(start.getTime() + DAY_MS - 1000);
  expect((await use()).at).toEqual(start);
  now = new Date(start.getTime() + DAY_MS);
  expect((await use()).at).toEqual(now);
});

// conformance: auth.made-user-profile, host.shown-once
// attack: someone-tables-backup-looks
test('only the hash of a secret is stored', async () => {
  const rows = await host.database.write('host.application_passwords');
  expect(rows.length).toBeGreaterThan(1);
  for (const row of rows) expect(row.secret_hash).toMatch(/^\$generic\$[\w-]{40}$/);
  expect(JSON.stringify(rows)).not.toContain(secretOf('Ann'));
});

// conformance: host.failed-logins-limited
test('too many failures lock out an address, except with correct credentials', async () => {
  const guarded = await startTestHost({
    extensions: [createToy().extension],
    users: [{ login: 'ann', role: 'administrator' }],
    loginGuard: { failures: 3, windowSeconds: 60 },
    trustProxy: 1,
  });
  try {
    const from = (address: string, secret = guarded.credentials('ann').secret) =>
      guarded.request('GET', ECHO, {
        user: { login: 'ann', secret },
        headers: { 'X-Forwarded-For': address },
      });
    for (let guess = 0; guess < 3; guess += 1) expect((await from('192.0.2.1', 'wrong')).status).toBe(401);
    const failures = () => guarded.database.write('host.window_count').select();
    const counted = await failures();
    const refused = await from('192.0.2.1', 'wrong');
    expect(refused.status).toBe(429);
    expect(refused.headers['retry-after']).toBe('60');
    expect(refused.body.toy).toMatchObject({
      kind: 'too-many-failed-logins',
      limit: 3,
      windowSeconds: 60,
      retryAfterSeconds: 60,
    });
    const others = Array.from({ length: 20 }, () => from('192.0.2.1', 'wrong'));
    expect((await from('192.0.2.1')).status).toBe(200);
    expect((await Promise.all(others)).map(({ status }) => status)).toEqual(others.map(() => 429));
    expect(await failures()).toEqual(counted);
    expect((await from('192.0.2.2', 'wrong')).status).toBe(401);
  } finally {
    await guarded.stop();
  }
});

// conformance: host.failed-logins-limited
test('the guard also stops concurrent guesses, and reports the limit', async () => {
  const guarded = await startTestHost({
    users: [{ login: 'ann', role: 'administrator' }],
    loginGuard: { failures: 5, windowSeconds: 300 },
  });
  try {
    const guess = () =>
      guarded.request('GET', '/wp-json/qa-platform/guide', { user: { login: 'ann', secret: 'wrong' } });
    const answers = await Promise.all(Array.from({ length: 30 }, guess));
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(5);
    const refused = answers.find(({ status }) => status === 429);
    expect(refused?.body.error).toMatchObject({
      code: 'E_RATE_LIMITED',
      message: 'More than 5 failed logins from this address in 300 seconds.',
    });
    expect(Number(refused?.headers['retry-after'])).toBeGreaterThan(0);
  } finally {
    await guarded.stop();
  }
});

test('a rejected login is logged with its request id and the client address behind the proxy', async () => {
  const proxied = await startTestHost({
    extensions: [createToy().extension],
    users: [{ login: 'ann', role: 'administrator' }],
    trustProxy: 1,
  });
  try {
    const { headers } = await proxied.request('GET', ECHO, {
      user: { login: 'ann', secret: 'wrong' },
      headers: { 'X-Forwarded-For': '192.0.2.7' },
    });
    const requestId = headers['x-request-id'];
    expect(proxied.logged).toContainEqual(
      expect.objectContaining({
        msg: 'A login with an application password was refused.',
        requestId,
        address: '192.0.2.7',
      }),
    );
    expect(proxied.logged).toContainEqual(
      expect.objectContaining({ requestId, req: expect.objectContaining({ address: '192.0.2.7' }) }),
    );
  } finally {
    await proxied.stop();
  }
});

describe('in production behind a proxy', () => {
  let production: TestHost;
  beforeAll(async () => {
    production = await startTestHost({
      extensions: [createToy().extension],
      users: [{ login: 'ann', role: 'administrator' }],
      environment: 'production',
      trustProxy: ['loopback'],
    });
  });
  afterAll(() => production.stop());

  const ask = (path: string, headers: Record<string, string>) =>
    production.request('GET', path, {
      headers: { Authorization: basicHeader(production.credentials('ann')), ...headers },
    });

  test('credentials are accepted over HTTPS', async () => {
    expect((await ask(ECHO, { 'X-Forwarded-For': '192.0.2.1', 'X-Forwarded-Proto': 'https' })).status).toBe(
      200,
    );
  });

  test('credentials over plain HTTP are rejected, with a remedy', async () => {
    const { status, body } = await ask(ECHO, { 'X-Forwarded-For': '192.0.2.1', 'X-Forwarded-Proto': 'http' });
    expect(status).toBe(401);
    expect(body.toy.reason).toMatch(/over HTTPS only.*TRUST_PROXY.*QAL_ENVIRONMENT=local/);
    expect(production.logged).toContainEqual(
      expect.objectContaining({ msg: 'Credentials over plain HTTP were refused.' }),
    );
  });

  test('credentials are accepted on loopback', async () => {
    expect((await ask(ECHO, {})).status).toBe(200);
  });

  test('the index shows whether application passwords can be used here', async () => {
    const plain = await production.request('GET', '/wp-json/', {
      headers: { 'X-Forwarded-For': '192.0.2.1' },
    });
    expect(plain.body.authentication).toEqual([]);
    const secure = await production.request('GET', '/wp-json/', {
      headers: {
        'X-Forwarded-For': '192.0.2.1',
        'X-Forwarded-Proto': 'https',
        'X-Forwarded-Host': 'stats.example',
      },
    });
    expect(secure.body.home).toBe('https://stats.example');
    expect(secure.body.authentication).toHaveProperty('application-passwords');
  });

  // conformance: host.wrong-user-wrong
  test('host routes do not reveal whether the user or the password is wrong', async () => {
    const answers = await Promise.all(
      ['ann:x', 'nobody:x'].map((pair) =>
        production.request('GET', '/wp-json/', {
          headers: { Authorization: `Basic ${Buffer.from(pair).toString('base64')}` },
        }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual([401, 401]);
    expect(answers[0]?.body).toEqual(answers[1]?.body);
  });

  test('a header tells browsers to use only HTTPS', async () => {
    expect((await production.request('GET', '/')).headers['strict-transport-security']).toMatch(/max-age=/);
  });
});
