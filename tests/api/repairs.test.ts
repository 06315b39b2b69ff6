// A corrected query succeeds when it is sent back over HTTP, either as the body or wrapped in qal.
import { join } from 'node:path';
import { readCases } from '../language/case-file';
import { CASE_DATA } from '../language/query-setup';
import { startFilledHost, type TestAnswer, type TestHost } from '../support/test-host';

const QUERY = '/wp-json/qa-platform/query';

let host: TestHost;

beforeAll(async () => {
  host = await startFilledHost(CASE_DATA, { users: [{ login: 'ann', role: 'administrator' }] });
});
afterAll(() => host.stop());

const send = (body: object | string, version: string): Promise<TestAnswer> =>
  host.request('POST', `${QUERY}?version=${version}`, { user: host.credentials('ann'), body });

// The case files test all corrections. Only one case for each code is tested here.
const repairable = new Map(
  readCases(join(__dirname, '..', 'language', 'cases'))
    .filter((it) => it.error?.repaired !== undefined)
    .map((it) => [it.error?.code, it]),
);

// conformance: request.common-mistakes-told
test.each([...repairable])('the corrected query in an error with %s succeeds', async (code, it) => {
  const wrong = await send(it.body, 'latest');
  expect({ status: wrong.status, code: wrong.body.error.code }).toEqual({ status: 400, code });
  const { repaired } = wrong.body.error.details;
  expect((await send(repaired, 'latest')).status).toBe(200);
  expect((await send({ qal: repaired }, 'latest')).status).toBe(200);
});

describe('a check', () => {
  const RIGHT = {
    tracking_id: 'shop',
    materials: [{ name: 'allpv' }],
    time: { start: '2026-05-01T00:00:00', end: '2026-06-01T00:00:00', tz: 'Asia/Tokyo' },
    make: { v: { from: ['allpv'], keep: ['allpv.url'] } },
    result: { use: 'v' },
  };
  const check = async (body: object | string) => {
    const answer = await send(body, 'latest&check=1');
    expect(answer.status).toBe(200);
    return answer.body.check;
  };
  const records = async () => {
    await host.rest.settle();
    return (await host.database.write('analytics.query_record').count())[0]?.count;
  };

  test('of a query for a file allows as many rows as the file may have', async () => {
    const long = { ...RIGHT, result: { use: 'v', limit: 50_001 } };
    const checked = async (search: string) => (await send(long, `latest&check=1${search}`)).body.check;
    expect(await checked('&format=csv')).toMatchObject({ valid: true, faults: [] });
    expect(await checked('')).toMatchObject({ faults: [{ code: 'E_INVALID_LIMIT' }] });
  });

  // conformance: beyond.check
  test('of a valid query returns what it would read, and is not recorded', async () => {
    const before = await records();
    expect(await check(RIGHT)).toEqual({
      valid: true,
      faults: [],
      bounds: { start: '2026-04-30T15:00:00.000Z', end: '2026-05-31T15:00:00.000Z', tz: 'Asia/Tokyo' },
      engine: { engine: 'rows', because: 'This server has no columnar copy.' },
      reads: [{ material: 'allpv', rows: expect.any(Number) }],
    });
    expect(await records()).toBe(before);
  });

  // conformance: beyond.check
  test('returns every error, and the corrected query if every repair is certain', async () => {
    const wrong = { ...RIGHT, make: { v: { from: 'allpv', keep: 'allpv.url' } } };
    const { faults, ...others } = await check(wrong);
    expect(faults.map(({ code, at }: { code: string; at: string }) => [code, at])).toEqual([
      ['E_INVALID_FROM', 'make.v.from'],
      ['E_UNKNOWN_COLUMN', 'make.v.keep'],
    ]);
    expect(others).toMatchObject({ valid: false, repaired: RIGHT, reads: [{ material: 'allpv' }] });
  });

  test('returns only the errors if a repair is not certain', async () => {
    const keep = ['allpv.nothing', 'allpv.never'];
    const { faults, ...others } = await check({ ...RIGHT, make: { v: { from: ['allpv'], keep } } });
    expect(faults).toHaveLength(2);
    expect(others).toEqual({ valid: false });
    expect((await check('{"qal": ')).faults).toMatchObject([{ code: 'E_INVALID_JSON' }]);
    expect((await check({ ...RIGHT, tracking_id: 'shopp' })).faults).toMatchObject([
      { code: 'E_UNKNOWN_TRACKING_ID', at: 'tracking_id' },
    ]);
  });

  test.each([
    [
      'a page summary',
      {
        materials: [{ name: 'summary_allpage' }],
        make: { v: { from: ['summary_allpage'], keep: ['summary_allpage.url'] } },
      },
    ],
    [
      'a dataset with daily rows',
      { materials: [{ name: 'gsc' }], make: { v: { from: ['gsc'], keep: ['gsc.keyword'] } } },
    ],
    [
      'a joined dataset that is not restricted by time',
      {
        materials: [{ name: 'allpv' }, { name: 'page_version' }],
        make: {
          v: {
            from: ['allpv'],
            join: {
              with: 'page_version',
              on: [{ left: 'allpv.version_id', right: 'page_version.version_id' }],
            },
            keep: ['allpv.url', 'page_version.version_no'],
          },
        },
      },
    ],
  ])('estimates the rows of %s', async (_name, changes) => {
    const { reads } = await check({ ...RIGHT, ...changes });
    expect(reads.length).toBeGreaterThan(0);
    for (const { rows } of reads) expect(rows).toBeGreaterThanOrEqual(0);
  });

  test.each([
    ['latest&check=yes', 'E_INVALID_PARAMETER'],
    ['2025-10-20&check=1', 'E_FEATURE_NOT_SUPPORTED'],
  ])('version=%s is rejected with %s', async (search, code) => {
    const { status, body } = await send(RIGHT, search);
    expect([status, (body.error ?? body).code]).toEqual([400, code]);
  });
});

