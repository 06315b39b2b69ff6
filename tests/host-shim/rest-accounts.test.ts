// Sequences of requests: the lifecycle of an application password, hooks, and turning extensions off and on.
import { type Extension, HOST_API, type HostUser } from '../../host-shim/extension-api';
import { basicHeader, startTestHost, type TestHost } from '../support/test-host';
import { createToy } from '../support/toy-extension';

const ME = '/wp-json/wp/v2/users/me/application-passwords';

/** An extension that records events and can be made to fail. */
function createListener() {
  const events: unknown[] = [];
  const state = { fails: false };
  const listen = (event: string) => (about: object) => {
    if (state.fails) throw new Error('the listener is down');
    events.push({ event, ...about });
  };
  const extension: Extension = {
    name: 'listener',
    version: '1.0.0',
    description: 'Listens.',
    requires: { hostApi: HOST_API, extensions: ['toy'] },
    commands: [],
    register: async (host) => {
      host.addAction('application_password_created', listen('created'));
      host.addAction('application_password_revoked', listen('revoked'));
    },
  };
  return { extension, events, state };
}

let host: TestHost;
let ann: HostUser;
const listener = createListener();
beforeAll(async () => {
  host = await startTestHost({ extensions: [createToy().extension, listener.extension] });
  ann = await host.createUser({ login: 'ann', role: 'analyst' });
  await host.createUser({ login: 'root', role: 'administrator' });
  await host.createApplicationPassword('ann', 'First');
  await host.createApplicationPassword('root', 'First');
});
afterAll(() => host?.stop());
beforeEach(() => {
  listener.events.length = 0;
  listener.state.fails = false;
});

const createPassword = async (user = 'ann') =>
  (await host.request('POST', ME, { user, body: { name: 'Flow' } })).body as {
    uuid: string;
    password: string;
  };

test('introspection with a new password already shows its first use', async () => {
  const { uuid, password } = await createPassword();
  const user = { login: 'ann', secret: password };
  const before = Date.now() - 1000;
  const { body } = await host.request('GET', `${ME}/introspect`, { user });
  expect(body).toMatchObject({ uuid, last_ip: '127.0.0.1' });
  expect(Date.parse(`${body.last_used}Z`)).toBeGreaterThan(before);
  await host.request('DELETE', `${ME}/${uuid}`, { user });
  listener.events.length = 0;
});

test('an application password is created, used as shown, and rejected after it is revoked', async () => {
  const { uuid, password } = await createPassword();
  const user = { login: 'ann', secret: password };
  expect((await host.request('GET', `${ME}/introspect`, { user })).body).toMatchObject({ uuid });
  // A password may revoke itself.
  const { status, body } = await host.request('DELETE', `${ME}/${uuid}`, { user });
  expect({ status, previous: body.previous.uuid }).toEqual({ status: 200, previous: uuid });
  expect((await host.request('GET', ME, { user })).status).toBe(401);
  expect(listener.events).toEqual([
    { event: 'created', userId: ann.id, uuid },
    { event: 'revoked', userId: ann.id, uuids: [uuid] },
  ]);
});

test('the secret is shown once, and neither the list nor the log contains it', async () => {
  const { uuid, password } = await createPassword();
  const one = await host.request('GET', `${ME}/${uuid}`, { user: 'ann' });
  const list = await host.request('GET', ME, { user: 'ann' });
  const logged = JSON.stringify(host.logged);
  for (const secret of [password, password.replaceAll(' ', '')]) {
    expect(one.text + list.text + logged).not.toContain(secret);
  }
  expect(one.body).not.toHaveProperty('password');
});

test('the use of a password is recorded, with the time and the address', async () => {
  const { uuid, password } = await createPassword();
  await host.request('GET', ME, { user: { login: 'ann', secret: password } });
  await host.rest.settle();
  const { body } = await host.request('GET', `${ME}/${uuid}`, { user: 'ann' });
  expect(body).toMatchObject({
    last_used: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/),
    last_ip: expect.stringContaining('127.0.0.1'),
  });
});

test('revoking all passwords calls the hook once', async () => {
  const { uuid: first } = await createPassword();
  const { body: before } = await host.request('GET', ME, { user: 'ann' });
  const all = `/wp-json/wp/v2/users/${ann.id}/application-passwords`;
  const { body } = await host.request('DELETE', all, { user: 'root' });
  expect(body).toEqual({ deleted: true, count: before.length });
  const uuids = before.map(({ uuid }: { uuid: string }) => uuid);
  expect(uuids).toContain(first);
  expect(listener.events.at(-1)).toEqual({
    event: 'revoked',
    userId: ann.id,
    uuids: expect.arrayContaining(uuids),
  });
});

