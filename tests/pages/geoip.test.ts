// The country database is uploaded on its page and used by the next import.
import { countryDatabase } from '../support/country-database';
import { logInAs, type PageClient } from '../support/page-client';
import { SETTINGS, startTestHost, type TestHost } from '../support/test-host';

let host: TestHost;
let ann: PageClient;
beforeAll(async () => {
  host = await startTestHost({
    sites: [{ tracking_id: 'shop', domain: 'shop.example', name: 'Shop', timezone: 'UTC' }],
    users: [
      { login: 'ann', role: 'administrator' },
      { login: 'ana', role: 'analyst', sites: ['shop'] },
      { login: 'vic', role: 'viewer', sites: ['shop'] },
    ],
  });
  ann = await logInAs(host, 'ann');
});
afterAll(() => host.stop());

const PAGE = '/wp-admin/imports/geoip';
async function send(path: string, body: Buffer<ArrayBuffer>, headers: Readonly<Record<string, string>>) {
  const response = await fetch(`${host.url}/wp-json/${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/octet-stream', ...headers },
    body,
  });
  return { status: response.status, text: await response.text() };
}
const upload = (body: Buffer<ArrayBuffer>, headers: Readonly<Record<string, string>>) =>
  send(`${SETTINGS.namespace}-pages/geoip`, body, headers);
const sessionOf = ({ cookie, nonce }: PageClient) => ({ Cookie: cookie, 'X-WP-Nonce': nonce });
const DATABASE = Buffer.from(countryDatabase({ '203.0.113.0/24': 'DE' }));

test("uploading a database requires an administrator's session with its nonce", async () => {
  const { secret } = await host.createApplicationPassword('ann');
  const refused = [
    sessionOf(await logInAs(host, 'ana')),
    sessionOf(await logInAs(host, 'vic')),
    { Cookie: ann.cookie, 'X-WP-Nonce': 'other' },
    { Authorization: `Basic ${Buffer.from(`ann:${secret}`).toString('base64')}` },
  ];
  for (const headers of refused) expect((await upload(DATABASE, headers)).status).toBe(403);
  expect((await upload(DATABASE, { Cookie: ann.cookie })).status).toBe(401);
  expect((await ann.get(PAGE)).text).not.toContain('<time');
});

test('any other file is rejected, without revealing the path on the server', async () => {
  const { status, text } = await upload(Buffer.from('countries'), sessionOf(ann));
  expect([status, JSON.parse(text)]).toEqual([
    422,
    expect.objectContaining({
      code: 'geoip_unusable',
      message: expect.stringMatching(/^The file cannot be used as a country database/),
    }),
  ]);
});

test('the next import looks up countries in the uploaded database', async () => {
  expect((await upload(DATABASE, sessionOf(ann))).status).toBe(200);
  expect((await ann.get(PAGE)).text).toContain('<time');
  const views = 'access_time,url,ip\n2026-05-01T09:30:00Z,https://shop.example/a,203.0.113.7\n';
  const { status, text } = await send(
    'qal-data/v1/import/allpv?site=shop&dry_run=true',
    Buffer.from(views),
    sessionOf(ann),
  );
  expect(status).toBe(200);
  expect(text).toContain('"DE"');
});
