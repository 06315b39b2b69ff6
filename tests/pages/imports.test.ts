// The "Imports" page over HTTP: what was imported and when, in the user's time zone, and which rows were rejected.
import { Readable } from 'node:stream';
import { ImportError } from '../../extension/data/import/import-error';
import type { ImportOptions } from '../../extension/data/import/import-options';
import { importFile } from '../../extension/data/import/import-together';
import { loadManifest } from '../../manifests/reader/manifest';
import { logInAs, type PageClient } from '../support/page-client';
import { startTestHost, type TestHost } from '../support/test-host';

const HOSTILE = `<script>alert("ß & 東京")</script>`;
const ESCAPED = '&lt;script&gt;alert(&quot;ß &amp; 東京&quot;)&lt;/script&gt;';
/** The hostile string as messages show it. */
const JSON_ESCAPED = `&quot;${ESCAPED.replaceAll('&quot;', '\\&quot;')}&quot;`;

const manifest = loadManifest();

let host: TestHost;
let admin: PageClient;
beforeAll(async () => {
  host = await startTestHost({
    sites: [
      { tracking_id: 'shop', domain: 'a.example', name: HOSTILE, timezone: 'UTC', default: true },
      { tracking_id: 'blog', domain: 'b.example', name: 'Blog', timezone: 'UTC' },
    ],
    users: [
      { login: 'admin', role: 'administrator' },
      { login: 'ana', role: 'analyst', sites: ['shop'] },
    ],
  });
  await host.database.write.raw(`UPDATE host.users SET meta = '{"timezone": "Asia/Tokyo"}'`);
  admin = await logInAs(host, 'admin');
});
afterAll(() => host.stop());
beforeEach(() => host.database.write.raw('TRUNCATE analytics.import_run CASCADE'));

const load = (
  site: string,
  rows: readonly object[],
  source = 'views.ndjson',
  more: Partial<ImportOptions> = {},
) =>
  importFile({
    write: host.database.write,
    manifest,
    material: 'allpv',
    site,
    source,
    format: 'ndjson',
    input: Readable.from([Buffer.from(rows.map((row) => JSON.stringify(row)).join('\n'))]),
    onError: 'skip',
    clock: () => new Date('2026-05-01T20:00:00Z'),
    ...more,
  });

const view = (index: number, more: object = {}) => ({
  url: `https://a.example/${index}`,
  access_time: 1_770_000_000 + index,
  ...more,
});

const rowsOf = (text: string): readonly string[] =>
  [...text.matchAll(/<tr>([\s\S]*?)<\/tr>/g)].slice(1).map((match) =>
    (match[1] ?? '')
      .replace(/<[^>]*>/g, ' ')
      .replace(/\s+/g, ' ')
      .trim(),
  );

const newestId = async (): Promise<number> =>
  (await host.database.write.raw('SELECT max(import_id) AS id FROM analytics.import_run')).rows[0].id;

test("imports are listed newest first, with counts, in the user's time zone", async () => {
  expect((await admin.get('/wp-admin/imports')).text).toContain('Nothing has been imported yet.');
  await load('blog', [view(1)]);
  await load('shop', [view(1), view(2), view(3, { pv: 0 })], HOSTILE);
  const id = await newestId();
  const { text } = await admin.get('/wp-admin/imports');
  expect(rowsOf(text)).toEqual([
    `${id} 2 May 2026, 05:00 by local (command) ${ESCAPED} shop allpv from ${ESCAPED} done in 0.0 s Undo 3 2 0 0 1`,
    `${id - 1} 2 May 2026, 05:00 by local (command) Blog blog allpv from views.ndjson done in 0.0 s Undo 1 1 0 0 0`,
  ]);
  expect(text).not.toContain('<script>alert');
  const blog = await admin.get('/wp-admin/imports?site=blog');
  expect(rowsOf(blog.text)).toHaveLength(1);
  expect((await admin.get('/wp-admin/imports?site=nowhere')).status).toBe(404);
});

// conformance: beyond.every-import-recorded
test("the list and the import's page show who imported the file and how, and why the import failed", async () => {
  const by = { login: HOSTILE, through: 'http' } as const;
  await expect(load('shop', [view(1, { pv: 0 })], 'bad', { by, onError: 'stop' })).rejects.toThrow(
    ImportError,
  );
  const why = 'Line 1, column pv, value 0: must be at least 1';
  const list = (await admin.get('/wp-admin/imports')).text;
  expect(rowsOf(list)).toEqual([
    expect.stringMatching(
      /^\d+ 2 May 2026, 05:00 by .* \(http\) .* from bad failed Line 1, column pv, value 0: /,
    ),
  ]);
  expect(rowsOf(list)[0]).toContain(`by ${ESCAPED} (http)`);
  expect(rowsOf(list)[0]).toContain(why);
  const { text } = await admin.get(`/wp-admin/imports/${await newestId()}`);
  expect(text).toContain(`<dd>${ESCAPED} (http)</dd>`);
  expect(text).toContain(`<dt>Status</dt><dd>failed</dd>\n  <dt>Why</dt><dd>${why}`);
  expect(list + text).not.toContain('<script>alert');
});

test('older imports of the selected site are listed page by page', async () => {
  await load('shop', [view(1)], 'the oldest');
  // Only the import's record matters, so 49 copies of it are inserted.
  await host.database.write.raw(
    `INSERT INTO analytics.import_run
       (site_id, material, source, started_at, finished_at, rows_read, rows_added, rows_unchanged, rows_rejected)
     SELECT site_id, material, 'later', started_at, finished_at, rows_read, rows_added, rows_unchanged, rows_rejected
     FROM analytics.import_run CROSS JOIN generate_series(1, 49)`,
  );
  await load('shop', [view(2)]);
  await load('blog', [view(1)]);
  const first = (await admin.get('/wp-admin/imports?site=shop')).text;
  expect(rowsOf(first)).toHaveLength(50);
  const older = /href="([^"]+)">Older</.exec(first)?.[1]?.replaceAll('&amp;', '&') ?? '';
  const rest = (await admin.get(older)).text;
  expect(rowsOf(rest)).toHaveLength(1);
  expect(rest).toContain('the oldest');
  expect(rest).toContain('>Newest</a>');
  expect(rest).not.toContain('>Older</a>');
});