test('no hook is called if there is nothing to revoke', async () => {
  const none = '00000000-0000-4000-8000-000000000000';
  expect((await host.request('DELETE', `${ME}/${none}`, { user: 'root' })).status).toBe(404);
  expect(listener.events).toEqual([]);
});

test('the secret is returned even if a callback fails, and the failure is logged', async () => {
  listener.state.fails = true;
  const response = await host.request('POST', ME, { user: 'root', body: { name: 'Flow' } });
  expect(response.status).toBe(201);
  expect(response.body.password).toMatch(/^(\w{4} ){5}\w{4}$/);
  expect(JSON.stringify(host.logged)).toContain('the listener is down');
});

describe('extensions as plugins', () => {
  const TOY = '/wp-json/wp/v2/plugins/toy';
  const LISTENER = '/wp-json/wp/v2/plugins/listener';
  const set = (path: string, status: string) => host.request('PUT', path, { user: 'root', body: { status } });

  test("an extension's routes disappear when it is deactivated and return when it is activated", async () => {
    expect(await set(LISTENER, 'inactive')).toMatchObject({ status: 200, body: { status: 'inactive' } });
    expect(await set(TOY, 'inactive')).toMatchObject({
      status: 200,
      body: { plugin: 'toy', status: 'inactive' },
    });
    expect((await host.request('GET', '/wp-json/toy/v1/open')).body.code).toBe('rest_no_route');
    const off = await host.request('GET', '/wp-json/wp/v2/plugins?status=inactive', { user: 'root' });
    expect(off.body.map(({ plugin }: { plugin: string }) => plugin)).toEqual(['toy', 'listener']);

    expect(await set(TOY, 'active')).toMatchObject({ status: 200, body: { status: 'active' } });
    expect((await host.request('GET', '/wp-json/toy/v1/open')).status).toBe(200);
    expect(await set(LISTENER, 'active')).toMatchObject({ status: 200, body: { status: 'active' } });
  });

  test('a change that is not possible is rejected with the reason', async () => {
    const { status, body } = await set(TOY, 'inactive');
    expect(status).toBe(409);
    expect(body).toMatchObject({
      code: 'rest_cannot_deactivate_plugin',
      message: expect.stringContaining('listener'),
      data: { status: 409 },
    });
    expect((await host.request('GET', '/wp-json/toy/v1/open')).status).toBe(200);
  });
});

test('creating and renaming count toward the rate limit; reading and revoking do not', async () => {
  const tight = await startTestHost({
    extensions: [],
    users: [{ login: 'ann', role: 'analyst' }],
    rateLimits: { perMinute: 1 },
  });
  try {
    const post = () => tight.request('POST', ME, { user: 'ann', body: { name: 'x' } });
    expect(await post()).toMatchObject({ status: 201, headers: { 'x-ratelimit-remaining': '0' } });
    expect(await post()).toMatchObject({
      status: 429,
      headers: { 'retry-after': expect.stringMatching(/^\d+$/), 'x-ratelimit-limit': '1' },
      body: { code: 'rest_rate_limited', data: { status: 429 } },
    });
    const { body: listed } = await tight.request('GET', ME, { user: 'ann' });
    expect(listed).toHaveLength(2);
    const renamed = await tight.request('PUT', `${ME}/${listed[0].uuid}`, {
      user: 'ann',
      body: { name: 'y' },
    });
    expect(renamed.status).toBe(429);
    // A thief who uses up the limit must not be able to prevent the owner from revoking the password.
    expect((await tight.request('DELETE', `${ME}/${listed[1].uuid}`, { user: 'ann' })).status).toBe(200);
    expect((await tight.request('DELETE', ME, { user: 'ann' })).body).toEqual({ deleted: true, count: 1 });
  } finally {
    await tight.stop();
  }
});

test.each([
  ['JSON', 'application/json', [0x7b, 0x22, 0x6e, 0x61, 0x6d, 0x65, 0x22, 0x3a, 0x22, 0xff, 0x22, 0x7d]],
  ['a form', 'application/x-www-form-urlencoded', [0x6e, 0x61, 0x6d, 0x65, 0x3d, 0xff]],
])('invalid UTF-8 in %s is rejected', async (_label, type, bytes) => {
  const response = await fetch(host.url + ME, {
    method: 'POST',
    headers: { 'Content-Type': type, Authorization: basicHeader(host.credentials('root')) },
    body: Buffer.from(bytes),
  });
  expect(await response.json()).toEqual({
    code: 'rest_invalid_json',
    message: 'The body is not valid UTF-8.',
    data: {
      status: 400,
      json_error_code: 5,
      json_error_message: 'Malformed UTF-8 characters, possibly incorrectly encoded',
    },
  });
});
