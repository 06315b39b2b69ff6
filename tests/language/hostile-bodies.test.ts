// Bodies of the maximum size that are designed to take a long time must be answered or rejected quickly.
import { MAX_FAULTS } from '../../extension/language/errors/query-error';
import { readDocument } from '../../extension/language/parse/read-document';
import { checkQuery } from '../../extension/query/check-query';
import { runWhole } from '../support/run-whole';
import { useCaseDatabase } from './query-setup';

const opened = useCaseDatabase();

const many = (count: number, value: unknown, prefix = 'k') =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`${prefix}${i}`, value]));

const view = { from: ['allpv'], keep: ['allpv.url'] };
const long = `a${'_'.repeat(200_000)}b-c`;

const base = {
  tracking_id: 'shop',
  materials: [{ name: 'allpv' }],
  time: { start: '2026-05-01T00:00:00', end: '2026-06-01T00:00:00', tz: 'UTC' },
  make: { v: view },
  result: { use: 'v' },
};

test.each([
  ['unknown keys', { ...base, ...many(19_000, 1) }, 'E_UNKNOWN_FIELD'],
  // attack: query-25-000-keys
  ['too many keys', { ...base, ...many(25_000, 1) }, 'E_QUERY_TOO_LARGE'],
  ['views', { ...base, make: many(6_000, view) }, 'E_QUERY_TOO_LARGE'],
  [
    'calcs',
    { ...base, make: { v: { ...view, calc: many(9_000, 'COUNT(allpv.pv_id)') } } },
    'E_QUERY_TOO_LARGE',
  ],
  ['filters', { ...base, make: { v: { ...view, filter: many(19_000, 1) } } }, 'E_UNKNOWN_COLUMN'],
  // conformance: code.e-query-too
  [
    'kept columns',
    { ...base, make: { v: { from: ['allpv'], keep: Array(50_000).fill('a') } } },
    'E_QUERY_TOO_LARGE',
  ],
  ['a long view name', { ...base, make: { [long]: view } }, 'E_INVALID_VIEW_NAME'],
  [
    'a long calc name',
    { ...base, make: { v: { ...view, calc: { [long]: 'COUNT(allpv.pv_id)' } } } },
    'E_CALC_INVALID_EXPRESSION',
  ],
  ['a long calc', { ...base, make: { v: { ...view, calc: { n: long } } } }, 'E_QUERY_TOO_LARGE'],
  [
    // attack: calc-200-kb
    'a long percentage',
    { ...base, make: { v: { ...view, calc: { n: `PERCENTILE(allpv.pv,${' '.repeat(200_000)}9 5)` } } } },
    'E_QUERY_TOO_LARGE',
  ],
  [
    // attack: percentage-after-ten-thousand
    'percentages of the maximum length',
    { ...base, make: { v: { ...view, calc: many(25, `PERCENTILE(allpv.pv,${' '.repeat(9_900)}9 5)`) } } },
    'E_CALC_INVALID_EXPRESSION',
  ],
  [
    'a calc with many parts',
    { ...base, make: { v: { ...view, calc: many(25, `${'1+'.repeat(4_900)}1`) } } },
    'E_QUERY_TOO_LARGE',
  ],
  [
    'a long column',
    { ...base, make: { v: { from: ['allpv'], keep: [`allpv.${'x'.repeat(240_000)}`] } } },
    'E_UNKNOWN_COLUMN',
  ],
  [
    'a long unqualified column',
    { ...base, make: { v: { from: ['allpv'], keep: [`${long} -a -a`] } } },
    'E_UNKNOWN_COLUMN',
  ],
  ['a long material', { ...base, materials: long }, 'E_UNKNOWN_MATERIAL'],
  ['a long from', { ...base, make: { v: { from: long, keep: [] } } }, 'E_INVALID_FROM'],
  ['a long keep', { ...base, make: { v: { from: ['allpv'], keep: long } } }, 'E_UNKNOWN_COLUMN'],
  ['a long sort', { ...base, make: { v: { ...view, sort: long } } }, 'E_INVALID_SORT'],
  ['a long use', { ...base, result: { use: long } }, 'E_UNKNOWN_VIEW'],
  ['a long time zone', { ...base, time: { ...base.time, tz: long } }, 'E_INVALID_TZ'],
  ['a long time', { ...base, time: { ...base.time, start: long } }, 'E_INVALID_TIME_RANGE'],
  ['a long filter value', { ...base, make: { v: { ...view, filter: { pv: long } } } }, 'E_FILTER_INVALID'],
  [
    'a long operator',
    { ...base, make: { v: { ...view, filter: { pv: { [long]: 1 } } } } },
    'E_FILTER_INVALID',
  ],
  ['long repairs', { ...base, make: { v: { from: 'allpv', keep: [long] } } }, 'E_INVALID_FROM'],
  [
    'too many repairs',
    { ...base, make: { v: { from: ['allpv'], keep: Array(250).fill('url') } } },
    'E_UNKNOWN_COLUMN',
  ],
  [
    'too many repairs of values',
    { ...base, make: { v: { ...view, filter: { url: Array(250).fill(1) } } } },
    'E_FILTER_INVALID',
  ],
  ['a view that reads from itself', { ...base, make: { v: { from: 'v', keep: ['url'] } } }, 'E_INVALID_FROM'],
  ['a long key next to qal', { qal: base, [long]: 1 }, 'E_UNKNOWN_FIELD'],
  ['a long repeated key', `{"${long}": 1, "${long}": 2}`, 'E_INVALID_JSON'],
  ['a long site', { ...base, tracking_id: 'x'.repeat(240_000) }, 'E_UNKNOWN_TRACKING_ID'],
  [
    'calcs with unknown functions',
    { ...base, make: { v: { ...view, calc: many(9_000, 'SUMM(x.y)') } } },
    'E_QUERY_TOO_LARGE',
  ],
])('%s', async (_name, query, code) => {
  const document = readDocument(typeof query === 'string' ? query : JSON.stringify(query));
  const error: unknown = await runWhole(document, opened.context).catch((thrown) => thrown);
  const { faults } = await checkQuery(document, opened.context);
  expect(faults[0]).toMatchObject({ code });
  expect(faults.length).toBeLessThanOrEqual(2 * (MAX_FAULTS + 1));
  expect(error).toMatchObject({ code });
  const { at = '', message, hint = '' } = error as { at?: string; message: string; hint?: string };
  expect((at + message + hint).length).toBeLessThan(3_000);
});

test('a query with the maximum number of values is answered', async () => {
  const { columns } = opened.context.manifest.materials.get('allpv') ?? {};
  const numbers = [...(columns?.values() ?? [])].filter(({ type }) => type === 'id' || type === 'int');
  const values = Array.from({ length: 1_000 }, (_, i) => i);
  const filter = Object.fromEntries(numbers.map(({ name }) => [name, values]));
  const query = { ...base, make: { v: { ...view, filter } } };
  await expect(runWhole(readDocument(JSON.stringify(query)), opened.context)).resolves.toMatchObject({
    columns: ['url'],
  });
});
