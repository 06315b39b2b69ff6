// The largest valid query for each size limit, and one that exceeds the limit.
import { readDocument } from '../../extension/language/parse/read-document';
import { checkQuery } from '../../extension/query/check-query';
import { runWhole } from '../support/run-whole';
import { useCaseDatabase } from './query-setup';

const opened = useCaseDatabase();

const ROWS = { from: ['allpv'], keep: ['allpv.pv_id'] };
const repeated = <Value>(count: number, value: Value, name: string): Record<string, Value> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`${name}${index}`, value]));

const run = (make: object, use: string) =>
  runWhole(
    readDocument(
      JSON.stringify({
        tracking_id: 'shop',
        materials: [{ name: 'allpv' }],
        time: { start: '2026-05-01T00:00:00', end: '2026-06-01T00:00:00', tz: 'Asia/Tokyo' },
        make,
        result: { use },
      }),
    ),
    opened.context,
  );

test.each<[string, number, string, (count: number) => object]>([
  ['views', 64, 'make', (count) => repeated(count, ROWS, 'v')],
  [
    'columns in a view',
    256,
    'make.v0.keep',
    (count) => ({ v0: { ...ROWS, calc: repeated(count - 1, 'COUNT(allpv.url)', 'n') } }),
  ],
  [
    'values in a list',
    1000,
    'make.v0.filter.pv_id',
    (count) => ({ v0: { ...ROWS, filter: { pv_id: Array(count).fill(1) } } }),
  ],
  [
    'filters in a list',
    1000,
    'make.v0.filter.any',
    (count) => ({ v0: { ...ROWS, filter: { any: Array(count).fill({ pv_id: 1 }) } } }),
  ],
  // conformance: limit.longest-range-most, code.e-query-too
])('%s: at most %i', async (_name, max, at, makeOf) => {
  expect((await run(makeOf(max), 'v0')).rows.length).toBeGreaterThan(0);
  await expect(run(makeOf(max + 1), 'v0')).rejects.toMatchObject({ code: 'E_QUERY_TOO_LARGE', at });
});

test('an exceeded limit is the only error that is reported', async () => {
  const make = { v0: { ...ROWS, sort: 'x', calc: repeated(256, 'COUNTT(allpv.url)', 'n') }, v1: 7 };
  const document = readDocument(JSON.stringify({ make, materials: 'none' }));
  const { faults } = await checkQuery(document, opened.context);
  expect(faults.map(({ code, at, message }) => [code, at, message])).toEqual([
    ['E_QUERY_TOO_LARGE', 'make.v0.keep', 'The view has 257 columns; at most 256 are allowed.'],
  ]);
});

test('the first exceeded limit in document order is reported', async () => {
  const long = { ...ROWS, filter: { any: [{ url: { in: Array(1001).fill('a') } }] } };
  const make = { '2': { ...ROWS, calc: repeated(256, 'COUNT(allpv.url)', 'n') }, '10': ROWS, v: long };
  const body = JSON.stringify({ make }).replace(/"2":(.*),"10":/, '"10":$1,"2":');
  const { faults } = await checkQuery(readDocument(body), opened.context);
  expect(faults).toMatchObject([{ code: 'E_QUERY_TOO_LARGE', at: 'make.10.keep' }]);
  const { faults: others } = await checkQuery(
    readDocument(JSON.stringify({ make: { v: long } })),
    opened.context,
  );
  expect(others).toMatchObject([{ code: 'E_QUERY_TOO_LARGE', at: 'make.v.filter.any[0].url.in' }]);
});

test('the list of errors ends with E_QUERY_TOO_LARGE after 100 errors', async () => {
  const wrong = (count: number) => ({ v0: { ...ROWS, calc: repeated(count, 'COUNTT(allpv.url)', 'n') } });
  const faultsOf = async (count: number) => {
    const whole = {
      tracking_id: 'shop',
      materials: [{ name: 'allpv' }],
      make: wrong(count),
      result: { use: 'v0' },
    };
    const time = { start: '2026-05-01T00:00:00', end: '2026-06-01T00:00:00', tz: 'UTC' };
    return (await checkQuery(readDocument(JSON.stringify({ ...whole, time })), opened.context)).faults;
  };
  expect((await faultsOf(100)).map(({ code }) => code)).toEqual(Array(100).fill('E_CALC_INVALID_FUNCTION'));
  const more = await faultsOf(200);
  expect(more).toHaveLength(101);
  expect(more.at(-1)).toMatchObject({ code: 'E_QUERY_TOO_LARGE' });
});

test('errors in other branches of a union do not count toward the limit', async () => {
  const any = Array.from({ length: 150 }, (_, index) => `${index}`);
  const calc = { a: 'COUNTT(allpv.url)', b: 'COUNTT(allpv.url)', c: 'COUNTT(allpv.url)' };
  const make = { v0: { ...ROWS, filter: { any }, calc } };
  const whole = { tracking_id: 'shop', materials: [{ name: 'allpv' }], make, result: { use: 'v0' } };
  const time = { start: '2026-05-01T00:00:00', end: '2026-06-01T00:00:00', tz: 'UTC' };
  const { faults } = await checkQuery(readDocument(JSON.stringify({ ...whole, time })), opened.context);
  expect(faults.map(({ at }) => at)).toEqual(
    expect.arrayContaining(['make.v0.calc.a', 'make.v0.calc.b', 'make.v0.calc.c']),
  );
});
