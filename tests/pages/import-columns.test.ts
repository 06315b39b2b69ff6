// The route that describes a file before its import: how the columns are mapped, and all errors in the first rows.

import { logInAs, type PageClient } from '../support/page-client';
import { sendRequest } from '../support/send-request';
import { SETTINGS, startTestHost, type TestHost } from '../support/test-host';

let host: TestHost;
let ann: PageClient;
beforeAll(async () => {
  host = await startTestHost({
    sites: [{ tracking_id: 'shop', domain: 'shop.example', name: 'Shop', timezone: 'Asia/Tokyo' }],
    users: [
      { login: 'ann', role: 'administrator' },
      { login: 'ana', role: 'analyst', sites: ['shop'] },
    ],
  });
  ann = await logInAs(host, 'ann');
});
afterAll(() => host.stop());

const UNUSUAL = [
  'Time;Client IP;Page;Referrer;Mood',
  '2026-05-01 09:30:00;203.0.113.7;https://shop.example/a;https://www.google.com/;good',
  '2026-05-01 09:31:00;203.0.113.7;https://shop.example/b;;',
  '',
].join('\n');

async function ask(start: string, more: object = {}, client = ann) {
  const { status, text } = await sendRequest({
    method: 'POST',
    url: `${host.url}/wp-json/${SETTINGS.namespace}-pages/import-columns`,
    headers: [
      ['Cookie', client.cookie],
      ['X-WP-Nonce', client.nonce],
      ['Content-Type', 'application/json'],
    ],
    body: JSON.stringify({
      site: 'shop',
      dataset: 'allpv',
      file: 'visits.csv',
      start,
      isWhole: true,
      ...more,
    }),
  });
  return { status, body: JSON.parse(text) };
}

test("columns with names from other programs are recognized, and times without an offset are in the site's time zone", async () => {
  const { body } = await ask(UNUSUAL);
  expect(body).toMatchObject({ format: 'csv', delimiter: ';', timezone: 'Asia/Tokyo', faults: [] });
  expect(body.columns).toEqual([
    { name: 'Time', samples: ['2026-05-01 09:30:00', '2026-05-01 09:31:00'], to: 'access_time' },
    { name: 'Client IP', samples: ['203.0.113.7', '203.0.113.7'], to: 'ip' },
    { name: 'Page', samples: ['https://shop.example/a', 'https://shop.example/b'], to: 'url' },
    { name: 'Referrer', samples: ['https://www.google.com/'], to: 'referrer' },
    { name: 'Mood', samples: ['good'], to: '-' },
  ]);
  expect(body.command).toBe(
    "qal import allpv visits.csv --site shop --map 'Time=access_time,Client IP=ip,Page=url,Referrer=referrer,Mood=-' --delimiter ';' --timezone Asia/Tokyo",
  );
  expect(body.targets[0]).toEqual({ value: '-', label: 'Leave out' });
});

test('all errors are returned at once, in groups: errors in columns before errors in rows', async () => {
  const columns = [
    { name: 'Time', to: '-' },
    { name: 'Page', to: 'referrer' },
  ];
  expect((await ask(UNUSUAL, { columns })).body.faults).toEqual([
    { message: 'Page and Referrer would both be imported as referrer.' },
    { message: 'No column is imported as access_time, which is required.' },
    { message: 'No column is imported as url, which is required.' },
  ]);
  const rows = ['noon', 'noon', '2026-05-01T10:00:00Z'].map((time) => `${time},https://shop.example/`);
  const { body } = await ask(['Time,URL', ...rows, '2026-05-01T10:00:00Z,'].join('\n'));
  expect(body.faults).toMatchObject([
    { column: 'access_time', value: '"noon"', line: 2, rows: 2 },
    { column: 'url', line: 5, rows: 1, message: 'is required' },
  ]);
  expect(body.timezone).toBeUndefined();
});

test('a record that is cut off at the end of the sample is not reported, and nothing is stored', async () => {
  const cut = `${UNUSUAL}2026-05-01 09:32:00;203.0.113.7;"https://shop.exam`;
  expect((await ask(cut, { isWhole: false })).body.faults).toEqual([]);
  const { rows } = await host.database.write.raw('SELECT count(*)::int AS n FROM analytics.page_view');
  expect(rows[0].n).toBe(0);
});

