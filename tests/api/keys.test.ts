// Application passwords with fewer rights than their owner. They are rejected after they expire or when sent from the wrong
// address, and they limit what can be seen, queried and changed.

import { findAccountByLogin } from '../../host-shim/accounts/accounts';
import { changeUser } from '../../host-shim/accounts/users';
import type { KeyRestrictions } from '../../host-shim/auth/key-restrictions';
import { type Credentials, startTestHost, type TestHost } from '../support/test-host';
import { createToy } from '../support/toy-extension';

const ECHO = '/wp-json/toy/v1/echo';
const START = new Date('2026-05-01T10:00:00Z');
const SITES = ['shop', 'blog', 'wiki'].map((name) => ({
  tracking_id: name,
  domain: `${name}.example`,
  name,
  timezone: 'UTC',
}));

let now = START;
let host: TestHost;
const keyOf = (login: string, restrictions: Partial<KeyRestrictions>) =>
  host.createApplicationPassword(login, 'key', restrictions);

describe('a key', () => {
  beforeAll(async () => {
    host = await startTestHost({
      extensions: [createToy().extension],
      clock: () => now,
      sites: SITES,
      trustProxy: 1,
      users: [
        { login: 'ann', role: 'administrator' },
        { login: 'bob', role: 'analyst', sites: ['shop', 'blog'] },
      ],
      loginGuard: { failures: 3, windowSeconds: 300 },
    });
  });
  afterAll(() => host.stop());
  beforeEach(() => {
    now = START;
  });

  let addresses = 0;
  /** Each call comes from a new address unless one is given, so that failures in one test do not affect another. */
  const ask = (user: Credentials, address = `198.51.100.${++addresses}`) =>
    host.request('GET', ECHO, { user, headers: { 'X-Forwarded-For': address } });

  test('works until it expires, and is then rejected with the reason', async () => {
    const key = await keyOf('ann', { expiresAt: new Date(START.getTime() + 60_000) });
    expect((await ask(key)).status).toBe(200);
    now = new Date(START.getTime() + 59_999);
    expect((await ask(key)).status).toBe(200);
    now = new Date(START.getTime() + 60_000);
    const expired = await ask(key);
    expect(expired.status).toBe(401);
    expect(expired.body.toy).toEqual({
      kind: 'unauthorized',
      reason: 'This application password expired at 2026-05-01T10:01:00Z; create another one.',
    });
    expect((await ask(host.credentials('ann'))).status).toBe(200);
  });

  test('is not revealed as expired to a caller without its secret', async () => {
    await keyOf('ann', { expiresAt: START });
    const { status, body } = await ask({ login: 'ann', secret: 'x'.repeat(24) });
    expect(status).toBe(401);
    expect(body.toy.reason).toMatch(/^Unknown user or wrong application password\./);
  });

  test("is accepted only from its addresses; the error includes the caller's address", async () => {
    const key = await keyOf('bob', { addressRanges: ['192.0.2.0/24', '2001:db8::/32'] });
    for (const address of ['192.0.2.9', '::ffff:192.0.2.9', '2001:db8:1::1'])
      expect((await ask(key, address)).status).toBe(200);
    for (const address of ['192.0.3.9', '2001:db9::1', '::1']) {
      const { status, body } = await ask(key, address);
      expect(status).toBe(401);
      expect(body.toy.reason).toBe(`This application password is not accepted from the address ${address}.`);
      expect(body.toy.reason).not.toContain('192.0.2.');
    }
  });

  test("is rejected if the client forges an allowed address in front of the proxy's", async () => {
    const key = await keyOf('bob', { addressRanges: ['192.0.2.0/24'] });
    expect((await ask(key, '192.0.2.9, 203.0.113.5')).status).toBe(401);
  });

  test('is logged with its uuid when it is rejected, which does not count as a use', async () => {
    const key = await keyOf('bob', { addressRanges: ['192.0.2.0/24'] });
    await ask(key, '203.0.113.6');
    await host.rest.settle();
    expect(host.logged).toContainEqual(
      expect.objectContaining({
        msg: 'A correct application password was refused because of a restriction.',
        uuid: key.uuid,
        address: '203.0.113.6',
        login: 'bob',
      }),
    );
    expect(JSON.stringify(host.logged)).not.toContain(key.secret);
    const row = await host.database.write('host.application_passwords').where({ uuid: key.uuid }).first();
    expect(row.last_used_at).toBeNull();
  });

  test('does not lock out its address when used after it expires', async () => {
    const key = await keyOf('ann', { expiresAt: START });
    for (let attempt = 0; attempt < 5; attempt += 1) expect((await ask(key, '203.0.113.7')).status).toBe(401);
    expect((await ask(host.credentials('ann'), '203.0.113.7')).status).toBe(200);
  });

  test('of a disabled account is rejected like an unknown one', async () => {
    await host.createUser({ login: 'dan', role: 'analyst' });
    const key = await keyOf('dan', { expiresAt: START });
    await host.database.write('host.users').where({ login: 'dan' }).update({ disabled: true });
    expect((await ask(key)).body.toy.reason).toMatch(/^Unknown user or wrong/);
  });

  test('sees only sites that both it and its owner currently have access to', async () => {
    const seen = async (key: Credentials) => (await ask(key)).body.user.sites;
    expect(await seen(await keyOf('ann', { sites: ['shop'] }))).toEqual(['shop']);
    await host.createUser({ login: 'eva', role: 'analyst', sites: ['shop', 'blog'] });
    const key = await keyOf('eva', { sites: ['shop', 'wiki'] });
    expect(await seen(key)).toEqual(['shop']);
    const { id = 0 } = (await findAccountByLogin(host.database.write, 'eva')) ?? {};
    await changeUser(host.database.write, id, { sites: ['wiki', 'blog'] });
    expect(await seen(key)).toEqual(['wiki']);
    await changeUser(host.database.write, id, { sites: [] });
    expect(await seen(key)).toEqual([]);
  });

  test.each<[string, Partial<KeyRestrictions>]>([
    ['an expiry date', { expiresAt: new Date(START.getTime() + 1) }],
    ['sites', { sites: ['shop'] }],
    ['addresses', { addressRanges: ['0.0.0.0/0'] }],
    ['a share', { rateShare: 99 }],
  ])(
    'of an administrator, restricted by %s, cannot administer the installation',
    async (_label, restrictions) => {
      const { body } = await ask(await keyOf('ann', restrictions), '192.0.2.9');
      expect(body.user).toMatchObject({ capabilities: ['read'], key: { restricted: true } });
      const whole = await ask(host.credentials('ann'));
      expect(whole.body.user.capabilities).toContain('edit_users');
    },
  );
});

