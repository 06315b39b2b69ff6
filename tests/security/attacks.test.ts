// Sends every attack in attacks.yaml to a real host, and checks the outcome.
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import type { KeyRestrictions } from '../../host-shim/auth/key-restrictions';
import { GUIDE, QUERY, ROWS } from '../api/contracts/contract-host';
import { sourceFiles } from '../architecture/source-files';
import { logInAs, type PageClient } from '../support/page-client';
import {
  basicHeader,
  LOGIN_PASSWORD,
  startTestHost,
  type TestAnswer,
  type TestHost,
} from '../support/test-host';
import { isRaw } from '../torture/is-raw';
import { ATTACKS, type Attacker, type AttackRequest } from './attacks';

const CODE = '<img src=x onerror=alert(1)>';
const site = (tracking_id: string, name: string) => ({
  tracking_id,
  name,
  domain: `${tracking_id}.example`,
  timezone: 'UTC',
  goals: [
    { id: 1, name: `Goal ${CODE}`, type: 'gtype_page', condition: { match: 'prefix', url: `/${CODE}` } },
  ],
});

/** The attacks in attacks.yaml depend on these numbers. */
const GUARD = { failures: 25, windowSeconds: 3_600 };

let host: TestHost;
const headersOf = new Map<Attacker, Readonly<Record<string, string>>>([['nobody', {}]]);
const names = new Map<string, string>();
let before: object;
/** The attacker's server. The host must never call it. */
let listener: Server;
let calls = 0;
const METRICS_TOKEN = 'a-token-for-this-test';
const LINK_HEADER = 'X-Link-Key';

/** Everything that an attack could change, except the times at which keys were last used. */
async function state(): Promise<object> {
  const { write } = host.database;
  const { rows } = await write.raw(
    `SELECT (SELECT json_agg(u ORDER BY user_id) FROM host.users u) AS users,
       (SELECT json_agg(s ORDER BY site_id) FROM analytics.site s) AS sites,
       (SELECT json_agg(g) FROM analytics.goal g) AS goals,
       (SELECT json_agg(q) FROM analytics.saved_query q) AS "savedQueries",
       (SELECT json_agg(v ORDER BY site_id, pv_id) FROM analytics.page_view v) AS views,
       (SELECT json_agg(json_build_array(uuid, user_id, name, level) ORDER BY uuid) FROM host.application_passwords) AS keys,
       (SELECT json_agg(json_build_array(import_id, status) ORDER BY import_id) FROM analytics.import_run WHERE status <> 'failed') AS imports,
       (SELECT json_agg(e) FROM host.extension e) AS extensions`,
  );
  return rows[0];
}

const sessionHeaders = ({ cookie, nonce }: PageClient) => ({ Cookie: cookie, 'X-WP-Nonce': nonce });