// conformance: request.common-mistakes-told
describe('under the initial contract', () => {
  const RIGHT = {
    tracking_id: 'shop',
    materials: [{ name: 'allpv' }],
    time: { start: '2026-05-01T00:00:00', end: '2026-06-01T00:00:00', tz: 'Asia/Tokyo' },
    make: { v: { from: ['allpv'], keep: ['allpv.url'] } },
    result: { use: 'v', limit: 5 },
  };
  const { time } = RIGHT;
  const view = (changes: object) => ({ ...RIGHT, make: { v: { ...RIGHT.make.v, ...changes } } });

  const ofGsc = (...keep: string[]) => ({
    ...RIGHT,
    materials: [{ name: 'gsc' }],
    make: { v: { from: ['gsc'], keep } },
  });
  test.each<[string, object, string]>([
    ['from as a string', view({ from: 'allpv' }), 'E_INVALID_FROM'],
    ['keep as a string', view({ keep: 'allpv.url' }), 'E_UNKNOWN_COLUMN'],
    ['an unqualified column', view({ keep: ['url'] }), 'E_UNKNOWN_COLUMN'],
    ['materials as strings', { ...RIGHT, materials: ['allpv'] }, 'E_UNKNOWN_MATERIAL'],
    ['an abbreviated zone', { ...RIGHT, time: { ...time, tz: 'JST' } }, 'E_INVALID_TZ'],
    ['a city as the zone', { ...RIGHT, time: { ...time, tz: 'Tokyo' } }, 'E_INVALID_TZ'],
    ['a date without a time', { ...RIGHT, time: { ...time, start: '2026-05-01' } }, 'E_INVALID_TIME_RANGE'],
    ['the version in the body', { ...RIGHT, version: '2025-10-20' }, 'E_UNKNOWN_FIELD'],
    ['the version next to qal', { qal: RIGHT, version: '2025-10-20' }, 'E_UNKNOWN_FIELD'],
    ['limit as a string', { ...RIGHT, result: { use: 'v', limit: '5' } }, 'E_INVALID_LIMIT'],
    ['limit at the top level', { ...RIGHT, result: { use: 'v' }, limit: 5 }, 'E_UNKNOWN_FIELD'],
    [
      'the key "as" in a material',
      { ...RIGHT, materials: [{ name: 'allpv', as: 'p' }] },
      'E_ALIAS_FORBIDDEN',
    ],
  ])('%s', async (_name, body, code) => {
    const wrong = await send(body, '2025-10-20');
    expect(wrong.status).toBe(400);
    expect(wrong.body).toMatchObject({ code, data: { status: 400, repaired: RIGHT } });
    expect((await send(wrong.body.data.repaired, '2025-10-20')).status).toBe(200);
  });

  test.each<[string, object, string]>([
    ['a daily value instead of a sum', ofGsc('gsc.keyword', 'gsc.clicks'), 'Write "gsc.clicks_sum".'],
    [
      "another contract's version",
      { ...RIGHT, version: '2026-05-11' },
      'Put the version in the address: POST /query?version=2026-05-11.',
    ],
    [
      'a calc, which only a later contract has',
      view({ keep: ['COUNT(allpv.pv_id)'] }),
      'Keep the column itself, such as "allpv.url".',
    ],
  ])('there is only a hint if a repair would change the meaning: %s', async (_name, body, hint) => {
    const wrong = await send(body, '2025-10-20');
    expect(wrong.body.data).toMatchObject({ status: 400, hint });
    expect(wrong.body.data).not.toHaveProperty('repaired');
  });

  test('the error for an unknown key lists only the keys of this contract', async () => {
    const wrong = await send(view({ grouping: [] }), '2025-10-20');
    expect(wrong.body.message).toContain('its keys are from and keep.');
  });
});