test("an import's page lists its rejected rows", async () => {
  await load('shop', [view(1), view(2, { pv: 0 }), view(3, { [HOSTILE]: HOSTILE })]);
  const { text } = await admin.get(`/wp-admin/imports/${await newestId()}`);
  expect(text).toContain('<dt>Rejected</dt><dd>2</dd>');
  expect(rowsOf(text)).toEqual([
    '2 pv 0 must be at least 1',
    expect.stringContaining(
      `3 ${ESCAPED} ${JSON_ESCAPED} allpv has no such column; the most similar name is`,
    ),
  ]);
  expect(text).not.toContain('<script>alert');
  const file = await admin.get(`/wp-admin/imports/${await newestId()}/rejected`);
  expect(file.headers['content-disposition']).toBe('attachment; filename=rejected.ndjson');
  expect(
    file.text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toMatchObject([
    { line: 2, column: 'pv', reason: 'must be at least 1' },
    { line: 3, column: HOSTILE },
  ]);
});

test('only the first 1000 rejected rows are shown, and the page mentions this', async () => {
  await load(
    'shop',
    Array.from({ length: 1003 }, (_, index) => view(index, { pv: 0 })),
  );
  const { text } = await admin.get(`/wp-admin/imports/${await newestId()}`);
  expect(text).toContain(
    'The first 1,000 of 1,003 rejected rows. All of them are in the file of rejected rows',
  );
  expect(rowsOf(text)).toHaveLength(1000);
  await host.database.write.raw(`UPDATE analytics.import_run SET through = 'http'`);
  const sent = (await admin.get(`/wp-admin/imports/${await newestId()}`)).text;
  expect(sent).toContain('The first 1,000 of 1,003 rejected rows. The others were only counted.');
});

test('the page reports that an import has no rejected rows, or that it did not store them', async () => {
  await load('shop', [view(1)]);
  const id = await newestId();
  expect((await admin.get(`/wp-admin/imports/${id}`)).text).toContain('No rows were rejected.');
  await host.database.write.raw('UPDATE analytics.import_run SET rows_rejected = 5');
  expect((await admin.get(`/wp-admin/imports/${id}`)).text).toContain('did not store its rejected rows here');
});

test('the confirmation counts the rows to remove and to restore, and its form undoes the import', async () => {
  await load('blog', [view(5001, { title: 'One' })]);
  await load('blog', [view(5001, { title: 'Two' }), view(5002)], 'wrong.ndjson');
  const path = `/wp-admin/imports/${await newestId()}/undo`;
  const { status, text } = await admin.get(path);
  expect(status).toBe(200);
  expect(text).toContain('Undoing removes 1 row of allpv and restores the earlier values of 1 row.');
  expect((await admin.send(path, { fields: {} })).status).toBe(403);
  const done = await admin.post(path, {});
  expect([done.status, done.headers.location]).toEqual([303, '/wp-admin/imports']);
  const list = (await admin.get('/wp-admin/imports')).text;
  expect(list).toContain(`Import ${await newestId()} is undone. Removed: 1 allpv. Restored: 1 row.`);
  expect(rowsOf(list)[0]).toContain('from wrong.ndjson undone in 0.0 s 2 1 1');
  const removed = (await admin.get('/wp-admin/sites/removed')).text.replace(/(\s*<[^>]*>\s*)+/g, ' | ');
  expect(removed).toContain(`| import ${await newestId()}, undone | 1 row; 1 restored |`);
});

test('if a later import must be undone first, the page asks about that one instead', async () => {
  await load('shop', [view(5003)]);
  await load('shop', [view(5003)], 'the same');
  const later = await newestId();
  const answer = await admin.get(`/wp-admin/imports/${later - 1}/undo`);
  expect([answer.status, answer.headers.location]).toEqual([303, `/wp-admin/imports/${later}/undo`]);
  const { text } = await admin.follow(answer);
  expect(text).toContain(`Undo import ${later} first.`);
  expect(text).toContain(`<button class="danger">Undo import ${later}</button>`);
});

test('the list shows why an import can no longer be undone', async () => {
  await load('shop', [view(5004)]);
  await host.database.write('analytics.import_run').update({ can_undo: false });
  const path = `/wp-admin/imports/${await newestId()}/undo`;
  for (const ask of [() => admin.get(path), () => admin.post(path, {})]) {
    const answer = await ask();
    expect([answer.status, answer.headers.location]).toEqual([303, '/wp-admin/imports']);
    expect((await admin.follow(answer)).text).toContain('can no longer be undone: replaced values are kept');
  }
});

test('unknown imports are not found, and users without permission are rejected', async () => {
  for (const path of ['0', '99999999999', 'x', '1/more', '99999/rejected', '%3Cscript%3E'])
    expect([path, (await admin.get(`/wp-admin/imports/${path}`)).status]).toEqual([path, 404]);
  for (const before of ['x', '-1', ''])
    expect([before, (await admin.get(`/wp-admin/imports?before=${before}`)).status]).toEqual([before, 404]);
  expect((await admin.post('/wp-admin/imports', {})).status).toBe(400);
  const analyst = await logInAs(host, 'ana');
  expect((await analyst.get('/wp-admin/imports')).status).toBe(403);
});
