// Imports over HTTP: permissions, accepted bodies, and responses.
import { gzipSync } from 'node:zlib';
import { logInAs } from '../support/page-client';
import { basicHeader, type Credentials, startTestHost, type TestHost } from '../support/test-host';

const ROOT = '/wp-json/qal-data/v1';
const site = (trackingId: string) => ({
  tracking_id: trackingId,
  domain: `${trackingId}.example`,
  name: trackingId,
  timezone: 'UTC',
});
const view = (number: number, more: object = {}) => ({
  pv_id: number,
  url: `https://shop.example/${number}`,
  access_time: '2026-05-01T10:00:00Z',
  session_id: number,
  reader_id: number,
  ...more,
});
const ndjson = (...rows: readonly object[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join('');

let host: TestHost;
let key: Credentials;
beforeAll(async () => {
  host = await startTestHost({
    sites: ['shop', 'blog', 'wiki'].map(site),
    users: [
      { login: 'root', role: 'administrator' },
      { login: 'ann', role: 'analyst', sites: ['shop'] },
    ],
    rateLimits: { perHour: 1000, perMinute: 1000 },
  });
  key = await host.createApplicationPassword('root', 'imports', { level: 'import' });
});
afterAll(() => host.stop());

const send = (path: string, body: string, headers: Readonly<Record<string, string>> = {}, user = key) =>
  host.request('POST', `${ROOT}/import/${path}`, { user, body, headers });
const get = (path: string, user = key) => host.request('GET', `${ROOT}/${path}`, { user });

/** Sends raw bytes, which the test host's client cannot do. */
async function sendBytes(path: string, body: Buffer, headers: Readonly<Record<string, string>>) {
  const answer = await fetch(`${host.url}${ROOT}/import/${path}`, {
    method: 'POST',
    body: new Uint8Array(body),
    headers: { Authorization: basicHeader(key), ...headers },
  });
  return { status: answer.status, body: await answer.json() };
}

const views = async (trackingId: string): Promise<number> => {
  const { rows } = await host.database.write.raw(
    'SELECT count(*)::int AS n FROM analytics.page_view JOIN analytics.site USING (site_id) WHERE tracking_id = ?',
    [trackingId],
  );
  return rows[0].n;
};

describe('imported bodies', () => {
  // conformance: beyond.imports-over-http
  test('JSON lines are stored, reported and recorded', async () => {
    const { status, body, headers } = await send(
      'allpv?site=shop&file=may.ndjson&source=web1',
      ndjson(view(1), view(2)),
    );
    expect([status, body]).toEqual([
      200,
      {
        import_id: expect.any(Number),
        status: 'done',
        format: 'ndjson',
        site: 'shop',
        material: 'allpv',
        read: 2,
        added: 2,
        updated: 0,
        kept: 0,
        unchanged: 0,
        rejected: 0,
        waiting: 0,
        skipped: {},
        rejected_rows: [],
        seconds: expect.any(Number),
        warning: null,
      },
    ]);
    expect(headers['x-ratelimit-remaining']).toBeDefined();
    expect(await views('shop')).toBe(2);
    const one = await get(`imports/${body.import_id}`);
    expect([one.status, one.body]).toMatchObject([
      200,
      {
        status: 'done',
        file: 'may.ndjson',
        source: 'web1',
        login: 'root',
        through: 'http',
        added: 2,
        rejected_rows: [],
      },
    ]);
    const { imports } = (await get('imports?site=shop')).body;
    expect(imports[0]).toMatchObject({ import_id: body.import_id, site: 'shop', bytes: expect.any(Number) });
  });

  test('an import counts once toward the rate limit, no matter how large it is', async () => {
    const body = ndjson(...Array.from({ length: 2000 }, (_, i) => view(i + 1)));
    const before = Number((await get('imports')).headers['x-ratelimit-remaining']);
    const { headers } = await send('allpv?site=wiki', body);
    expect(Number(headers['x-ratelimit-remaining'])).toBe(before - 1);
    expect(await views('wiki')).toBe(2000);
  });

  test('CSV is detected or specified, and gzip is recognized by its header or its first bytes', async () => {
    const csv = (hour: number) => `url,access_time\nhttps://blog.example/,2026-05-01T${hour}:00:00Z\n`;
    expect((await send('allpv?site=blog', csv(10))).body).toMatchObject({ added: 1, format: 'csv' });
    expect((await send('allpv?site=blog&format=csv', csv(11))).body).toMatchObject({ added: 1 });
    const headers = { 'Content-Encoding': 'gzip' };
    expect((await sendBytes('allpv?site=blog', gzipSync(csv(12)), headers)).body).toMatchObject({ added: 1 });
    expect((await sendBytes('allpv?site=blog', gzipSync(csv(13)), {})).body).toMatchObject({ added: 1 });
  });

  // conformance: beyond.imports-over-http
  test("another tool's fields are mapped to columns, with a delimiter and constant values", async () => {
    const csv = 'seen;page;note\n2026-05-01T14:00:00Z;https://blog.example/mapped;7\n';
    const options = 'delimiter=%3B&map=seen%3Daccess_time,page%3Durl,note%3Doriginal_id&set=language%3Dde';
    const { status, body } = await send(`allpv?site=blog&format=csv&${options}&dry_run=true`, csv);
    expect([status, body.preview]).toMatchObject([
      200,
      [{ url: 'https://blog.example/mapped', original_id: '7', language: 'de' }],
    ]);
    const refused = await send('allpv?site=blog&format=csv&delimiter=%3B&map=when%3Daccess_time', csv);
    expect([refused.status, refused.body.message]).toEqual([
      422,
      'Line 1: the header has no when; the most similar name is seen',
    ]);
  });

  test('a dry run checks the whole file and writes nothing', async () => {
    const before = await views('shop');
    const { status, body } = await send('allpv?site=shop&dry_run=true', ndjson(view(91)));
    expect([status, body]).toMatchObject([
      200,
      {
        import_id: null,
        status: 'dry run',
        added: 1,
        preview: [{ pv_id: 91, access_time: '2026-05-01T10:00:00.000Z' }],
      },
    ]);
    expect(await views('shop')).toBe(before);
  });
});

test('bots in a web server log are counted but not imported, unless they are enabled', async () => {
  const line = (second: number, agent: string) =>
    `192.0.2.${second} - - [01/May/2026:10:00:0${second} +0000] "GET /p HTTP/1.1" 200 7 "-" "${agent}"\n`;
  const log =
    line(1, 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0') +
    line(2, 'Googlebot/2.1');
  const byDefault = (await send('allpv?site=blog&file=access.log', log)).body;
  expect(byDefault).toMatchObject({ format: 'combined', added: 1, skipped: expect.any(Object) });
  expect(Object.values(byDefault.skipped)).toEqual([1]);
  expect((await send('allpv?site=blog&enable=bots', log)).body).toMatchObject({ added: 1, skipped: {} });
});

describe('invalid rows', () => {
  // conformance: beyond.every-import-recorded
  test('stop the import with an error that includes the location, and the record contains the reason', async () => {
    const before = await views('shop');
    const { status, body } = await send(
      'allpv?site=shop',
      ndjson(view(21), view(22, { access_time: 'noon' })),
    );
    expect([status, body]).toEqual([
      422,
      {
        code: 'import_failed',
        message: expect.stringMatching(/^Line 2, column access_time, value "noon": /),
        data: {
          status: 422,
          import_id: expect.any(Number),
          rejected_rows: [],
          line: 2,
          column: 'access_time',
          value: '"noon"',
        },
      },
    ]);
    expect(await views('shop')).toBe(before);
    expect((await get(`imports/${body.data.import_id}`)).body).toMatchObject({
      status: 'failed',
      error: body.message,
    });
  });

  // attack: million-invalid-rows-few
  test('stop the import once too many have been skipped, with an error that lists the first hundred', async () => {
    const wrong = ndjson(...Array.from({ length: 201 }, () => ({ url: 'https://shop.example/' })));
    const { status, body } = await send('allpv?site=shop&on_error=skip', wrong);
    expect([status, body]).toMatchObject([
      422,
      {
        code: 'import_failed',
        message: 'More than 200 rows are invalid (QAL_IMPORT_REJECTED_MAX); first correct those listed',
        data: { import_id: expect.any(Number) },
      },
    ]);
    expect(body.data.rejected_rows).toHaveLength(100);
    expect(body.data.rejected_rows[99]).toMatchObject({ line: 100, reason: expect.any(String) });
    const { body: recorded } = await get(`imports/${body.data.import_id}`);
    expect(recorded).toMatchObject({ status: 'failed', rejected: 200 });
    const few = await send('allpv?site=shop&on_error=skip', wrong.slice(0, wrong.lastIndexOf('{')));
    expect([few.status, few.body]).toMatchObject([200, { rejected: 200 }]);
  });

  test('are skipped and listed by line with on_error=skip', async () => {
    const rows = `${ndjson(view(31))}nonsense\n${ndjson(view(32, { access_time: 'noon' }))}`;
    const { status, body } = await send('allpv?site=shop&on_error=skip', rows);
    expect([status, body]).toMatchObject([200, { added: 1, rejected: 2 }]);
    expect(
      body.rejected_rows.map(({ line, column }: { line: number; column: string | null }) => [line, column]),
    ).toEqual([
      [2, null],
      [3, 'access_time'],
    ]);
    expect((await get(`imports/${body.import_id}`)).body.rejected_rows).toEqual(body.rejected_rows);
  });
});

describe('the permission to import', () => {
  test('requires a login', async () => {
    const { status, body } = await host.request('POST', `${ROOT}/import/allpv?site=shop`, {
      body: ndjson(view(1)),
    });
    expect([status, body.code]).toEqual([401, 'rest_not_logged_in']);
  });

  // conformance: beyond.imports-over-http
  test.each(['root', 'ann'])(
    'is not granted to %s with a read-only application password, and the response explains what is missing',
    async (login) => {
      const readOnly = await host.createApplicationPassword(login, 'usual', { level: 'read' });
      const { status, body } = await send('allpv?site=shop', ndjson(view(1)), {}, readOnly);
      expect([status, body.code]).toEqual([403, 'import_forbidden']);
      expect(body.message).toContain('--level import');
      expect((await get('imports', readOnly)).status).toBe(403);
    },
  );

  // conformance: beyond.imports-over-http
  test('is limited to one site and its imports if the password is restricted to that site', async () => {
    const narrow = await host.createApplicationPassword('root', 'narrow', {
      level: 'import',
      sites: ['blog'],
    });
    const row = ndjson({ url: 'https://blog.example/', access_time: '2026-05-02T10:00:00Z' });
    expect((await send('allpv?site=blog', row, {}, narrow)).status).toBe(200);
    const refused = await send('allpv?site=shop', ndjson(view(41)), {}, narrow);
    expect([refused.status, refused.body.data.params]).toEqual([
      400,
      { site: 'There is no site shop. Your sites: blog.' },
    ]);
    const { imports } = (await get('imports', narrow)).body;
    expect(new Set(imports.map((one: { site: string }) => one.site))).toEqual(new Set(['blog']));
    const ofShop = (await get('imports?site=shop')).body.imports[0].import_id;
    expect((await get(`imports/${ofShop}`, narrow)).status).toBe(404);
  });

  test('is granted to an administrator on the pages, with a nonce', async () => {
    const page = await logInAs(host, 'root');
    const { status, body } = await host.request('POST', `${ROOT}/import/allpv?site=shop`, {
      body: ndjson(view(51)),
      headers: { Cookie: page.cookie, 'X-WP-Nonce': page.nonce },
    });
    expect(status).toBe(200);
    expect((await get(`imports/${body.import_id}`)).body).toMatchObject({ through: 'page', login: 'root' });
  });
});

describe('undoing an import', () => {
  const undo = (importId: number, user = key) =>
    host.request('POST', `${ROOT}/imports/${importId}/undo`, { user });
  const load = async (...rows: readonly object[]): Promise<number> =>
    (await send('allpv?site=wiki', ndjson(...rows))).body.import_id;

  // conformance: beyond.import-undone
  test('removes added rows, restores replaced values, and records who undid it', async () => {
    await load(view(90201, { title: 'One' }));
    const before = await views('wiki');
    const importId = await load(view(90201, { title: 'Two' }), view(90202));
    const { status, body } = await undo(importId);
    expect([status, body]).toEqual([
      200,
      {
        import_id: importId,
        site: 'wiki',
        material: 'allpv',
        removed: { allpv: 1 },
        restored: 1,
        removed_before: 0,
      },
    ]);
    expect(await views('wiki')).toBe(before);
    expect((await get(`imports/${importId}`)).body).toMatchObject({
      status: 'undone',
      can_undo: false,
      undone_by: 'root',
      undone_at: expect.any(String),
    });
    const again = await undo(importId);
    expect([again.status, again.body]).toEqual([
      409,
      {
        code: 'import_not_undone',
        message: expect.stringContaining('was already undone'),
        data: { status: 409, reason: 'not-done', undo_first: null },
      },
    ]);
  });

  test('requires that a later import of the same rows be undone first, and names it', async () => {
    const importId = await load(view(90205));
    const later = await load(view(90205, { title: 'Later' }));
    expect((await undo(importId)).body.data).toEqual({ status: 409, reason: 'later', undo_first: later });
  });

  test('requires the permission to import, and works only on visible sites', async () => {
    const importId = await load(view(90206));
    const readOnly = await host.createApplicationPassword('root', 'usual', { level: 'read' });
    expect((await undo(importId, readOnly)).status).toBe(403);
    const narrow = await host.createApplicationPassword('root', 'blog', {
      level: 'import',
      sites: ['blog'],
    });
    for (const [id, user] of [
      [importId, narrow],
      [999_999, key],
    ] as const)
      expect((await undo(id, user)).body.code).toBe('import_not_found');
    expect((await undo(importId)).status).toBe(200);
  });
});

describe('is rejected:', () => {
  test.each([
    ['a site that does not exist', 'allpv?site=shpo', 'site'],
    ['a material that is computed', 'goal_1?site=shop', 'material'],
    ['a misspelled parameter', 'allpv?site=shop&on_eror=skip', 'on_eror'],
    ['an invalid map', 'allpv?site=shop&map=seen', 'map'],
    ['a file name with NUL', 'allpv?site=shop&file=x%00', 'file'],
  ])('%s', async (_label, path, name) => {
    const { status, body } = await send(path, ndjson(view(61)));
    expect([status, Object.keys(body.data.params)]).toEqual([400, [name]]);
  });

  // attack: same-name-imported-file
  test('a file name or source with an invisible character', async () => {
    for (const [name, value, hidden] of [
      ['file', 'may%1b%5b2J.csv', 'U+001B'],
      ['file', 'may%c2%9b2J.csv', 'U+009B'],
      ['source', 'web%0a1', 'U+000A'],
    ] as const) {
      const { status, body } = await send(`allpv?site=shop&${name}=${value}`, ndjson(view(61)));
      const message = `The name of the ${name} contains the invisible character ${hidden}; remove it`;
      expect([status, body]).toMatchObject([422, { code: 'import_failed', message }]);
    }
  });

  test('an unknown format; the error lists the formats that exist', async () => {
    const { status, body } = await send('allpv?site=shop&format=../xml', ndjson(view(61)));
    expect([status, body.code]).toEqual([422, 'import_failed']);
    expect(body.message).toContain('ndjson');
  });

  test.each([
    ['recognized as gzip by its first bytes', {}],
    ['recognized as gzip by its header field', { 'content-encoding': 'gzip' }],
    // attack: small-file-huge-when
  ])('a file that is too large after decompression, %s', async (_name, headers) => {
    const { status, body } = await sendBytes(
      'allpv?site=shop',
      gzipSync(Buffer.alloc(2 ** 21, '\n')),
      headers,
    );
    expect([status, body]).toMatchObject([
      422,
      { message: 'The file is larger than 1 MB (QAL_IMPORT_MB) after decompression; import it in parts' },
    ]);
  });

  test('an upload that is too large for the spool', async () => {
    const bytes = Buffer.alloc(9 * 2 ** 20, '\n');
    const sent = await sendBytes('allpv?site=shop', gzipSync(bytes), { 'content-encoding': 'gzip' });
    const message = 'The upload is larger than 8 MB after decompression (QAL_SPOOL_MB); import it in parts.';
    expect([sent.status, sent.body]).toMatchObject([413, { code: 'import_too_large', message }]);
    const plain = await sendBytes('allpv?site=shop', bytes, {});
    expect(plain.body).toMatchObject({
      message: 'The upload is larger than 1 MB (QAL_IMPORT_MB); import it in parts.',
    });
  });

  test('a missing site', async () => {
    expect((await send('allpv', ndjson(view(61)))).body).toMatchObject({ data: { params: ['site'] } });
  });

  test('a multipart form', async () => {
    const type = { 'Content-Type': 'multipart/form-data; boundary=x' };
    expect((await send('allpv?site=shop', '--x--', type)).body).toMatchObject({
      code: 'import_multipart',
      message: expect.stringContaining('curl -T FILE -X POST'),
    });
  });
});

test('the OpenAPI document describes each route with its parameters and responses', async () => {
  const { status, body } = await host.request('GET', `${ROOT}/openapi`);
  expect(status).toBe(200);
  expect(Object.keys(body.paths)).toEqual([
    '/import/{material}',
    '/imports',
    '/imports/{id}',
    '/imports/{id}/undo',
  ]);
  const { parameters, requestBody } = body.paths['/import/{material}'].post;
  expect(parameters.map(({ name }: { name: string }) => name)).toEqual([
    'material',
    'site',
    'format',
    'delimiter',
    'map',
    'set',
    'enable',
    'timezone',
    'on_error',
    'on_conflict',
    'dry_run',
    'source',
    'file',
  ]);
  expect(Object.keys(requestBody.content)).toContain('text/csv');
});
