// Notes about likely mistakes in a query, sent with the rows. tests/language/cases/result/notes.yaml covers every note.
import { Client } from 'pg';
import type { TestHost } from '../support/test-host';
import { QUERY, ROWS, startContractHost } from './contracts/contract-host';

let host: TestHost;
beforeAll(async () => {
  host = await startContractHost();
});
afterAll(() => host.stop());

const ask = (body: object, search = '') =>
  host.request('POST', QUERY + search, { user: host.credentials('ann'), body });

const filtered = (filter: object) => ({
  ...ROWS,
  make: { rows: { ...ROWS.make.rows, filter } },
});

const noteOn = (at: string) => ({
  at,
  message: 'country_code contains two capital letters (ISO 3166-1 alpha-2), so no row has "jp".',
  hint: 'Write "JP".',
});
const NOTES = [noteOn('make.rows.filter.country_code')];
const NEVER = filtered({ country_code: 'jp' });
const COUNT = { ...NEVER, result: { use: 'rows', count_only: true } };

// conformance: response.notes
test.each([
  ['rows', NEVER, ''],
  ['a count', COUNT, ''],
  ['objects', NEVER, '?envelope=data'],
  ['a count as an object', COUNT, '?envelope=data'],
])('a response with %s contains notes', async (_what, body, search) => {
  expect((await ask(body, search)).body.meta.notes).toEqual(NOTES);
});

// conformance: response.notes
test.each(['csv', 'ndjson', 'parquet'])('in %s, the notes are in a header', async (format) => {
  const { headers } = await ask(NEVER, `?format=${format}`);
  expect(JSON.parse(String(headers['x-qal-notes']))).toEqual(NOTES);
  expect(headers['access-control-expose-headers']).toContain('X-QAL-Notes');
  expect((await ask(ROWS, `?format=${format}`)).headers).not.toHaveProperty('x-qal-notes');
});

test('the header is ASCII, and leaves out the last notes if it would exceed 2 kB', async () => {
  const long = (letter: string) => `/${letter.repeat(200)}`;
  const any = ['é', '🙂', '"', '\n', 'x'].map((letter) => ({ url: long(letter) }));
  const body = filtered({ any });
  const { notes } = (await ask(body)).body.meta;
  expect(notes).toHaveLength(5);
  const { headers } = await ask(body, '?format=csv');
  const text = String(headers['x-qal-notes']);
  expect(text).toMatch(/^[ -~]{1000,2048}$/);
  const sent = JSON.parse(text);
  expect(sent).toEqual(notes.slice(0, sent.length));
});

// conformance: response.notes
test('a check contains the notes, even for the corrected query', async () => {
  expect((await ask(NEVER, '?check=1')).body.check).toMatchObject({ valid: true, notes: NOTES });
  const wrong = { ...NEVER, make: { rows: { ...NEVER.make.rows, from: 'allpv' } } };
  expect((await ask(wrong, '?check=1')).body.check).toMatchObject({ valid: false, notes: NOTES });
  expect((await ask(ROWS, '?check=1')).body.check).not.toHaveProperty('notes');
});

test('a cached answer contains the notes on the query as it was sent', async () => {
  const body = filtered({ country_code: 'jp', pv_id: { gt: 0 } });
  const [first, second] = [await ask(body), await ask(body)];
  expect([first.body.meta.cached, second.body.meta.cached]).toEqual([false, true]);
  expect([first.body.meta.notes, second.body.meta.notes]).toEqual([NOTES, NOTES]);
  const { meta } = (await ask(filtered({ country_code: { eq: 'jp' }, pv_id: { gt: 0 } }))).body;
  expect(meta).toMatchObject({ cached: true, notes: [noteOn('make.rows.filter.country_code.eq')] });
});

test('a response without notes has no field for them, and neither does any response under the initial contract', async () => {
  expect((await ask(ROWS)).body.meta).not.toHaveProperty('notes');
  expect(Object.keys((await ask(ROWS, '?version=2025-10-20')).body.meta)).toEqual([
    'truncated',
    'row_count',
    'limits',
  ]);
});

test('the note about a material without rows disappears as soon as rows are imported', async () => {
  const gsc = {
    ...ROWS,
    tracking_id: 'blog',
    materials: [{ name: 'gsc' }],
    make: { rows: { from: ['gsc'], keep: [], calc: { clicks: 'SUM(gsc.clicks)' } } },
  };
  const empty = [
    { at: 'materials[0].name', message: 'The site has no rows in "gsc" at all, in any period.' },
  ];
  expect((await ask(gsc)).body).toMatchObject({ result: { rows: [[0]] }, meta: { notes: empty } });
  await host.importRows('gsc', 'blog', [
    {
      date: '2026-04-01',
      url: '/',
      keyword: 'a',
      search_type: 'web',
      clicks: 1,
      impressions: 2,
      position: 3,
    },
  ]);
  const after = (await ask(gsc)).body;
  expect(after).toMatchObject({ result: { rows: [[0]] } });
  expect(after.meta).not.toHaveProperty('notes');
});

test('a goal without conversions gets a note', async () => {
  const notesOf = async (goal: string) => {
    const view = { from: [goal], keep: [], calc: { n: `COUNT(${goal}.pv_id)` } };
    const body = { ...ROWS, materials: [{ name: goal }], make: { rows: view } };
    const { result, meta } = (await ask(body)).body;
    return [result.rows[0][0] > 0, meta.notes];
  };
  const none = [
    { at: 'materials[0].name', message: 'The site has no rows in "goal_2" at all, in any period.' },
  ];
  expect(await notesOf('goal_2')).toEqual([false, none]);
  const url = 'https://shop.example/thanks';
  await host.importRows('allpv', 'shop', [
    { pv_id: 900, session_id: 90, access_time: '2026-05-09T12:00:00Z', url },
  ]);
  expect(await notesOf('goal_1')).toEqual([true, undefined]);
});

test('whether a material has rows is looked up once per data version, and only if the result does not show it', async () => {
  await host.importRows('allpv', 'shop', [
    { pv_id: 901, session_id: 91, access_time: '2026-05-09T12:00:00Z', url: 'https://shop.example/' },
  ]);
  const statements = jest.spyOn(Client.prototype, 'query');
  const lookups = () =>
    statements.mock.calls.filter(([text]) => String(text).startsWith('SELECT 1 FROM')).length;
  const total = { from: ['allpv'], keep: [], calc: { n: 'COUNT(allpv.pv_id)' } };
  await ask(ROWS);
  expect(lookups()).toBe(0);
  await ask({ ...ROWS, make: { rows: total } });
  expect(lookups()).toBe(1);
  await ask(filtered({ country_code: 'jp', pv_id: 901 }));
  await ask({ ...ROWS, make: { rows: { ...total, filter: { pv_id: 901 } } } });
  expect(lookups()).toBe(1);
  statements.mockRestore();
});
