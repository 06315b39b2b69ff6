// Query records as a dataset: administrators can query them, and other users cannot tell that they exist.

import { daysBefore, OLD_RECORDS } from '../../extension/data/removal/old-records';
import { readDocument } from '../../extension/language/parse/read-document';
import { createQueryRecords } from '../../extension/query/query-records/query-records';
import { createMemoryLog } from '../support/memory-log';
import { type Credentials, startTestHost, type TestHost } from '../support/test-host';

const QUERY = '/wp-json/qa-platform/query?envelope=data';
const GUIDE = '/wp-json/qa-platform/guide';
const COLUMNS = [
  'query_id',
  'asked_at',
  'asked_hour',
  'login',
  'key_name',
  'caller_address',
  'page',
  'version',
  'asked_tracking_id',
  'view',
  'query',
  'row_count',
  'milliseconds',
  'engine',
  'engine_reason',
  'status',
  'error_code',
  'error_at',
  'request_id',
  'tracking_id',
];
const MAY = { start: '2026-05-01T00:00:00', end: '2026-06-01T00:00:00', tz: 'Asia/Tokyo' };
const NOW = new Date('2026-06-10T12:00:00Z');

let host: TestHost;
beforeAll(async () => {
  host = await startTestHost({
    clock: () => NOW,
    sites: [
      { tracking_id: 'blog', domain: 'blog.example', name: 'Blog', timezone: 'UTC' },
      { tracking_id: 'shop', domain: 'shop.example', name: 'Shop', timezone: 'UTC', default: true },
    ],
    users: [
      { login: 'root', role: 'administrator' },
      { login: 'ann', role: 'analyst', sites: ['blog', 'shop'] },
    ],
  });
});
afterAll(() => host.stop());
beforeEach(async () => {
  await host.rest.settle();
  await records().delete();
});

const records = () => host.database.write.withSchema('analytics').from('query_record');

const recordsOf = (trackingId: string, view: object = {}, time: object = MAY) => ({
  tracking_id: trackingId,
  materials: [{ name: 'query_record' }],
  time,
  make: {
    requested: { from: ['query_record'], keep: COLUMNS.map((name) => `query_record.${name}`), ...view },
  },
  result: { use: 'requested' },
});

const ask = (user: Credentials | string, body: object, search = '') =>
  host.request('POST', QUERY + search, { user, body });

const RECORD = {
  user_id: 2,
  login: 'ann',
  key_uuid: null,
  key_name: null,
  page: null,
  version: '2026-05-11',
  caller_address: '198.51.100.7',
  request_id: 'job-7',
  view: 'v',
  body: '{}',
  query: '{}',
  row_count: 3,
  milliseconds: 12,
  status: 200,
  engine: 'columns',
  engine_reason: 'A test.',
  error_code: null,
  error_at: null,
  error_message: null,
};
/** Records that are inserted directly: for two sites, for all sites, and for a site that does not exist. */
const INSERTED = [
  { ...RECORD, asked_at: '2026-04-30T14:59:59Z', tracking_id: 'shop' },
  { ...RECORD, asked_at: '2026-04-30T15:00:00Z', tracking_id: 'shop' },
  { ...RECORD, asked_at: '2026-05-03T00:00:00Z', tracking_id: 'blog', row_count: 5, milliseconds: 40 },
  { ...RECORD, asked_at: '2026-05-04T00:00:00Z', tracking_id: 'all', row_count: null },
  {
    ...RECORD,
    asked_at: '2026-05-05T00:00:00Z',
    tracking_id: 'nowhere',
    login: 'bot',
    query: null,
    row_count: null,
    engine: null,
    engine_reason: null,
    status: 404,
    error_code: 'E_UNKNOWN_TRACKING_ID',
    error_at: 'tracking_id',
  },
];

