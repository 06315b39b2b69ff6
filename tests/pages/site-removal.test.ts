// Removing data on the "Sites" page: the confirmation page shows how many rows will be removed, and only its form removes them.
import { Readable } from 'node:stream';
import { Client } from 'pg';
import { importTogether } from '../../extension/data/import/import-together';
import { openRunRecord } from '../../extension/data/import/run-record';
import { LOCKS } from '../../extension/data/storage/advisory-locks';
import { applySites } from '../../extension/data/storage/sites/apply-sites';
import { loadManifest } from '../../manifests/reader/manifest';
import { logInAs, markIn, type PageClient } from '../support/page-client';
import { startTestHost, type TestHost } from '../support/test-host';
import { until } from '../support/until';

const PAGE = '/wp-admin/sites/remove/shop';

const view = (pv_id: number, access_time: string) => ({
  pv_id,
  url: `https://shop.example/${pv_id}`,
  access_time,
});

let host: TestHost;
let admin: PageClient;
beforeAll(async () => {
  host = await startTestHost({
    sites: [
      { tracking_id: 'shop', domain: 'shop.example', name: 'Shop', timezone: 'Asia/Tokyo', default: true },
      { tracking_id: 'demo', domain: 'demo.example', name: 'Demo shop', timezone: 'UTC' },
    ],
    users: [
      { login: 'admin', role: 'administrator' },
      { login: 'ana', role: 'analyst', sites: ['shop'] },
    ],
  });
  await host.importRows('allpv', 'shop', [view(1, '2026-05-01T14:59:59Z'), view(2, '2026-05-01T15:00:00Z')]);
  admin = await logInAs(host, 'admin');
});
afterAll(() => host.stop());

const views = async () =>
  (await host.database.write('analytics.page_view').pluck('pv_id')).map(Number).sort();
const days = (from: string, to: string) => ({ what: 'days', from, to, material: '' });
const openConfirmation = (fields: Record<string, string>) =>
  admin.get(`${PAGE}?${new URLSearchParams(fields)}`);

// conformance: beyond.days-sites-visitors
test('the confirmation page counts the rows of the selected days and removes nothing', async () => {
  const { status, text } = await openConfirmation(days('2026-05-02', '2026-05-02'));
  expect(status).toBe(200);
  expect(text).toContain('This permanently removes 1 row of shop from 2026-05-02 to 2026-05-02.');
  expect(text).toContain('<button class="danger">Remove 1 row</button>');
  expect((await openConfirmation(days('2020-01-01', '2020-01-01'))).text).not.toContain('class="danger"');
  expect(await views()).toEqual([1, 2]);
});

test.each([
  ['a missing day', days('', '2026-05-02'), 'Enter both days'],
  ['days in the wrong order', days('2026-05-02', '2026-05-01'), 'The first day is after the last one.'],
  [
    'an unknown dataset',
    { ...days('2026-05-02', '2026-05-02'), material: '<x>' },
    '&lt;x&gt; does not have its own rows.',
  ],
])('%s is rejected on the form', async (_label, fields, message) => {
  const { status, text } = await openConfirmation(fields);
  expect([status, text]).toEqual([400, expect.stringContaining(message)]);
});

test('the form on the confirmation page removes the rows, but only with the nonce', async () => {
  const address = `${PAGE}?${new URLSearchParams(days('2026-05-02', '2026-05-02'))}`;
  expect((await admin.send(address, { fields: {} })).status).toBe(403);
  expect(await views()).toEqual([1, 2]);
  const mark = markIn(await admin.get(address));
  const { status, headers } = await admin.post(address, { mark });
  expect([status, headers.location]).toEqual([303, '/wp-admin/sites']);
  expect((await admin.get('/wp-admin/sites')).text).toContain('Removed 1 row from shop.');
  expect(await views()).toEqual([1]);
  const again = await admin.post(address, { mark });
  expect((await admin.follow(again)).text).toContain('There was nothing left to remove.');
});

test('rows that were added after the question are not removed; the page asks again', async () => {
  const address = `${PAGE}?${new URLSearchParams(days('2026-05-01', '2026-05-01'))}`;
  const mark = markIn(await admin.get(address));
  await host.importRows('allpv', 'shop', [view(3, '2026-05-01T14:00:00Z')]);
  const before = await views();
  for (const fields of [{ mark }, {}]) {
    const { status, text } = await admin.post(address, fields);
    expect([status, text]).toEqual([409, expect.stringContaining('so nothing was removed.')]);
    expect(text).toContain('This permanently removes 2 rows of shop');
  }
  expect(await views()).toEqual(before);
});

