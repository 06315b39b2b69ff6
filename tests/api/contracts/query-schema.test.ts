// The JSON Schema for queries agrees with the parser, according to a validator that shares no code with the parser.
import { join } from 'node:path';
import { installedContracts } from '../../../extension/api/contracts/choose-contract';
import { queryJsonSchema } from '../../../extension/api/schemas/query-json-schema';
import { querySchema } from '../../../extension/language/parse/query-schema';
import type { Contract } from '../../../extension/language/types/contract';
import { loadManifest } from '../../../manifests/reader/manifest';
import { readCases } from '../../language/case-file';
import { schemaCheck } from '../../support/json-schema';

const contracts = installedContracts(loadManifest());
const head = contracts.at(-1) as Contract;

function parsed(body: string): unknown {
  try {
    const value: unknown = JSON.parse(body);
    return Object(value).qal ?? value;
  } catch {
    return undefined;
  }
}

const cases = readCases(join(__dirname, '..', '..', 'language', 'cases'))
  .map((it) => ({ ...it, query: parsed(it.body) }))
  .filter(({ query }) => query !== undefined);

const headFaults = schemaCheck(queryJsonSchema(head));
const faultsOf = (query: unknown, contract = head) =>
  contract === head ? headFaults(query) : schemaCheck(queryJsonSchema(contract))(query);

/** Queries that the parser rejects but a JSON Schema accepts, because a schema cannot match parentheses. */
const BEYOND_SCHEMAS = ['errors/views: an unclosed parenthesis'];

describe('the case files', () => {
  test('every query that succeeds is valid', () => {
    const accepted = cases.filter(({ error }) => error === undefined);
    expect(accepted.length).toBeGreaterThan(100);
    expect(
      accepted.flatMap(({ topic, title, query }) => faultsOf(query).map((it) => `${topic}: ${title}: ${it}`)),
    ).toEqual([]);
  });

  test('every query whose shape the parser rejects is invalid', () => {
    const schema = querySchema(head);
    const refused = cases.filter(
      ({ error, query }) => error !== undefined && !schema.safeParse(query).success,
    );
    expect(refused.length).toBeGreaterThan(50);
    const passed = refused.filter(({ query }) => faultsOf(query).length === 0);
    expect(passed.map(({ topic, title }) => `${topic}: ${title}`)).toEqual(BEYOND_SCHEMAS);
  });
});

const query = {
  tracking_id: 'shop',
  materials: [{ name: 'allpv' }],
  time: { start: '2026-05-01T00:00:00', end: '2026-06-01T00:00:00', tz: 'Asia/Tokyo' },
  make: { v: { from: ['allpv'], keep: ['allpv.pv_id'] } },
  result: { use: 'v' },
};
const withView = (view: object) => ({ ...query, make: { v: { ...query.make.v, ...view } } });
const withTime = (time: object) => ({ ...query, time: { ...query.time, ...time } });

test('the plain query is valid under every contract', () => {
  for (const contract of contracts) expect(faultsOf(query, contract)).toEqual([]);
});

const LIMITS = head.rules.limits;