test('other formats have no columns to map, and the response to an unsuitable file explains why it cannot be imported', async () => {
  const line = '203.0.113.7 - - [01/May/2026:09:30:00 +0000] "GET /a HTTP/1.1" 200 5 "-" "Mozilla/5.0"\n';
  const log = await ask(line, { file: 'access.log' });
  expect(log.body).toMatchObject({ format: 'combined', faults: [] });
  expect(log.body.columns).toBeUndefined();
  const document = await ask('[\n{"a": 1}]', { file: 'a.json' });
  expect(document.body).toMatchObject({ format: null, faults: [{ message: expect.stringContaining('jq') }] });
});

test('only users with permission to import can request the mapping, and only for existing sites', async () => {
  expect((await ask(UNUSUAL, {}, await logInAs(host, 'ana'))).status).toBe(403);
  expect((await ask(UNUSUAL, { site: 'none' })).status).toBe(404);
  expect((await ask(UNUSUAL, { start: 1 })).status).toBe(400);
});

test('the import accepts what the page sends: column names, columns to leave out, and the delimiter', async () => {
  const query = new URLSearchParams({
    site: 'shop',
    delimiter: ';',
    timezone: 'Asia/Tokyo',
    map: 'Time=access_time,Client IP=ip,Page=url,Referrer=referrer,Mood=-',
  });
  const { status, text } = await sendRequest({
    method: 'POST',
    url: `${host.url}/wp-json/qal-data/v1/import/allpv?${query}`,
    headers: [
      ['Cookie', ann.cookie],
      ['X-WP-Nonce', ann.nonce],
      ['Content-Type', 'application/octet-stream'],
    ],
    body: UNUSUAL,
  });
  expect([status, JSON.parse(text)]).toMatchObject([200, { added: 2, rejected: 0 }]);
});

test.each([
  [
    'without a name',
    ',Time,Page\n0,2026-05-01T09:30:00Z,https://shop.example/a\n',
    '=-,Time=access_time,Page=url',
  ],
  [
    'with spaces around its name',
    ' Time , Page \n2026-05-01T09:30:00Z,https://shop.example/a\n',
    '\\ Time\\ =access_time,\\ Page\\ =url',
  ],
])('a column %s is imported', async (_what, file, map) => {
  expect((await ask(file)).body).toMatchObject({ map, faults: [] });
});

test('columns with the same name can be left out only together', async () => {
  const file = 'Time,Page,Page,Mood,Mood\n2026-05-01T09:30:00Z,https://shop.example/a,/b,good,bad\n';
  const named = (count: number, name: string) => ({
    message: `${count} columns are named ${name}: rename them in the file, or leave all of them out.`,
  });
  expect((await ask(file)).body.faults).toEqual([named(2, 'Page')]);
  const columns = ['Time=access_time', 'Page=-', 'Page=url', 'Mood=-', 'Mood=-'].map((pair) => {
    const [name, to] = pair.split('=');
    return { name, to };
  });
  const chosen = (await ask(file, { columns })).body;
  expect(chosen.columns.map(({ to }: { to: string }) => to)).toEqual(['access_time', '-', 'url', '-', '-']);
  expect(chosen.faults).toEqual([named(2, 'Page')]);
  const other = file.replace('Page,Page', 'Page,Title');
  expect((await ask(other)).body.faults).toEqual([]);
});

test("local times in a format without a zone are read in the site's time zone", async () => {
  const header =
    'reader_id UAos UAbrowser url title device_id utm_source source_domain utm_medium utm_campaign session_no access_time pv speed_msec browse_sec is_last is_newuser';
  const row = '1|Windows|Chrome|https://shop.example/|Home|PC|||||1|2026-05-01 09:30:00|1|0|0|1|1';
  const file = [header.split(' '), row.split('|')].map((cells) => `${cells.join('\t')}\n`).join('');
  const { body } = await ask(file, { file: 'visits.tsv' });
  expect(body).toMatchObject({ format: 'qa-tsv', timezone: 'Asia/Tokyo', faults: [] });
  const named = await ask(file, { file: 'visits.tsv', format: 'qa-tsv', timezone: 'Europe/Berlin' });
  expect(named.body).toMatchObject({ format: 'qa-tsv', faults: [] });
  expect(named.body.timezone).toBeUndefined();
});