describe('an administrator', () => {
  // conformance: beyond.record-queries-dataset
  test("sees a site's records within the time range; records without a site belong to the default site", async () => {
    await records().insert(INSERTED);
    const shop = await ask('root', recordsOf('shop'));
    expect(shop.status).toBe(200);
    expect(shop.body.data.map((row: Record<string, unknown>) => row.asked_tracking_id)).toEqual([
      'shop',
      'all',
      'nowhere',
    ]);
    expect(shop.body.data[0]).toEqual({
      query_id: expect.any(Number),
      asked_at: '2026-05-01T00:00:00',
      asked_hour: 0,
      login: 'ann',
      key_name: null,
      caller_address: '198.51.100.7',
      request_id: 'job-7',
      page: null,
      version: '2026-05-11',
      asked_tracking_id: 'shop',
      view: 'v',
      query: '{}',
      row_count: 3,
      milliseconds: 12,
      engine: 'columns',
      engine_reason: 'A test.',
      status: 200,
      error_code: null,
      error_at: null,
      tracking_id: 'shop',
    });
    const blog = await ask('root', recordsOf('blog'));
    expect(blog.body.data).toMatchObject([{ tracking_id: 'blog', row_count: 5 }]);
  });

  test('filters, counts and sums over all sites', async () => {
    await records().insert(INSERTED);
    const calc = { n: 'COUNT(query_record.query_id)', ms: 'SUM(query_record.milliseconds)' };
    const view = { keep: ['query_record.login'], calc, sort: { by: 'login', order: 'asc' } };
    const { body } = await ask('root', recordsOf('all', view));
    expect(body.data).toEqual([
      { login: 'ann', n: 3, ms: 64 },
      { login: 'bot', n: 1, ms: 12 },
    ]);
    const refused = await ask('root', recordsOf('all', { filter: { status: { gte: 400 } } }));
    expect(refused.body.data).toMatchObject([{ error_code: 'E_UNKNOWN_TRACKING_ID', tracking_id: 'shop' }]);
  });

  // conformance: beyond.record-queries-dataset
  test('finds the previous query without its filter values, and rejected queries', async () => {
    const JUNE = { ...MAY, start: '2026-06-01T00:00:00', end: '2026-07-01T00:00:00' };
    const views = {
      tracking_id: 'shop',
      materials: [{ name: 'allpv' }],
      time: JUNE,
      result: { use: 'pages' },
      make: {
        pages: {
          from: ['allpv'],
          keep: ['allpv.url'],
          filter: {
            url: { contains: 'secret', neq: 'secret' },
            title: ['secret'],
            os: 'secret',
            page_id: { neq: { column: 'prev_page_id' } },
            any: [{ browser: { between: ['secret', 'secret'] } }],
            none: [{ any: [{ browser: 'secret' }] }],
          },
          calc: { n: { of: 'COUNT(allpv.pv_id)', filter: { url: 'secret' } }, all: 'COUNT(allpv.pv_id)' },
        },
      },
    };
    expect((await ask('ann', views)).status).toBe(200);
    expect((await ask('ann', { ...views, where: "url = 'secret'" })).status).toBe(400);
    await host.rest.settle();
    const [successful, refused] = (await ask('root', recordsOf('shop', {}, JUNE))).body.data;
    const filter = {
      url: { contains: '?', neq: '?' },
      title: '?',
      os: '?',
      page_id: { neq: { column: 'prev_page_id' } },
      any: [{ browser: { between: '?' } }],
      none: [{ any: [{ browser: '?' }] }],
    };
    expect(JSON.parse(successful.query)).toEqual({
      ...views,
      make: {
        pages: {
          ...views.make.pages,
          filter,
          calc: { ...views.make.pages.calc, n: { of: 'COUNT(allpv.pv_id)', filter: { url: '?' } } },
        },
      },
    });
    expect(successful).toMatchObject({
      login: 'ann',
      key_name: expect.any(String),
      caller_address: '127.0.0.1',
      request_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      row_count: 0,
      engine: 'rows',
    });
    expect(refused).toMatchObject({ query: null, status: 400, error_code: expect.stringMatching(/^E_/) });
    expect(JSON.stringify([successful, refused])).not.toContain('secret');
    // The previous request is also recorded, because results from this dataset are never cached.
    await host.rest.settle();
    const again = await ask('root', recordsOf('shop', {}, JUNE));
    expect(again.body.data).toHaveLength(3);
    expect(again.body.data[2]).toMatchObject({ login: 'root', engine: 'rows', row_count: 2 });
    expect(again.body.data[2].engine_reason).toBe('Query records are not in the columnar copy.');
  });
});