test.each([
  ['an unknown function', withView({ calc: { n: 'VARIANCE(allpv.pv_id)' } })],
  ['a percentage above 100', withView({ calc: { n: 'PERCENTILE(allpv.pv_id, 100.1)' } })],
  ['a function without a column', withView({ calc: { n: 'COUNT(*)' } })],
  ['a string after the expression', withView({ calc: { n: 'COUNT(allpv.pv_id) x' } })],
  ['an empty calc', withView({ calc: {} })],
  ['a calc with a filter but no expression', withView({ calc: { n: { filter: { pv: 1 } } } })],
  [
    'a calc with an additional key',
    withView({ calc: { n: { of: 'COUNT(allpv.pv_id)', filter: {}, sort: {} } } }),
  ],
  ['no columns', withView({ keep: [] })],
  ['too many columns', withView({ keep: Array(LIMITS.max_columns + 1).fill('allpv.url') })],
  ['a filter without an operator', withView({ filter: { url: {} } })],
  ['an unknown operator', withView({ filter: { url: { like: 'a' } } })],
  ['too many values', withView({ filter: { pv_id: Array(LIMITS.max_list_values + 1).fill(1) } })],
  [
    'too many values for in',
    withView({ filter: { pv_id: { in: Array(LIMITS.max_list_values + 1).fill(1) } } }),
  ],
  ['a range with three values', withView({ filter: { pv_id: { between: [1, 2, 3] } } })],
  ['a string for from', withView({ from: 'allpv' })],
  ['a list as sort', withView({ sort: ['pv_id'] })],
  ['an unknown order', withView({ sort: { by: 'pv_id', order: 'up' } })],
  ['an unknown clause', withView({ group: ['allpv.url'] })],
  ['a date without a time', withTime({ start: '2026-05-01' })],
  ['31 June', withTime({ start: '2026-06-31T00:00:00' })],
  ['an offset', withTime({ start: '2026-05-01T00:00:00Z' })],
  ['hour 24', withTime({ start: '2026-05-01T24:00:00' })],
  ['an abbreviation as the zone', withTime({ tz: 'JST' })],
  ['no zone', { ...query, time: { start: query.time.start, end: query.time.end } }],
  ['a number as the site', { ...query, tracking_id: 7 }],
  ['a site with a space', { ...query, tracking_id: 'a b' }],
  ['no materials', { ...query, materials: [] }],
  ['no views', { ...query, make: {} }],
  [
    'too many views',
    {
      ...query,
      make: Object.fromEntries(
        Array.from({ length: LIMITS.max_views + 1 }, (_, i) => [`v${i}`, query.make.v]),
      ),
    },
  ],
  ['a view with a space', { ...query, make: { 'a b': query.make.v } }],
  ['limit 0', { ...query, result: { use: 'v', limit: 0 } }],
  ['a limit over the maximum', { ...query, result: { use: 'v', limit: LIMITS.max_rows + 1 } }],
  ['sort in result', { ...query, result: { use: 'v', sort: 'pv_id' } }],
  ['the version in the body', { ...query, version: '2026-05-11' }],
])('invalid: %s', (_name, wrong) => {
  expect(faultsOf(wrong)).not.toEqual([]);
});

test.each([
  [
    'functions in any letter case',
    withView({ calc: { n: ' count ( allpv.pv_id ) ', m: 'CountUnique(allpv.url)' } }),
  ],
  ['operations', withView({ calc: { m: '-(COUNT(allpv.pv)+2.5)*3 / (1 - SUM(allpv.pv))' } })],
  ['percentiles', withView({ calc: { m: 'median(allpv.pv)', p: 'Percentile( allpv.pv , 99.9 )' } })],
  [
    'a calc with a filter',
    withView({ calc: { n: { of: 'COUNT(allpv.pv_id)', filter: { any: [{ pv: 1 }] } } } }),
  ],
  ['lists of filters', withView({ filter: { any: [{ none: [{ any: [{ pv: { gt: 1 } }] }] }], none: [{}] } })],
  ['a calc without other columns', withView({ keep: [], calc: { n: 'COUNT(allpv.pv_id)' } })],
  ['any limit with count_only', { ...query, result: { use: 'v', limit: 0, count_only: true } }],
  ['a leap day', withTime({ start: '2024-02-29T00:00:00' })],
  ['an event as a material', withView({ from: ['events.buy'], keep: ['events.buy.pv_id'] })],
])('valid: %s', (_name, right) => {
  expect(faultsOf(right)).toEqual([]);
});

test("a schema with the server's time zones accepts no others", () => {
  const faults = schemaCheck(queryJsonSchema(head, new Set(['UTC', 'Asia/Tokyo'])));
  expect(faults(query)).toEqual([]);
  expect(faults(withTime({ tz: 'Europe/Atlantis' }))).toEqual([
    '#: Property "time" does not match schema.',
    '#/time: Property "tz" does not match schema.',
    '#/time/tz: Instance does not match any of ["UTC","Asia/Tokyo"].',
  ]);
});

test('every key is described', () => {
  const undescribed: string[] = [];
  JSON.stringify(queryJsonSchema(head), (key, value) => {
    if (key === 'else') return undefined;
    if (key !== 'properties') return value;
    for (const [name, schema] of Object.entries(value)) {
      if (Object(schema).type !== undefined && Object(schema).description === undefined)
        undescribed.push(name);
    }
    return value;
  });
  expect(undescribed).toEqual([]);
});

test('a clause whose feature is off is not in the schema', () => {
  const features = new Map([...head.rules.features].filter(([name]) => name !== 'sort'));
  const without: Contract = { ...head, rules: { ...head.rules, features } };
  const sorted = withView({ sort: { by: 'pv_id', order: 'asc' } });
  expect(faultsOf(sorted)).toEqual([]);
  expect(faultsOf(sorted, without)).toEqual([
    '#: Property "make" does not match schema.',
    '#/make: Property "v" does not match additional properties schema.',
    '#/make/v: Property "sort" does not match additional properties schema.',
    '#/make/v/sort: False boolean schema.',
  ]);
});
