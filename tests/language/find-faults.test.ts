// A check finds all errors in a query. The first one is the error that is returned when the query is run.
import { join } from 'node:path';
import { isRefusedByData, readCases } from './case-file';
import { bodyOf, faultOf, faultsOf } from './understood';

const located = async (body: string) =>
  (await faultsOf(body)).map(({ code, at }) => `${code}${at === undefined ? '' : ` ${at}`}`);

const refused = readCases(join(__dirname, 'cases')).filter(
  (it) => it.error !== undefined && !isRefusedByData(it),
);

test.each(refused.map((it) => [`${it.topic}: ${it.title}`, it.body] as const))('%s', async (_name, body) => {
  const { code, at } = await faultOf(body);
  expect((await faultsOf(body))[0]).toMatchObject({ code, at });
});

test('a valid query has no errors', async () => {
  expect(await faultsOf(bodyOf({}))).toEqual([]);
});

test.each<[string, string, readonly string[]]>([
  [
    'shape errors in several places',
    bodyOf(
      { from: 'allpv', keep: ['url'], sort: { by: 'url' } },
      { limit: 5, result: { use: 'v', limit: 0 } },
    ),
    [
      'E_UNKNOWN_FIELD limit',
      'E_INVALID_FROM make.v.from',
      'E_UNKNOWN_COLUMN make.v.keep[0]',
      'E_INVALID_SORT make.v.sort.order',
      'E_INVALID_LIMIT result.limit',
    ],
  ],
  // conformance: beyond.check
  [
    'all unknown names in a view',
    bodyOf({
      keep: ['allpv.nothing', 'allpv.url', 'allpv.never'],
      filter: { nowhere: 1, pv: { gt: 'x' }, any: [{ gone: 1 }] },
      calc: { n: 'COUNT(allpv.none)', m: 'SUM(allpv.url)' },
    }),
    [
      'E_UNKNOWN_COLUMN make.v.keep[0]',
      'E_UNKNOWN_COLUMN make.v.keep[2]',
      'E_UNKNOWN_COLUMN make.v.filter.nowhere',
      'E_FILTER_INVALID make.v.filter.pv.gt',
      'E_UNKNOWN_COLUMN make.v.filter.any[0].gone',
      'E_CALC_COLUMN_UNRESOLVED make.v.calc.n',
      'E_CALC_INVALID_EXPRESSION make.v.calc.m',
    ],
  ],
  [
    'unknown names alongside a malformed view, without spurious errors',
    bodyOf(
      {},
      {
        make: {
          broken: { from: ['allpv'] },
          reader: { from: ['broken'], keep: ['broken.anything'] },
          v: { from: ['allpv'], keep: ['allpv.nothing'] },
        },
        result: { use: 'reader' },
      },
    ),
    ['E_INVALID_VIEW make.broken', 'E_UNKNOWN_COLUMN make.v.keep[0]'],
  ],
  [
    'unknown names in a view with a malformed sort, filter and calc',
    bodyOf(
      {},
      {
        make: {
          v: {
            from: ['allpv'],
            keep: ['allpv.nothing', 'allpv.url'],
            filter: { pv: { like: 1 }, nowhere: 1 },
            calc: { n: 'COUNT', m: 'SUM(allpv.url)' },
            sort: { by: 'n', order: 'down' },
          },
          w: { from: ['v'], keep: ['v.n', 'v.anything'] },
        },
      },
    ),
    [
      'E_FILTER_INVALID make.v.filter.pv.like',
      'E_CALC_INVALID_EXPRESSION make.v.calc.n',
      'E_INVALID_SORT make.v.sort.order',
      'E_UNKNOWN_COLUMN make.v.keep[0]',
      'E_UNKNOWN_COLUMN make.v.filter.nowhere',
      'E_CALC_INVALID_EXPRESSION make.v.calc.m',
    ],
  ],
  [
    'unknown names alongside a malformed time',
    bodyOf({ keep: ['allpv.nothing'] }, { time: { start: 'yesterday', end: 'today', tz: 'UTC' } }),
    ['E_INVALID_TIME_RANGE time.start', 'E_INVALID_TIME_RANGE time.end', 'E_UNKNOWN_COLUMN make.v.keep[0]'],
  ],
  [
    'unknown materials, and an unknown view in the result',
    bodyOf(
      {},
      {
        materials: [{ name: 'nothing' }, { name: 'allpv' }, { name: 'goal_9' }],
        make: {
          v: { from: ['nothing'], keep: ['nothing.x'] },
          w: { from: ['allpv'], keep: ['allpv.nothing'] },
        },
        result: { use: 'x' },
      },
    ),
    [
      'E_UNKNOWN_MATERIAL materials[0].name',
      'E_UNKNOWN_MATERIAL materials[2].name',
      'E_UNKNOWN_COLUMN make.w.keep[0]',
      'E_UNKNOWN_VIEW result.use',
    ],
  ],
  [
    'an unknown source in several clauses is reported as one error',
    bodyOf({
      keep: ['clicks.pv_id', 'clicks.url'],
      join: { with: 'clicks', on: [{ left: 'allpv.pv_id', right: 'clicks.pv_id' }] },
    }),
    ['E_INVALID_JOIN make.v.join.with'],
  ],
])('%s', async (_name, body, expected) => {
  expect(await located(body)).toEqual(expected);
});

const numbered = (count: number, value: unknown) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, value]));

describe.each([
  ['unknown names', (count: number) => bodyOf({ keep: ['allpv.url'], filter: numbered(count, 1) })],
  ['invalid calcs', (count: number) => bodyOf({ keep: [], calc: numbered(count, 'SUMM(x.y)') })],
  ['unknown keys', (count: number) => bodyOf({}, numbered(count, 1))],
])('%s', (_what, body) => {
  test('are all listed if there are 100', async () => {
    expect(new Set((await located(body(100))).map((it) => it.split(' ')[0])).size).toBe(1);
    expect(await faultsOf(body(100))).toHaveLength(100);
  });

  test('are listed up to 100 if there are more, followed by E_QUERY_TOO_LARGE', async () => {
    const all = await located(body(180));
    expect(all).toEqual([...(await located(body(100))), 'E_QUERY_TOO_LARGE']);
  });
});
