// Visitors in the last few minutes, and lists of locations from a GeoIP database.
import { logInAs, type PageClient } from '../support/page-client';
import { startTestHost, type TestHost } from '../support/test-host';

const NOW = new Date('2026-11-20T20:00:00Z');

let host: TestHost;
let ann: PageClient;

beforeAll(async () => {
  host = await startTestHost({
    clock: () => NOW,
    sites: [{ tracking_id: 'blog', domain: 'blog.example', name: 'Blog', timezone: 'Europe/Berlin' }],
    users: [{ login: 'ann', role: 'administrator' }],
  });
  const view = (ago: number, pv_id: number, reader_id: number, region: string | null) => ({
    pv_id,
    session_id: reader_id,
    reader_id,
    url: 'https://blog.example/',
    access_time: NOW.getTime() / 1000 - ago,
    region,
    city: region && `City of ${region}`,
  });
  await host.importRows('allpv', 'blog', [
    view(90, 1, 1, 'Bavaria'),
    view(299, 2, 1, 'Bavaria'),
    view(300, 3, 2, null),
    view(1799, 4, 3, 'Hesse'),
    view(1800, 5, 4, 'Hesse'),
  ]);
  ann = await logInAs(host, 'ann');
});
afterAll(() => host.stop());

/** Returns the head's `newest` field and each part's rows. */
async function ask(parts: readonly string[], regions: readonly string[] = []) {
  const { text } = await host.request('POST', '/wp-json/qa-platform-pages/dashboard', {
    headers: { Cookie: ann.cookie, 'X-WP-Nonce': ann.nonce },
    body: {
      site: 'blog',
      period: 'today',
      compare: 'none',
      filters: regions.length === 0 ? [] : [{ dimension: 'region', not: false, values: regions }],
      parts: parts.map((id) => ({ id })),
    },
  });
  const [head, ...lines] = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  return { newest: head.newest, ...Object.fromEntries(lines.map(({ id, rows }) => [id, rows])) };
}

test('visitors in the last few minutes are counted to the second, and the head contains the age of the newest view', async () => {
  expect(await ask(['now 5', 'now 30'])).toEqual({ newest: 90, 'now 5': [[1]], 'now 30': [[3]] });
  expect(await ask(['now 5', 'now 30'], ['Hesse'])).toEqual({ newest: 90, 'now 5': [[0]], 'now 30': [[1]] });
});

test('regions and cities can be listed and used as filters', async () => {
  expect(await ask(['region', 'city'])).toMatchObject({
    region: [
      ['Hesse', 2, 2],
      ['Bavaria', 1, 1],
      [null, 1, 1],
    ],
    city: [
      ['City of Hesse', 2, 2],
      ['City of Bavaria', 1, 1],
      [null, 1, 1],
    ],
  });
  expect(await ask(['city'], ['Bavaria'])).toMatchObject({ city: [['City of Bavaria', 1, 1]] });
});