test('rows that a followed log adds after the question are removed too, unless anything else has changed the site', async () => {
  const { write } = host.database;
  const record = openRunRecord(write, () => new Date(), 'following');
  const at = '2026-05-03T10:00:00Z';
  const follow = (pv_id: number) =>
    importTogether(
      {
        write,
        record,
        manifest: loadManifest(),
        material: 'allpv',
        site: 'shop',
        source: 'access.log',
        format: 'ndjson',
        onError: 'stop',
        continues: true,
        clock: () => new Date(),
      },
      [{ open: async () => Readable.from([JSON.stringify(view(pv_id, at))]) }],
    );
  const address = `${PAGE}?${new URLSearchParams(days('2026-05-03', '2026-05-03'))}`;
  const before = await views();
  await follow(11);
  const mark = markIn(await admin.get(address));
  await host.importRows('allpv', 'shop', [view(12, at)]);
  for (const rows of [2, 3]) {
    const { status, text } = await admin.post(address, { mark });
    expect([status, text]).toEqual([409, expect.stringContaining('so nothing was removed.')]);
    expect(text).toContain(`This permanently removes ${rows} rows of shop`);
    await follow(11 + rows);
  }
  const current = markIn(await admin.get(address));
  await follow(15);
  const done = await admin.post(address, { mark: current });
  expect((await admin.follow(done)).text).toContain('Removed 5 rows from shop.');
  expect(await views()).toEqual(before);
  await record.close();
});

test('the demo can be removed from the list, and a page shows who removed what', async () => {
  const { text } = await admin.get('/wp-admin/sites');
  expect(text).toContain('href="/wp-admin/sites/remove/demo?what=site">Remove the demo</a>');
  await admin.post('/wp-admin/sites/remove/demo?what=site', {});
  expect((await admin.get('/wp-admin/sites')).text).not.toContain('Remove the demo');
  const removed = (await admin.get('/wp-admin/sites/removed')).text.replace(/(\s*<[^>]*>\s*)+/g, ' | ');
  expect(removed).toMatch(/admin \| demo \| the site \| 0 rows/);
  expect(removed).toMatch(/admin \| shop \| all rows from 2026-05-02 to 2026-05-02 \| 1 row/);
});

/** Adds a site with one page view. */
async function addSite(trackingId: string): Promise<void> {
  const site = {
    tracking_id: trackingId,
    domain: `${trackingId}.example`,
    name: trackingId,
    timezone: 'UTC',
  };
  await applySites(host.database.write, { sites: [site] });
  await host.importRows('allpv', trackingId, [view(1, '2026-05-01T10:00:00Z')]);
}

test('of two simultaneous removals of a site, one removes it, and the other reports that there is nothing to remove', async () => {
  await addSite('twice');
  const address = '/wp-admin/sites/remove/twice?what=site';
  // A session has one notice at a time.
  const sessions = [admin, await logInAs(host, 'admin')];
  const answers = await host.database.write.transaction(async (transaction) => {
    await transaction.raw('SELECT pg_advisory_xact_lock(?)', [LOCKS.sites]);
    const both = sessions.map(async (session) => session.follow(await session.post(address, {})));
    await until(async () => {
      const { rows } = await transaction.raw(
        "SELECT FROM pg_locks WHERE locktype = 'advisory' AND objid = ? AND NOT granted",
        [LOCKS.sites],
      );
      return rows.length === 2;
    });
    return both;
  });
  const pages = (await Promise.all(answers)).map(({ text }) => text);
  for (const notice of [
    'Removed 1 row from twice.',
    'There is no site twice; it may already have been removed.',
  ])
    expect(pages.filter((text) => text.includes(notice))).toHaveLength(1);
});

test('if the site is removed while the page asks again, the next response reports it', async () => {
  await addSite('gone');
  const address = `/wp-admin/sites/remove/gone?${new URLSearchParams(days('2026-05-01', '2026-05-01'))}`;
  const { query } = Client.prototype;
  const querying = jest.spyOn(Client.prototype, 'query').mockImplementation(async function (
    this: Client,
    ...args: unknown[]
  ) {
    const answer = await Reflect.apply(query, this, args);
    if (args[0] !== 'ROLLBACK') return answer;
    querying.mockRestore();
    await host.database.write('analytics.site').where('tracking_id', 'gone').delete();
    return answer;
  });
  const asked = await admin.post(address, { mark: 'of other rows' });
  expect([asked.status, asked.text]).toEqual([409, expect.stringContaining('so nothing was removed.')]);
  const again = await admin.post(address, { mark: markIn(asked) });
  expect((await admin.follow(again)).text).toContain(
    'There is no site gone; it may already have been removed.',
  );
});

test('an analyst cannot remove anything', async () => {
  const ana = await logInAs(host, 'ana');
  expect((await ana.get(PAGE)).status).toBe(403);
});
