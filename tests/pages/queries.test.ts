// Query records, and the page that shows them.
import { MAX_RECORDED_BODY_LENGTH, MAX_RECORDS } from '../../extension/query/query-records/query-records';
import { logInAs, type PageClient } from '../support/page-client';
import { startTestHost, type TestHost } from '../support/test-host';

const QUERY = '/wp-json/qa-platform/query';
const PAGE = '/wp-admin/queries';
const HOSTILE = '<script>alert("ü 日本")</script>';

const site = (tracking_id: string, name: string) => ({
  tracking_id,
  name,
  domain: 'example.com',
  timezone: 'UTC',
});

const bodyOf = (changes: object = {}) => ({
  tracking_id: 'shop',
  materials: [{ name: 'allpv' }],
  time: { start: '2026-11-01T00:00:00', end: '2026-11-02T00:00:00', tz: 'UTC' },
  make: { top: { from: ['allpv'], keep: ['allpv.url'] } },
  result: { use: 'top' },
  ...changes,
});

let host: TestHost;
let admin: PageClient;
let ana: PageClient;

beforeAll(async () => {
  host = await startTestHost({
    sites: [site('shop', HOSTILE), site('blog', 'Blog')],
    users: [
      { login: 'root', role: 'administrator' },
      { login: 'ana', role: 'analyst', sites: ['shop'] },
    ],
  });
  await host.importRows('allpv', 'shop', [
    { pv_id: 1, url: 'https://example.com/', access_time: '2026-11-01T10:00:00Z' },
    { pv_id: 2, url: 'https://example.com/b', access_time: '2026-11-01T11:00:00Z' },
  ]);
  admin = await logInAs(host, 'root');
  ana = await logInAs(host, 'ana');
});
afterAll(() => host.stop());
beforeEach(() => host.database.write.withSchema('analytics').from('query_record').delete());

async function records(): Promise<readonly Record<string, unknown>[]> {
  await host.rest.settle();
  return host.database.write.withSchema('analytics').from('query_record').orderBy('query_id');
}

describe('a record', () => {
  test('contains the user, query, password and outcome', async () => {
    await host.request('POST', QUERY, { user: 'ana', body: bodyOf() });
    const [record] = await records();
    expect(record).toMatchObject({
      login: 'ana',
      key_name: 'test',
      version: '2026-05-11',
      tracking_id: 'shop',
      view: 'top',
      body: JSON.stringify(bodyOf()),
      row_count: 2,
      status: 200,
      error_code: null,
      asked_at: expect.any(Date),
      milliseconds: expect.any(Number),
    });
  });

  test('contains the engine and the reason for it, and the log contains both with the request id', async () => {
    const body = bodyOf({ result: { use: 'top', limit: 7 } });
    const first = { engine: 'rows', because: 'This server has no columnar copy.' };
    const second = {
      engine: 'cache',
      because: 'An identical query over the same data was answered earlier.',
    };
    for (const id of ['one', 'two'])
      await host.request('POST', QUERY, { user: 'ana', body, headers: { 'X-Request-Id': id } });
    expect(await records()).toMatchObject(
      [first, second].map(({ engine, because }) => ({ engine, engine_reason: because })),
    );
    const logged = host.logged.filter(({ msg }) => msg === 'A query was answered.').slice(-2);
    expect(logged).toMatchObject([
      { level: 20, requestId: 'one', ...first },
      { level: 20, requestId: 'two', ...second },
    ]);
    const { text } = await ana.get(PAGE);
    expect(text).toContain('from rows: This server has no columnar copy.');
    expect(text).toContain('<td data-label="Address">127.0.0.1</td>');
    expect(text).toContain('from cache');
  });

  test('of an invalid query contains the code, the position and the message', async () => {
    await host.request('POST', `${QUERY}?version=oldest`, {
      user: 'ana',
      body: bodyOf({ result: { use: 'tpo' } }),
    });
    expect(await records()).toMatchObject([
      {
        version: '2025-10-20',
        view: 'tpo',
        row_count: null,
        engine: null,
        engine_reason: null,
        status: 400,
        error_code: 'E_UNKNOWN_VIEW',
        error_at: 'result.use',
        error_message: expect.stringContaining('tpo'),
      },
    ]);
  });

  test('of a count has no row count', async () => {
    await host.request('POST', QUERY, {
      user: 'ana',
      body: bodyOf({ result: { use: 'top', count_only: true } }),
    });
    expect(await records()).toMatchObject([{ status: 200, row_count: null }]);
  });

  test('contains the site and the view of a query inside the wrapper', async () => {
    await host.request('POST', QUERY, { user: 'ana', body: { qal: bodyOf() } });
    expect(await records()).toMatchObject([{ tracking_id: 'shop', view: 'top' }]);
  });

  test.each([
    ['invalid JSON', '{"tracking_id":', null],
    ['a list', '[]', null],
    ['an escaped NUL character', '{"tracking_id": "a\\u0000b", "result": 1}', 'a\ufffdb'],
    ['an unescaped NUL character', '{"tracking_id": "x\0"}', null],
    ['values of other types', '{"tracking_id": 7, "result": {"use": []}}', null],
  ])('of a body with %s is stored too', async (_, body, trackingId) => {
    await host.request('POST', QUERY, { user: 'ana', body });
    expect(await records()).toMatchObject([
      { tracking_id: trackingId, view: null, body: body.replaceAll('\0', '\ufffd'), status: 400 },
    ]);
  });

  test('of a very long body does not contain the text', async () => {
    const body = JSON.stringify(bodyOf({ padding: 'x'.repeat(MAX_RECORDED_BODY_LENGTH) }));
    await host.request('POST', QUERY, { user: 'ana', body });
    expect(await records()).toMatchObject([{ tracking_id: 'shop', body: '', error_code: 'E_UNKNOWN_FIELD' }]);
    expect((await ana.get(PAGE)).text).toContain('so not recorded');
  });

  test('contains no headers and no secrets', async () => {
    const { secret } = host.credentials('ana');
    await host.request('POST', QUERY, { user: 'ana', body: bodyOf(), headers: { 'X-Test': 'a header' } });
    const text = JSON.stringify(await records());
    for (const hidden of [secret, 'a header', 'Basic ', 'Authorization']) expect(text).not.toContain(hidden);
  });

  test('is not written for an anonymous call', async () => {
    expect((await host.request('POST', QUERY, { body: bodyOf() })).status).toBe(401);
    expect(await records()).toEqual([]);
  });
});

