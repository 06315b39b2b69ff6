import { measureStored } from '../../extension/data/storage/stored-sizes';
import { manifest } from '../data/import/import-setup';
import { logInAs } from '../support/page-client';
import { startTestHost, type TestHost } from '../support/test-host';

let host: TestHost;
beforeAll(async () => {
  host = await startTestHost({
    sites: [{ tracking_id: 'shop', domain: 'shop.example', name: 'Shop', timezone: 'UTC' }],
    users: [
      { login: 'admin', role: 'administrator' },
      { login: 'ana', role: 'analyst', sites: ['shop'] },
    ],
  });
});
afterAll(() => host.stop());

// conformance: beyond.stored-by-month
test('the Health and Sites pages link to a page with the size of each dataset by month', async () => {
  const admin = await logInAs(host, 'admin');
  expect((await admin.get('/wp-admin/storage')).text).toContain(
    'No rows have been measured yet. A running server measures them once a day.',
  );
  const view = (pv_id: number, access_time: string) => ({ pv_id, url: 'https://shop.example/', access_time });
  await host.importRows('allpv', 'shop', [view(1, '2026-04-01T00:00:00Z'), view(2, '2026-05-01T00:00:00Z')]);
  await measureStored({ write: host.database.write, manifest, clock: () => new Date('2026-06-01') });
  expect((await admin.get('/wp-admin/health')).text).toMatch(
    /<dt>Storage<\/dt><dd>[\d.]+ kB of rows <a href="\/wp-admin\/storage">Storage<\/a>/,
  );
  const cells = (await admin.get('/wp-admin/storage')).text.replace(/(\s*<[^>]*>\s*)+/g, ' | ');
  expect(cells).toMatch(
    /shop \| : [\d.]+ kB \| Month \| allpv \| All \| [\d.]+ kB \| Rows \| 2 \| 2026-05 \| [\d.]+ kB \| 2026-04 \| [\d.]+ kB/,
  );
  expect((await admin.get('/wp-admin/sites')).text).toContain(
    '<a href="/wp-admin/storage#site-shop" aria-label="Storage of Shop: 2 rows">2</a>',
  );
  expect((await (await logInAs(host, 'ana')).get('/wp-admin/storage')).status).toBe(403);
});