describe('in the analytics extension', () => {
  beforeAll(async () => {
    host = await startTestHost({
      sites: SITES,
      users: [
        { login: 'ann', role: 'administrator' },
        { login: 'bob', role: 'analyst', sites: ['shop', 'blog'] },
      ],
    });
  });
  afterAll(() => host.stop());

  const sitesOfGuide = async (user: Credentials) => {
    const { body } = await host.request('GET', '/wp-json/qa-platform/guide', { user });
    return body.sites.map((site: { tracking_id: string }) => site.tracking_id).sort();
  };
  const query = (user: Credentials, tracking_id: string) =>
    host.request('POST', '/wp-json/qa-platform/query', {
      user,
      body: {
        tracking_id,
        materials: [{ name: 'allpv' }],
        time: { start: '2026-04-01T00:00:00', end: '2026-05-01T00:00:00', tz: 'UTC' },
        make: { all: { from: ['allpv'], keep: ['allpv.url'] } },
        result: { use: 'all', count_only: true },
      },
    });

  test.each(['ann', 'bob'])("the guide for %s's key lists only its sites", async (login) => {
    const whole = await sitesOfGuide(host.credentials(login));
    expect(whole).toEqual(expect.arrayContaining(['blog', 'shop']));
    const key = await keyOf(login, { sites: ['blog', 'wiki'] });
    expect(await sitesOfGuide(key)).toEqual(
      whole.filter((site: string) => ['all', 'blog', 'wiki'].includes(site)),
    );
  });

  test('a site that the key cannot see appears not to exist, and no other site is revealed', async () => {
    const key = await keyOf('ann', { sites: ['blog'] });
    expect((await query(key, 'blog')).status).toBe(200);
    const refused = await query(key, 'shop');
    expect(refused.status).toBe(400);
    expect(refused.body.error.code).toBe('E_UNKNOWN_TRACKING_ID');
    expect(JSON.stringify(refused.body)).toContain('blog');
    expect(JSON.stringify(refused.body)).not.toContain('wiki');
  });

  test("the error for an expired key is in the contract's format", async () => {
    const key = await keyOf('bob', { expiresAt: new Date('2026-01-01T00:00:00Z') });
    const { status, body } = await query(key, 'blog');
    expect(status).toBe(401);
    expect(body.error.message).toMatch(/expired at 2026-01-01T00:00:00Z/);
  });
});

describe("a key's share of the rate limit", () => {
  beforeAll(async () => {
    host = await startTestHost({
      extensions: [createToy().extension],
      clock: () => START,
      rateLimits: { perHour: 100, perMinute: 10 },
      users: [{ login: 'ann', role: 'administrator' }],
    });
  });
  afterAll(() => host.stop());

  test('is shown in the headers, is enforced separately, and leaves the rest of the limit to the owner', async () => {
    const key = await keyOf('ann', { rateShare: 20 });
    const ask = async (user: Credentials) => {
      const { status, headers, body } = await host.request('GET', ECHO, { user });
      return { status, limits: [headers['x-ratelimit-limit'], headers['x-ratelimit-remaining']], body };
    };
    expect(await ask(key)).toMatchObject({ status: 200, limits: ['2', '1'] });
    expect(await ask(key)).toMatchObject({ status: 200, limits: ['2', '0'] });
    expect(await ask(key)).toMatchObject({
      status: 429,
      limits: ['2', '0'],
      body: { toy: { kind: 'rate-limited', limit: 2, windowSeconds: 60 } },
    });
    expect(await ask(host.credentials('ann'))).toMatchObject({ status: 200, limits: ['10', '7'] });
  });
});