test('the newest records of each user and password are kept', async () => {
  const other = await host.createApplicationPassword('ana', 'other');
  await host.request('POST', QUERY, { user: other, body: bodyOf() });
  await host.rest.settle();
  const [template] = await records();
  const { query_id: _, ...row } = template ?? {};
  const old = Array.from({ length: MAX_RECORDS }, (_unused, i) => ({ ...row, view: `old ${i}` }));
  await host.database.write.withSchema('analytics').from('query_record').insert(old);
  await host.request('POST', QUERY, { user: 'ana', body: bodyOf() });
  await host.request('POST', QUERY, { user: other, body: bodyOf({ result: { use: 'newest' } }) });
  const kept = await records();
  const ofOther = kept.filter(({ key_name }) => key_name === 'other').map(({ view }) => view);
  expect(ofOther).toEqual([...old.slice(1).map(({ view }) => view), 'newest']);
  expect(kept.filter(({ key_name }) => key_name === 'test')).toHaveLength(1);
});

test('if the table cannot be written to, the record is lost, but the query is answered', async () => {
  await host.database.write.raw('ALTER TABLE analytics.query_record RENAME TO elsewhere');
  try {
    expect((await host.request('POST', QUERY, { user: 'ana', body: bodyOf() })).status).toBe(200);
    await host.rest.settle();
    expect(host.logged).toContainEqual(
      expect.objectContaining({ msg: 'Queries could not be recorded.', lost: 1 }),
    );
  } finally {
    await host.database.write.raw('ALTER TABLE analytics.elsewhere RENAME TO query_record');
  }
});