beforeAll(async () => {
  host = await startTestHost({
    sites: [site('shop', `Shop ${CODE}`), site('blog', 'Blog')],
    users: [
      { login: 'ann', role: 'administrator', email: 'ann@example.org' },
      { login: 'bob', role: 'analyst', sites: ['shop'] },
      { login: 'carl', role: 'analyst', sites: ['shop'] },
      { login: 'dan', role: 'analyst', sites: ['shop'] },
    ],
    environment: 'production',
    trustProxy: 1,
    metricsToken: METRICS_TOKEN,
    rateLimits: { perHour: 1_000, readingPerHour: 1_000 },
    loginGuard: GUARD,
    pageLoginGuard: GUARD,
  });
  listener = createServer((socket) => {
    calls += 1;
    socket.destroy();
  }).listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const { port } = listener.address() as AddressInfo;
  names.set('{listener}', `127.0.0.1:${port}`).set('{token}', METRICS_TOKEN);
  const keys: Partial<Record<Attacker, Partial<KeyRestrictions>>> = {
    ann: { level: 'manage' },
    narrow: { sites: ['shop'] },
    ended: { expiresAt: new Date('2026-01-01T00:00:00Z') },
    addresses: { addressRanges: ['192.0.2.0/24'] },
    importer: { sites: ['shop'], level: 'import' },
    share: { rateShare: 1 },
    revoked: {},
  };
  for (const [name, restrictions] of Object.entries(keys)) {
    const key = await host.createApplicationPassword('ann', name, restrictions);
    headersOf.set(name as Attacker, { Authorization: basicHeader(key) });
    names.set(name === 'ann' ? "{ann's key}" : `{${name}}`, key.uuid);
  }
  headersOf.set('bob', { Authorization: basicHeader(host.credentials('bob')) });
  headersOf.set('login', { Authorization: basicHeader({ login: 'bob', secret: LOGIN_PASSWORD }) });
  for (const login of ['ann', 'bob'] as const) {
    const page = await logInAs(host, login);
    headersOf
      .set(`${login}'s session`, sessionHeaders(page))
      .set(`${login}'s cookie`, { Cookie: page.cookie });
  }
  names.set("{ann's other nonce}", (await logInAs(host, 'ann')).nonce).set('{ann}', '1');

  const view = { access_time: '2026-05-01T10:00:00Z', url: `/${CODE}`, title: CODE, utm_source: '=cmd|x!A1' };
  const key = await host.createApplicationPassword('ann', 'fill', { level: 'import' });
  for (const name of ['shop', 'blog']) {
    const { body } = await host.request(
      'POST',
      `/wp-json/qal-data/v1/import/allpv?site=${name}&file=${encodeURIComponent(CODE)}&source=${encodeURIComponent(CODE)}`,
      { user: key, body: JSON.stringify({ pv_id: 1, ...view }) },
    );
    names.set(`{${name}'s import}`, String(body.import_id));
  }
  const query = {
    ...ROWS,
    materials: [{ name: 'allpv', 'x-note': 'asked by ann alone' }],
    result: { use: CODE },
  };
  await host.request('POST', QUERY, { user: 'ann', body: query });
  await revokeUsedKeys();
  await shareLinks();
  await saveQueries();
  await host.rest.settle();
  before = await state();
});
afterAll(async () => {
  listener.close();
  await host.stop();
});

async function saveQueries(): Promise<void> {
  for (const shared of [true, false]) {
    const { body } = await host.request('POST', '/wp-json/qa-platform-pages/saved-queries', {
      headers: headersOf.get("ann's session") ?? {},
      body: { name: `${CODE} ${shared}`, text: '{"asked by": "ann alone"}', version: '2026-05-11', shared },
    });
    names.set(`{ann's ${shared ? 'shared' : 'own'} query}`, String(body.id));
  }
}

/** Sends a query with each of three keys, so that its answer is cached, and then revokes the keys' access. */
async function revokeUsedKeys(): Promise<void> {
  const body = { ...ROWS, tracking_id: 'shop' };
  headersOf
    .set('stripped', { Authorization: basicHeader(host.credentials('carl')) })
    .set('disabled', { Authorization: basicHeader(host.credentials('dan')) });
  for (const who of ['revoked', 'stripped', 'disabled'] as const)
    expect((await host.request('POST', QUERY, { headers: headersOf.get(who) ?? {}, body })).status).toBe(200);
  const people = host.database.write.withSchema('host');
  const [{ user_id: carl }] = await people.clone().from('users').where({ login: 'carl' });
  await people.clone().from('user_sites').where({ user_id: carl }).delete();
  await people.clone().from('users').where({ login: 'dan' }).update({ disabled: true });
  await people.clone().from('application_passwords').where({ name: 'revoked' }).delete();
}

async function shareLinks(): Promise<void> {
  const ann = await logInAs(host, 'ann');
  for (const who of ['link', 'ended link', 'revoked link'] as const) {
    const fields = { page: 'dashboard', name: who, site: 'shop', expires: '2999-12-31' };
    const { text } = await ann.post('/wp-admin/application-passwords/link', fields);
    const key = /\/link\/dashboard#([\w.-]+)</.exec(text)?.[1] ?? '';
    headersOf.set(who, { [LINK_HEADER]: key });
    const [uuid = ''] = key.split('.');
    if (who === 'link') names.set("{link's key}", key);
    if (who === 'revoked link') await ann.post(`/wp-admin/application-passwords/${uuid}/revoke`, {});
    if (who === 'ended link')
      await host.database
        .write('host.application_passwords')
        .where({ uuid })
        .update({ expires_at: new Date('2026-01-01T00:00:00Z') });
  }
}

