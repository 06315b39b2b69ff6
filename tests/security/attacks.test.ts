// Sends every attack of attacks.yaml to the real host. What must happen stands there.

import type { KeyRestrictions } from '../../host-shim/auth/key-restrictions';
import { GUIDE, QUERY, ROWS } from '../contracts/contract-host';
import { logInAs, type PageClient } from '../support/page-client';
import {
  basicHeader,
  LOGIN_PASSWORD,
  startTestHost,
  type TestAnswer,
  type TestHost,
} from '../support/test-host';
import { isRaw } from '../torture/words';
import { ATTACKS, type Attack, type Attacker } from './attacks';

const CODE = '<img src=x onerror=alert(1)>';
const site = (tracking_id: string, name: string) => ({
  ...{ tracking_id, name, domain: `${tracking_id}.example`, timezone: 'UTC' },
  goals: [
    { id: 1, name: `Goal ${CODE}`, type: 'gtype_page', condition: { match: 'prefix', url: `/${CODE}` } },
  ],
});

let host: TestHost;
const headersOf = new Map<Attacker, Readonly<Record<string, string>>>([['nobody', {}]]);
const names = new Map<string, string>();
let before: object;

/** Everything that an attack could have changed, but not when a key was last used. */
async function state(): Promise<object> {
  const { write } = host.database;
  const { rows } = await write.raw(
    `SELECT (SELECT json_agg(u ORDER BY user_id) FROM host.users u) AS users,
       (SELECT json_agg(s ORDER BY site_id) FROM analytics.site s) AS sites,
       (SELECT json_agg(g) FROM analytics.goal g) AS goals,
       (SELECT json_agg(v ORDER BY site_id, pv_id) FROM analytics.page_view v) AS views,
       (SELECT json_agg(json_build_array(uuid, user_id, name, allows) ORDER BY uuid) FROM host.application_passwords) AS keys,
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
    ],
    environment: 'production',
    trustProxy: 1,
  });
  const keys: Partial<Record<Attacker, Partial<KeyRestrictions>>> = {
    ann: {},
    narrow: { sites: ['shop'] },
    ended: { expiresAt: new Date('2026-01-01T00:00:00Z') },
    addresses: { addressRanges: ['192.0.2.0/24'] },
    importer: { sites: ['shop'], allows: ['import'] },
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
  const key = await host.createApplicationPassword('ann', 'fill', { allows: ['import'] });
  for (const name of ['shop', 'blog']) {
    const { body } = await host.request(
      'POST',
      `/wp-json/qal-data/v1/import/allpv?site=${name}&file=${encodeURIComponent(CODE)}&source=${encodeURIComponent(CODE)}`,
      { user: key, body: JSON.stringify({ pv_id: 1, ...view }) },
    );
    names.set(`{${name}'s import}`, String(body.import_id));
  }
  const asked = {
    ...ROWS,
    materials: [{ name: 'allpv', 'x-note': 'asked by ann alone' }],
    result: { use: CODE },
  };
  await host.request('POST', QUERY, { user: 'ann', body: asked });
  await host.rest.settle();
  before = await state();
});
afterAll(() => host.stop());

const filled = (text: string): string =>
  text
    .replace(/\{[^{}]+\}/g, (name) => names.get(name) ?? name)
    .replace(/REPEAT (\S+) (\d+)/, (_all, piece: string, times: string) => piece.repeat(Number(times)));

function send({ as, send: line, headers, json, form, text }: Attack): Promise<TestAnswer> {
  const [method, path] = filled(line).split(' ');
  const who = headersOf.get(as) ?? {};
  const nonce = form !== undefined && who['X-WP-Nonce'] !== undefined ? { _wpnonce: who['X-WP-Nonce'] } : {};
  const fields = Object.entries({ ...nonce, ...form }).map(([name, value]): [string, string] => [
    name,
    filled(value),
  ]);
  const body =
    form !== undefined
      ? new URLSearchParams(fields).toString()
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
    headers: { ...who, ...(body !== undefined && { 'Content-Type': type }), ...headers },
    ...(body !== undefined && { body: form === undefined ? filled(body) : body }),
  });
}

describe.each([...new Set(ATTACKS.map(({ area }) => area))])('%s', (area) => {
  test.each(ATTACKS.filter((attack) => attack.area === area))('$attack: $happens', async (attack) => {
    const { status, headers, text } = await send(attack);
    const whole = `${Object.entries(headers)
      .map(([name, value]) => `${name}: ${value}`)
      .join('\n')}\n\n${text}`;
    const seen = whole.toLowerCase();
    expect([status, isRaw(text)]).toEqual([attack.status, false]);
    for (const part of attack.has) expect(seen).toContain(part.toLowerCase());
    for (const part of attack.lacks) expect(seen).not.toContain(part.toLowerCase());
  });
});

test('after all of it nothing has changed', async () => {
  expect(await state()).toEqual(before);
});

test('the log names none of the secrets that came by, and no prototype was changed', async () => {
  await host.request('GET', GUIDE, { user: 'bob' });
  await host.rest.settle();
  const log = JSON.stringify(host.logged);
  expect(log).toContain('/wp-json/qa-platform/query');
  for (const headers of headersOf.values())
    for (const secret of Object.values(headers)) expect(log).not.toContain(secret);
  expect(log).not.toContain(LOGIN_PASSWORD);
  expect(Object.keys(Object.prototype)).toEqual([]);
});
