// If a site is removed and a new one is created with the same name, access to the old site does not carry over.
import { analyticsExtension } from '../../extension/index';
import { logInAs, type PageClient } from '../support/page-client';
import { pageExtension } from '../support/page-extension';
import { type Credentials, SETTINGS, startTestHost, type TestHost } from '../support/test-host';

const SHOP = { tracking_id: 'shop', name: 'Shop', domain: 'shop.example', timezone: 'UTC' };
const BLOG = { tracking_id: 'blog', name: 'Blog', domain: 'blog.example', timezone: 'UTC', default: true };

const revoked: { readonly userId: number; readonly uuids: readonly string[] }[] = [];
const listener = pageExtension([], (host) =>
  host.addAction('application_password_revoked', (event) => void revoked.push(event)),
);

let host: TestHost;
let ann: PageClient;
beforeAll(async () => {
  host = await startTestHost({
    extensions: [analyticsExtension(SETTINGS), listener],
    sites: [BLOG, SHOP],
    users: [
      { login: 'ann', role: 'administrator' },
      { login: 'bob', role: 'analyst', sites: ['shop', 'blog'] },
      { login: 'eve', role: 'analyst', sites: ['shop'] },
    ],
  });
  ann = await logInAs(host, 'ann');
});
afterAll(() => host.stop());

/** Sends a query on this site; returns 'answered' or the error code. */
async function queryOn(user: string | Credentials, tracking_id: string) {
  const { status, text } = await host.request('POST', '/wp-json/qa-platform/query', {
    user,
    body: {
      tracking_id,
      materials: [{ name: 'allpv' }],
      time: { start: '2026-05-01T00:00:00', end: '2026-06-01T00:00:00', tz: 'UTC' },
      make: { v: { from: ['allpv'], keep: [], calc: { n: 'COUNT(allpv.pv_id)' } } },
      result: { use: 'v' },
    },
  });
  return status === 200 ? 'answered' : JSON.parse(text).error.code;
}

/** Opens the dashboard through a shared link; returns the HTTP status. */
const openLink = async (key: string) =>
  (
    await host.request('POST', '/wp-json/qa-platform-pages/dashboard', {
      headers: { 'X-Link-Key': key },
      body: { period: '7d', compare: 'none', filters: [], parts: [] },
    })
  ).status;

async function share(site: string): Promise<string> {
  const fields = { page: 'dashboard', name: `of ${site}`, site, expires: '2099-01-01' };
  const { text } = await ann.post('/wp-admin/application-passwords/link', fields);
  return /\/link\/dashboard#([\w.-]+)</.exec(text)?.[1] ?? '';
}

// attack: user-key-link-removed
test("the old site's users, application passwords and links have no access to the new one", async () => {
  const both = await host.createApplicationPassword('bob', 'both', { sites: ['shop', 'blog'] });
  const shopKey = await host.createApplicationPassword('ann', 'shop', { sites: ['shop'] });
  const [shopLink, blogLink] = [await share('shop'), await share('blog')];
  for (const user of ['bob', 'eve', both, shopKey]) expect(await queryOn(user, 'shop')).toBe('answered');
  expect([await openLink(shopLink), await openLink(blogLink)]).toEqual([200, 200]);

  const before: readonly string[] = await host.database.write('host.application_passwords').pluck('uuid');
  expect((await ann.post('/wp-admin/sites/remove/shop?what=site', {})).status).toBe(303);
  const left: readonly string[] = await host.database.write('host.application_passwords').pluck('uuid');
  const gone = before.filter((uuid) => !left.includes(uuid));
  expect(gone).toEqual(expect.arrayContaining([shopKey.uuid]));
  expect(revoked.map(({ uuids }) => uuids.toSorted())).toEqual([gone.toSorted()]);
  const added = { tracking_id: 'shop', name: 'New shop', domain: 'new.example', timezone: 'UTC' };
  expect((await ann.post('/wp-admin/sites/add', added)).status).toBe(303);

  for (const user of ['bob', 'eve', both]) expect(await queryOn(user, 'shop')).toBe('E_UNKNOWN_TRACKING_ID');
  expect(await queryOn(shopKey, 'shop')).toBe('E_UNAUTHORIZED');
  for (const user of ['bob', both]) expect(await queryOn(user, 'blog')).toBe('answered');
  expect([await openLink(shopLink), await openLink(blogLink)]).toEqual([401, 200]);
  expect(await queryOn('ann', 'shop')).toBe('answered');
});
