// The "Sites" page over HTTP: the list, and adding and changing sites. The input is hostile.
import { logInAs, markIn, type PageClient } from '../support/page-client';
import { startTestHost, type TestHost } from '../support/test-host';

const HOSTILE = `<script>alert("Läden & 'Straße'")</script> 東京 🗼`;
const ESCAPED = '&lt;script&gt;alert(&quot;Läden &amp; &#39;Straße&#39;&quot;)&lt;/script&gt; 東京 🗼';
const JANUARY_FIRST = Date.UTC(2026, 0, 1, 20) / 1000;

let host: TestHost;
let admin: PageClient;
let analyst: PageClient;
beforeAll(async () => {
  host = await startTestHost({
    sites: [
      { tracking_id: 'shop', domain: 'shop.example', name: HOSTILE, timezone: 'Asia/Tokyo', default: true },
      { tracking_id: 'blog', domain: 'blog.example', name: 'Blog', timezone: 'UTC' },
    ],
    users: [
      { login: 'admin', role: 'administrator' },
      { login: 'ana', role: 'analyst', sites: ['shop'] },
    ],
  });
  const view = (place: number, access_time: number) => ({
    url: `https://shop.example/${place}`,
    access_time,
  });
  await host.importRows('allpv', 'shop', [view(1, JANUARY_FIRST), view(2, JANUARY_FIRST + 86_400)]);
  admin = await logInAs(host, 'admin');
  analyst = await logInAs(host, 'ana');
});
afterAll(() => host.stop());

const site = (fields: Record<string, string> = {}) => ({
  tracking_id: 'new-site',
  name: 'New',
  domain: 'new.example',
  timezone: 'Europe/Berlin',
  ...fields,
});

const rowsOf = (text: string): readonly string[] =>
  [...text.matchAll(/<tr>([\s\S]*?)<\/tr>/g)].map((match) =>
    (match[1] ?? '')
      .replace(/<[^>]*>/g, ' ')
      .replace(/\s+/g, ' ')
      .trim(),
  );

test('lists every site with the first and last day of its data, in its own time zone', async () => {
  const { status, text } = await admin.get('/wp-admin/sites');
  expect(status).toBe(200);
  expect(rowsOf(text).slice(1)).toEqual([
    `shop default ${ESCAPED} shop.example Asia/Tokyo 2026-01-02 – 2026-01-03 0 – Edit Remove`,
    'blog Blog blog.example UTC no page views yet 0 – Edit Remove',
  ]);
  expect(text).not.toContain('<script>alert');
});

test('a site can be added, changed and made the default', async () => {
  const added = await admin.post('/wp-admin/sites/add', site({ name: HOSTILE, tracking_id: ' new-site ' }));
  expect(added).toMatchObject({
    status: 303,
    headers: { location: '/wp-admin/imports/upload?site=new-site' },
  });
  const list = await admin.follow(added);
  expect(list.text).toContain('Site new-site was added.');
  const form = await admin.get('/wp-admin/sites/edit/new-site');
  expect(form.text).toContain(`value="${ESCAPED}"`);
  const changed = await admin.post('/wp-admin/sites/edit/new-site', site({ name: 'Neu', default: 'yes' }));
  expect(rowsOf((await admin.follow(changed)).text)[1]).toContain('new-site default Neu new.example');
  const shop = { ...site({ name: HOSTILE, default: 'yes', domain: 'shop.example' }), timezone: 'Asia/Tokyo' };
  await admin.post('/wp-admin/sites/edit/shop', shop);
  expect(rowsOf((await admin.get('/wp-admin/sites')).text)[1]).toContain('shop default');
});

test('an address is enough to add a site: its name and id are derived from it, and its time zone is the user’s', async () => {
  expect((await admin.get('/wp-admin/sites/add')).text).toContain('name="timezone" type="text" value="UTC"');
  await host.database.write.raw(`UPDATE host.users SET meta = '{"timezone": "Asia/Tokyo"}'`);
  const { text } = await admin.get('/wp-admin/sites/add');
  await host.database.write.raw(`UPDATE host.users SET meta = '{}'`);
  expect(text).toContain('name="timezone" type="text" value="Asia/Tokyo"');
  await admin.post('/wp-admin/sites/add', {
    domain: ' https://News.Example.org:8080/start ',
    timezone: 'UTC',
  });
  const stored = await host.database.write('analytics.site').where('tracking_id', 'news-example-org').first();
  expect(stored).toMatchObject({ domain: 'news.example.org', name: 'news.example.org' });
});