describe('other users', () => {
  const unknown = (name: string) =>
    JSON.parse(JSON.stringify(recordsOf('shop')).replaceAll('query_record', name));

  // conformance: beyond.record-queries-dataset
  // attack: administrator-s-key-expiry
  test('cannot distinguish the dataset from a material that does not exist', async () => {
    const restrictions = [
      { sites: ['shop', 'blog'] },
      { expiresAt: new Date('2030-01-01T00:00:00Z') },
      { addressRanges: ['127.0.0.0/8', '::1'] },
      { rateShare: 50 },
    ];
    const limited = await Promise.all(
      restrictions.map((by) => host.createApplicationPassword('root', 'limited', by)),
    );
    for (const user of ['ann', ...limited]) {
      const { status, body } = await ask(user, recordsOf('shop'));
      const other = await ask(user, unknown('zzzzz_zzzzzz'));
      expect([status, body.error.code]).toEqual([400, 'E_UNKNOWN_MATERIAL']);
      expect(body.error.details.available_materials).not.toContain('query_record');
      expect(JSON.parse(JSON.stringify(other.body).replaceAll('zzzzz_zzzzzz', 'query_record'))).toEqual(body);
    }
  });

  // conformance: beyond.record-queries-dataset
  test('find the dataset neither in the whole guide nor in its parts', async () => {
    for (const search of ['', '?parts=compact', '?parts=materials']) {
      const ends = { expiresAt: new Date('2030-01-01T00:00:00Z') };
      const limited = await host.createApplicationPassword('root', 'limited', ends);
      const guideOf = async (user: string | Credentials) =>
        (await host.request('GET', GUIDE + search, { user })).text;
      for (const user of ['ann', limited]) expect((await guideOf(user)).includes('query_record')).toBe(false);
      expect((await guideOf('root')).includes('query_record')).toBe(true);
    }
    const described = async (user: string) =>
      (await host.request('GET', `${GUIDE}?material=query_record`, { user })).status;
    expect([await described('ann'), await described('root')]).toEqual([400, 200]);
  });

  test('cannot query the dataset under the frozen contract, and neither can administrators', async () => {
    const { status } = await ask('root', recordsOf('shop'), '&version=2025-10-20');
    expect(status).toBe(400);
  });
});

// conformance: beyond.record-queries-dataset
test('only records older than the given day are removed', async () => {
  await records().insert(INSERTED);
  const { write } = host.database;
  await OLD_RECORDS['query records']({ write, dataDir: '' }, daysBefore(NOW, 38));
  expect(await records().orderBy('query_id').pluck('tracking_id')).toEqual(['all', 'nowhere']);
});

// conformance: beyond.record-queries-dataset
test('records that are kept by age share one maximum across all users, and include filter values if that is enabled', async () => {
  const { log } = createMemoryLog();
  const { write } = host.database;
  const queryRecords = createQueryRecords({ write, log, days: 30, maxRecords: 201, withValues: true });
  await records().insert({ ...RECORD, asked_at: NOW, tracking_id: 'shop' });
  const user = await host.createUser({ login: 'many', role: 'analyst', sites: [] });
  for (let n = 0; n < 201; n += 1)
    queryRecords.add({
      requestedAt: NOW,
      user,
      requestId: 'x',
      callerAddress: '',
      page: null,
      version: '2026-05-11',
      milliseconds: 1,
      status: 200,
      rowCount: 1,
      document: readDocument('{"make": {"v": {"filter": {"allpv.url": "secret"}}}}'),
      answeredBy: { engine: 'rows' as const, because: 'A test.' },
      error: null,
    });
  await queryRecords.settle();
  const all = await records().select('login', 'caller_address', 'query');
  expect(all).toHaveLength(201);
  expect(all[0]).toEqual({
    login: 'many',
    caller_address: null,
    query: '{"make":{"v":{"filter":{"allpv.url":"secret"}}}}',
  });
});