describe('the page', () => {
  const rowsOf = (text: string) => text.split('<tbody>')[1]?.split('<tr>').slice(1) ?? [];
  const askOnPage = (client: PageClient, body: object) =>
    host.request('POST', QUERY, { headers: { Cookie: client.cookie, 'X-WP-Nonce': client.nonce }, body });

  test('shows the latest queries; analysts see only their own', async () => {
    await host.request('POST', QUERY, { user: 'root', body: bodyOf({ result: { use: 'secret_of_root' } }) });
    await askOnPage(ana, bodyOf());
    const anasPage = await ana.get(PAGE);
    expect(anasPage.status).toBe(200);
    expect(anasPage.text).not.toContain('secret_of_root');
    expect(rowsOf(anasPage.text)).toHaveLength(1);
    expect(anasPage.text).toContain('in the browser');
    const all = await admin.get(PAGE);
    expect(rowsOf(all.text)).toHaveLength(2);
    expect(all.text).toContain('secret_of_root');
  });

  test('filters by user, by password, and by errors', async () => {
    await host.request('POST', QUERY, { user: 'root', body: bodyOf() });
    await host.request('POST', QUERY, { user: 'ana', body: bodyOf({ result: { use: 'by_key' } }) });
    await askOnPage(ana, bodyOf());
    const anasId = /<option value="(\d+)">ana</.exec((await admin.get(PAGE)).text)?.[1];
    const shown = async (query: string) => rowsOf((await admin.get(`${PAGE}?${query}`)).text);
    expect(await shown(`by=${anasId}`)).toHaveLength(2);
    expect(await shown(`by=${anasId}.page`)).toHaveLength(1);
    const key = new RegExp(`<option value="(${anasId}\\.[0-9a-f-]{36})"`).exec(
      (await admin.get(PAGE)).text,
    )?.[1];
    expect(await shown(`by=${key}`)).toEqual([expect.stringContaining('by_key')]);
    expect(await shown('errors=1')).toEqual([expect.stringContaining('E_UNKNOWN_VIEW')]);
  });

  test("rejects invalid filters, and an analyst's filter for another user", async () => {
    expect((await admin.get(`${PAGE}?by=x`)).status).toBe(400);
    expect((await admin.get(`${PAGE}?before=x`)).status).toBe(400);
    const dashes = '-'.repeat(36);
    for (const bad of [`by=1.${dashes}`, `by=1.${'a'.repeat(36)}`, 'by=1.profile', 'errors=yes', 'by=%00']) {
      const { status, text } = await admin.get(`${PAGE}?${bad}`);
      expect([bad, status]).toEqual([bad, 400]);
      expect(text).toMatch(/The filter &quot;(by|errors)&quot; must be/);
    }
    expect((await ana.get(`${PAGE}?by=1`)).status).toBe(403);
    expect((await admin.get(`${PAGE}/more`)).status).toBe(404);
  });

  test('distinguishes queries that the dashboard sent from those that a user sent', async () => {
    const headers = { Cookie: ana.cookie, 'X-WP-Nonce': ana.nonce, 'X-QAL-Page': 'dashboard' };
    await host.request('POST', QUERY, { headers, body: bodyOf({ result: { use: 'by_dashboard' } }) });
    await askOnPage(ana, bodyOf({ result: { use: 'by_person' } }));
    const { text } = await ana.get(PAGE);
    expect(text).toContain('dashboard');
    expect(rowsOf(text)).toEqual([expect.stringContaining('by_person')]);
    const [, filter = ''] = /<option value="(\d+\.dashboard)">dashboard</.exec(text) ?? [];
    expect(rowsOf((await ana.get(`${PAGE}?by=${filter}`)).text)).toEqual([
      expect.stringContaining('by_dashboard'),
    ]);
    expect(rowsOf((await ana.get(`${PAGE}?by=${filter.replace('dashboard', 'page')}`)).text)).toEqual([
      expect.stringContaining('by_person'),
    ]);
  });

  test('links to older queries, fifty at a time', async () => {
    await host.request('POST', QUERY, { user: 'ana', body: bodyOf() });
    const [template] = await records();
    const { query_id: _, ...row } = template ?? {};
    const more = Array.from({ length: 59 }, (_unused, i) => ({ ...row, view: `v${i}` }));
    await host.database.write.withSchema('analytics').from('query_record').insert(more);
    const first = await ana.get(PAGE);
    expect(rowsOf(first.text)).toHaveLength(50);
    expect(first.text).toContain('<code>v58</code>');
    const older = /href="([^"]+)">Older</.exec(first.text)?.[1]?.replaceAll('&amp;', '&') ?? '';
    const second = await ana.get(older);
    expect(rowsOf(second.text)).toHaveLength(10);
    expect(second.text).not.toContain('>Older<');
    expect(second.text).toContain(`href="${PAGE}">Newest<`);
  });

  test('links to the unchanged query in the playground, with its API version', async () => {
    const body = bodyOf({ tracking_id: HOSTILE });
    await host.request('POST', `${QUERY}?version=oldest`, { user: 'ana', body });
    const { text } = await ana.get(PAGE);
    const [, version, id] =
      /href="\/wp-admin\/playground\?version=([^&]+)&amp;record=(\d+)"/.exec(text) ?? [];
    expect(version).toBe('2025-10-20');
    const read = (client: PageClient) =>
      host.request('GET', `/wp-json/qa-platform-pages/query-record?id=${id}`, {
        headers: { Cookie: client.cookie, 'X-WP-Nonce': client.nonce },
      });
    const recorded = { id: Number(id), version: '2025-10-20', body: JSON.stringify(body) };
    expect(await read(ana)).toMatchObject({ status: 200, body: recorded });
    expect((await read(admin)).body).toEqual(recorded);
    await host.database.write.withSchema('analytics').from('query_record').update({ user_id: 0 });
    expect((await read(ana)).status).toBe(404);
    await host.database.write.withSchema('analytics').from('query_record').update({ user_id: 1, body: '' });
    expect((await read(admin)).status).toBe(404);
  });

  test('shortens long names, and does not contain the text of the queries', async () => {
    const long = 'x'.repeat(40_000);
    await host.request('POST', QUERY, {
      user: 'ana',
      body: bodyOf({ tracking_id: long, result: { use: `${long}\u{1f600}` } }),
    });
    await host.request('POST', QUERY, { user: 'ana', body: bodyOf({ result: { use: long } }) });
    const { text } = await ana.get(PAGE);
    expect(rowsOf(text)).toHaveLength(2);
    expect(text.length).toBeLessThan(20_000);
    expect(text).toContain(`<code>${'x'.repeat(200)}...</code>`);
  });

  test('shows hostile text as text', async () => {
    const key = await host.createApplicationPassword('ana', HOSTILE);
    await host.request('POST', QUERY, {
      user: key,
      body: bodyOf({ tracking_id: HOSTILE, result: { use: HOSTILE } }),
    });
    const { text } = await admin.get(PAGE);
    expect(text).toContain('&lt;script&gt;alert(&quot;ü 日本&quot;)&lt;/script&gt;');
    expect(text).not.toContain('<script>');
  });

  test('shows a message if there are no queries', async () => {
    expect((await ana.get(PAGE)).text).toContain('There are no queries here.');
  });
});