test('errors are shown next to their fields, and the form keeps its values', async () => {
  const typed = site({ tracking_id: 'a b', name: HOSTILE, timezone: '<JST>', default: 'yes', domain: '' });
  const { status, text } = await admin.post('/wp-admin/sites/add', typed);
  expect(status).toBe(400);
  expect(text).toContain('Nothing was saved');
  expect(text).toMatch(
    /id="field-tracking_id-fault" class="fault">must consist of letters, digits, _ and -</,
  );
  expect(text).toMatch(/id="field-timezone-fault" class="fault">must be the full name of a time zone/);
  expect(text).toMatch(/id="field-domain-fault" class="fault">must not be empty</);
  expect(text).toContain('value="a b"');
  expect(text).toContain('value="&lt;JST&gt;"');
  expect(text).toContain(`value="${ESCAPED}"`);
  expect(text).toMatch(/name="default" value="yes" checked/);
  const taken = await admin.post('/wp-admin/sites/add', site({ tracking_id: 'shop' }));
  expect(taken.status).toBe(400);
  expect(taken.text).toContain('site shop already exists');
});

test('when two users change a site, the second sees what the first saved', async () => {
  await admin.post('/wp-admin/sites/add', site({ tracking_id: 'both' }));
  const address = '/wp-admin/sites/edit/both';
  const mark = markIn(await admin.get(address));
  expect((await admin.post(address, site({ mark, name: HOSTILE }))).status).toBe(303);
  const second = await admin.post(address, site({ mark, name: 'Second' }));
  expect(second.status).toBe(409);
  expect(second.text).toContain('Another user changed this while you were editing, so nothing was saved.');
  expect(second.text).toContain(`<dt>Name</dt><dd>${ESCAPED}</dd>`);
  expect(second.text).toContain('value="Second"');
  expect((await admin.get(address)).text).toContain(`value="${ESCAPED}"`);
  expect((await admin.post(address, site({ mark: markIn(second), name: 'Second' }))).status).toBe(303);
});

test('the default cannot be unset, and the error is shown next to its field', async () => {
  await admin.post('/wp-admin/sites/add', site({ tracking_id: 'main', default: 'yes' }));
  const { status, text } = await admin.post('/wp-admin/sites/edit/main', site());
  expect(status).toBe(400);
  expect(text).toMatch(/id="field-default-fault" class="fault">one site must be the default/);
  const shop = { ...site({ name: HOSTILE, default: 'yes', domain: 'shop.example' }), timezone: 'asia/tokyo' };
  expect((await admin.post('/wp-admin/sites/edit/shop', shop)).status).toBe(303);
});

test('the tracking id in an edit form is ignored', async () => {
  await admin.post('/wp-admin/sites/add', site({ tracking_id: 'fixed' }));
  await admin.post('/wp-admin/sites/edit/fixed', site({ tracking_id: 'blog', name: 'Moved' }));
  const rows = rowsOf((await admin.get('/wp-admin/sites')).text).join('\n');
  expect(rows).toContain('fixed Moved');
  expect(rows).toContain('blog Blog');
});

test('unknown pages and sites are not found', async () => {
  for (const path of ['edit/nowhere', 'rows/nowhere', 'rows/%00', 'remove/nowhere', 'edit', 'add/more'])
    expect([path, (await admin.get(`/wp-admin/sites/${path}`)).status]).toEqual([path, 404]);
  expect((await admin.post('/wp-admin/sites', site())).status).toBe(404);
  const hostile = await admin.get('/wp-admin/sites/edit/%3Cscript%3E');
  expect(hostile.text).toContain('There is no site &lt;script&gt;; it may already have been removed.');
});

test('analysts cannot open the page, and a form without a nonce has no effect', async () => {
  expect((await analyst.get('/wp-admin/sites')).status).toBe(403);
  expect((await analyst.post('/wp-admin/sites/add', site({ tracking_id: 'theirs' }))).status).toBe(403);
  expect((await analyst.get('/wp-admin/profile')).text).not.toContain('/wp-admin/sites');
  const stale = await admin.send('/wp-admin/sites/add', { fields: site({ tracking_id: 'forged' }) });
  expect(stale.status).toBe(403);
  const list = (await admin.get('/wp-admin/sites')).text;
  expect(list).not.toContain('forged');
  expect(list).not.toContain('theirs');
});