const filled = (text: string, turn: number): string =>
  text
    .replace(/\{[^{}]+\}/g, (name) => (name === '{n}' ? String(turn) : (names.get(name) ?? name)))
    .replace(/REPEAT (\S+) (\d+)/, (_all, piece: string, times: string) => piece.repeat(Number(times)))
    .replace(/^KEYS (\d+) (\d+)$/, (_all, step: string, count: string) =>
      JSON.stringify(
        Object.fromEntries(Array.from({ length: Number(count) }, (_one, n) => [n * Number(step), 1])),
      ),
    );

function send({ as, send: line, headers, json, form, text }: AttackRequest, turn = 0): Promise<TestAnswer> {
  const fill = (one: string) => filled(one, turn);
  const [method, path] = fill(line).split(' ');
  const who = headersOf.get(as) ?? {};
  const nonce = form !== undefined && who['X-WP-Nonce'] !== undefined ? { _wpnonce: who['X-WP-Nonce'] } : {};
  const filledIn = (texts: Readonly<Record<string, string>>) =>
    Object.entries(texts).map(([name, value]): [string, string] => [name, fill(value)]);
  const body =
    form !== undefined
      ? new URLSearchParams(filledIn({ ...nonce, ...form })).toString()
      : json === undefined
        ? text
        : typeof json === 'string'
          ? json
          : JSON.stringify(json);
  const type =
    form !== undefined
      ? 'application/x-www-form-urlencoded'
      : text !== undefined
        ? 'text/plain'
        : 'application/json';
  return host.request(method as 'GET', path ?? '', {
    headers: {
      ...who,
      ...(body !== undefined && { 'Content-Type': type }),
      ...Object.fromEntries(filledIn(headers)),
    },
    ...(body !== undefined && { body: form === undefined ? fill(body) : body }),
  });
}

/** The names of attacks in comments of the form `attack: NAME`. */
const TAGS = sourceFiles()
  .filter(({ path }) => path.startsWith('tests/'))
  .flatMap(({ text }) => [...text.matchAll(/^ *\/\/ attack: (\S+)$/gm)].map(([, name]) => name));

test('there is an attack for every tag', () => {
  const shown = ATTACKS.flatMap((attack) => ('shown' in attack ? [attack.shown] : []));
  expect(TAGS.filter((name) => !shown.includes(name ?? ''))).toEqual([]);
});

describe.each([...new Set(ATTACKS.map(({ area }) => area))])('%s', (area) => {
  test.each(ATTACKS.filter((attack) => attack.area === area))('$attack: $happens', async (attack) => {
    if ('shown' in attack) {
      expect(TAGS).toContain(attack.shown);
      return;
    }
    const { before: first } = attack;
    for (let turn = 1; turn <= (first?.times ?? 0); turn += 1) if (first) await send(first, turn);
    const { status, headers, text } = await send(attack);
    const whole = `${Object.entries(headers)
      .map(([name, value]) => `${name}: ${value}`)
      .join('\n')}\n\n${text}`;
    const seen = whole.toLowerCase();
    expect([status, isRaw(text)]).toEqual([attack.status, false]);
    for (const part of attack.has) expect(seen).toContain(filled(part, 0).toLowerCase());
    for (const part of attack.lacks) expect(seen).not.toContain(filled(part, 0).toLowerCase());
  });
});

test('none of the attacks has changed anything', async () => {
  expect(await state()).toEqual(before);
});

test('the host has not called any other server', () => {
  expect(calls).toBe(0);
});

test('logs, records, metrics and the guide contain no secrets from requests, and no prototypes were changed', async () => {
  const guide = await host.request('GET', GUIDE, { user: 'ann' });
  const metrics = await host.request('GET', '/metrics', {
    headers: { Authorization: `Bearer ${METRICS_TOKEN}` },
  });
  await host.rest.settle();
  const log = JSON.stringify(host.logged);
  const records = JSON.stringify(await host.database.write('analytics.query_record').select());
  const imports = JSON.stringify(await host.database.write('analytics.import_run').select());
  expect(log).toContain('/wp-json/qa-platform/query');
  expect(records).toContain('asked by ann alone');
  expect([guide.status, metrics.status]).toEqual([200, 200]);
  const output = [log, records, imports, guide.text, metrics.text].join('\n');
  for (const headers of headersOf.values())
    for (const secret of Object.values(headers)) expect(output).not.toContain(secret);
  for (const secret of [LOGIN_PASSWORD, METRICS_TOKEN]) expect(output).not.toContain(secret);
  expect(Object.keys(Object.prototype)).toEqual([]);
});
