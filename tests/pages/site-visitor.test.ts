// Finding, downloading and erasing a visitor's data on a site's pages. The id is sent in forms, never in a URL.
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { logInAs, type PageClient } from '../support/page-client';
import { startTestHost, type TestHost } from '../support/test-host';
import { until } from '../support/until';

const PAGE = '/wp-admin/sites/visitor/shop';

const view = (pv_id: number, original_id: string) => ({
  pv_id,
  original_id,
  url: `https://shop.example/${pv_id}`,
  access_time: '2026-05-01T10:00:00Z',
});

let host: TestHost;
let admin: PageClient;
beforeAll(async () => {
  host = await startTestHost({
    sites: [{ tracking_id: 'shop', domain: 'shop.example', name: 'Shop', timezone: 'UTC' }],
    users: [
      { login: 'admin', role: 'administrator' },
      { login: 'ana', role: 'analyst', sites: ['shop'] },
    ],
  });
  await host.importRows('allpv', 'shop', [view(1, 'anna <1>'), view(2, 'anna <1>'), view(3, 'ben')]);
  admin = await logInAs(host, 'admin');
});
afterAll(() => host.stop());

const anna = { by: 'original_id', id: 'anna <1>' };

test('the form finds the visitor and shows how many rows are stored', async () => {
  expect((await admin.get('/wp-admin/sites/remove/shop')).text).toContain(`href="${PAGE}"`);
  const { status, text } = await admin.post(PAGE, anna);
  expect(status).toBe(200);
  expect(text).toContain('<code>anna &lt;1&gt;</code>');
  expect(text).toContain('<dt><code>allpv</code></dt><dd>2</dd>');
});

test.each([
  [
    'an id that no visitor has',
    { by: 'reader_id', id: '4000000000000099' },
    'There is no such visitor on this site.',
  ],
  ['a missing id', { ...anna, id: '' }, 'Enter the id of the visitor.'],
  ['a reader_id that is not a number', { by: 'reader_id', id: 'x' }, 'A reader_id is a number.'],
])('%s is rejected on the form', async (_label, fields, message) => {
  const { status, text } = await admin.post(PAGE, fields);
  expect([status, text]).toEqual([400, expect.stringContaining(message)]);
});

test('the download contains everything about the visitor', async () => {
  const { status, headers, text } = await admin.post(PAGE, { ...anna, what: 'export' });
  expect([status, headers['content-disposition']]).toEqual([200, 'attachment; filename=visitor-shop.json']);
  const found = JSON.parse(text);
  expect([found.names, found.allpv.map(({ pv_id }: { pv_id: string }) => pv_id)]).toEqual([
    ['anna <1>'],
    ['1', '2'],
  ]);
});

test('the visitor can be erased only once', async () => {
  expect((await admin.send(PAGE, { fields: { ...anna, what: 'erase' } })).status).toBe(403);
  const { status, headers } = await admin.post(PAGE, { ...anna, what: 'erase' });
  expect([status, headers.location]).toEqual([303, '/wp-admin/sites']);
  expect((await admin.get('/wp-admin/sites')).text).toContain('Erased a visitor of shop: 2 rows.');
  expect(await host.database.write('analytics.page_view').pluck('pv_id')).toEqual([3]);
  await until(async () => {
    const { rows } = await host.database.write.raw(
      "SELECT last_vacuum FROM pg_stat_user_tables WHERE schemaname = 'analytics' AND relname = 'page_view'",
    );
    return rows[0].last_vacuum !== null;
  });
  const again = await admin.post(PAGE, anna);
  expect([again.status, again.text]).toEqual([
    200,
    expect.stringContaining('No rows are stored for the visitor'),
  ]);
  const erased = `This visitor was already erased on ${new Date().toISOString().slice(0, 10)}.`;
  expect(again.text).toContain(`<p>${erased}</p>`);
  const twice = await admin.post(PAGE, { ...anna, what: 'erase' });
  expect((await admin.follow(twice)).text).toContain(`Erased a visitor of shop: 0 rows. ${erased}`);
  expect((await admin.post(PAGE, { by: 'original_id', id: 'ben' })).text).not.toContain('already erased');
});

test('analysts cannot open the page', async () => {
  const ana = await logInAs(host, 'ana');
  expect((await ana.post(PAGE, { by: 'original_id', id: 'ben' })).status).toBe(403);
});

describe('when its client disconnects, a download ends', () => {
  const isNobodyIn = (state: string) => async () => {
    const { rows } = await host.database.write.raw(
      `SELECT FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND ${state}`,
    );
    return rows.length === 0;
  };

  /** Begins a download that waits for a locked table, and disconnects its client. */
  const leaveAt = (table: string, then: () => Promise<unknown>) =>
    host.database.write.transaction(async (transaction) => {
      await transaction.raw(`LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
      const sending = request(host.url + PAGE, {
        method: 'POST',
        headers: { Cookie: admin.cookie, 'Content-Type': 'application/x-www-form-urlencoded' },
        agent: false,
      });
      const form = { _wpnonce: admin.nonce, by: 'original_id', id: 'ben', what: 'export' };
      sending.end(new URLSearchParams(form).toString());
      const [answer]: IncomingMessage[] = await once(sending, 'response');
      await until(async () => !(await isNobodyIn("wait_event_type = 'Lock'")()));
      answer?.destroy();
      await then();
    });

  test('while PostgreSQL is reading rows', () =>
    leaveAt('analytics.conversion', () => until(isNobodyIn("wait_event_type = 'Lock'"))));

  test('before the rest is written', async () => {
    // A later request is answered after the server has seen that the connection was closed.
    await leaveAt('host.window_count', () => host.request('GET', '/wp-json/'));
    await until(isNobodyIn('xact_start IS NOT NULL'));
  });
});
