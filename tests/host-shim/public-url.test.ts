// The setting QAL_PUBLIC_URL, for a server that can also be reached under another name.
import { logInAs, type PageClient } from '../support/page-client';
import { startTestHost, type TestHost } from '../support/test-host';

const PUBLIC_URL = 'https://stats.example';
/** Host names that a proxy or an attacker may send. */
const OTHER = { Host: 'inside.example', 'X-Forwarded-Host': 'forwarded.example' };

let host: TestHost;
let ann: PageClient;

beforeAll(async () => {
  host = await startTestHost({
    sites: [{ tracking_id: 'shop', domain: 'shop.example', name: 'Shop', timezone: 'UTC' }],
    users: [{ login: 'ann', role: 'administrator' }],
    trustProxy: ['loopback'],
    hostSettings: { QAL_PUBLIC_URL: PUBLIC_URL },
    settings: { docsUrl: '' },
  });
  ann = await logInAs(host, 'ann');
});
afterAll(() => host.stop());

const get = (path: string, user?: string) =>
  host.request('GET', path, { headers: OTHER, ...(user !== undefined && { user }) });

test('responses to programs contain the public URL', async () => {
  const { body, headers } = await get('/wp-json/');
  expect(body).toMatchObject({ url: PUBLIC_URL, home: PUBLIC_URL });
  expect(headers.link).toBe(`<${PUBLIC_URL}/wp-json/>; rel="https://api.w.org/"`);
  expect((await get('/')).text).toContain(`Pages: ${PUBLIC_URL}/wp-admin/`);
  expect((await get('/nothing')).text).toContain(`${PUBLIC_URL}/wp-json/`);
  expect((await get('/wp-json/wp/v2/users/me', 'ann')).body).toMatchObject({
    link: expect.stringContaining(`${PUBLIC_URL}/?author=`),
  });
  const guide = await get('/wp-json/qa-platform/guide?version=latest', 'ann');
  expect(guide.body.documentation.source).toBe(`${PUBLIC_URL}/docs/`);
});

test('a shared link and the examples for a new password begin with the public URL', async () => {
  const post = (path: string, fields: Readonly<Record<string, string>>) =>
    ann.send(path, { headers: OTHER, fields: { _wpnonce: ann.nonce, ...fields } });
  const link = { page: 'dashboard', name: 'agency', site: 'shop', expires: '2100-01-01' };
  const shared = await post('/wp-admin/application-passwords/link', link);
  expect(shared.text).toContain(`${PUBLIC_URL}/link/dashboard#`);
  const created = await post('/wp-admin/application-passwords', { name: 'script', level: 'read' });
  expect(created.text).toContain(`${PUBLIC_URL}/wp-json/`);
  expect(shared.text + created.text).not.toMatch(/inside\.example|forwarded\.example/);
});

test('forms are accepted only from the host name that the browser used', async () => {
  const from = (origin: string) =>
    ann.send('/wp-admin/profile', {
      headers: { Host: 'inside.example', Origin: origin },
      fields: { _wpnonce: ann.nonce, action: 'log-out-everywhere' },
    });
  expect((await from('http://evil.example')).status).toBe(403);
  expect((await from('http://inside.example')).status).toBe(303);
});
