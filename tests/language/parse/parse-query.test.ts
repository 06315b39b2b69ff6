import { parseQuery } from '../../../extension/language/parse/parse-query';
import { readDocument } from '../../../extension/language/parse/read-document';
import { finish } from '../../../extension/language/types/steps';
import { bodyOf, CATALOGUE } from '../understood';

const parsed = (body: string) => finish(parseQuery(readDocument(body), CATALOGUE));
const viewOf = (view: object) => parsed(bodyOf(view)).requested.views[0];

test('missing keys have defaults', () => {
  expect(parsed(bodyOf({}))).toMatchObject({
    fault: null,
    requested: {
      trackingId: 'shop',
      materials: ['allpv'],
      views: [{ name: 'v', from: 'allpv', filter: [], join: null, calc: [], sort: null }],
      result: { use: 'v', limit: CATALOGUE.contract.rules.limits.default_rows, countOnly: false },
    },
  });
});

test('names are not looked up', () => {
  expect(viewOf({ from: ['nothing'], keep: ['nothing.at_all'] })).toMatchObject({
    from: 'nothing',
    keep: [{ prefix: 'nothing', column: 'at_all' }],
  });
});

test('the name of an event may contain dots', () => {
  expect(viewOf({ keep: ['events.buy.pv_id'] })).toMatchObject({
    keep: [{ prefix: 'events.buy', column: 'pv_id' }],
  });
});

test.each<[string, unknown, object[]]>([
  ['a value means eq', 1, [{ operator: 'eq', value: 1 }]],
  ['null means eq null', null, [{ operator: 'eq', value: null }]],
  ['a list means in', [1, 2], [{ operator: 'in', values: [1, 2] }]],
  ['between has two ends', { between: [1, 2] }, [{ operator: 'between', low: 1, high: 2 }]],
  [
    'several operators are several conditions',
    { gte: 1, neq: 5 },
    [
      { operator: 'gte', value: 1 },
      { operator: 'neq', value: 5 },
    ],
  ],
])('in a filter, %s', (_name, condition, tests) => {
  expect(viewOf({ filter: { pv: condition } })?.filter).toMatchObject(
    tests.map((test) => ({ column: 'pv', ...test })),
  );
});

test('clauses and calcs keep the order in which they are written', () => {
  const body = bodyOf({}).replace(
    '"from"',
    '"calc":{"n":"count( allpv.pv_id )","2026":"Max(allpv.pv)"},"filter":{"pv":1},"from"',
  );
  expect(parsed(body).requested.views[0]).toMatchObject({
    clauses: ['calc', 'filter', 'keep'],
    calc: [
      { name: 'n', value: { value: { function: 'COUNT' } } },
      { name: '2026', value: { value: { function: 'MAX' } } },
    ],
  });
});

test('a join keeps rows without a match by default', () => {
  const join = { with: 'click_event', on: [{ left: 'allpv.pv_id', right: 'click_event.pv_id' }] };
  expect(viewOf({ join })?.join).toMatchObject({ mode: 'keep-left', fill: null });
  expect(viewOf({ join: { ...join, 'if not match': 'drop' } })?.join).toMatchObject({ mode: 'drop' });
});

test('with count_only, even an invalid limit is ignored', () => {
  const body = bodyOf({}, { result: { use: 'v', count_only: true, limit: 'many' } });
  expect(parsed(body)).toMatchObject({ fault: null, requested: { result: { countOnly: true } } });
});

test('repairs that are certain are applied, and the error in the original is returned', () => {
  const { requested, fault } = parsed(bodyOf({ from: 'allpv', sort: 'pv_id desc' }));
  expect(requested.views[0]).toMatchObject({
    from: 'allpv',
    sort: { keys: [{ by: 'pv_id', order: 'desc' }], top: null, per: [] },
  });
  expect(fault).toMatchObject({ code: 'E_INVALID_FROM', at: 'make.v.from' });
});

test('the first error in document order is thrown if a repair is uncertain', () => {
  const body = bodyOf({ from: 'allpv', sort: 'pv_id' });
  expect(() => parsed(body)).toThrow(expect.objectContaining({ code: 'E_INVALID_FROM' }));
});

test('errors are reported in a fixed order of sections, after unknown keys', () => {
  const firstErrorAt = (sent: object) => {
    try {
      return parsed(JSON.stringify(sent)).fault?.at;
    } catch (error) {
      return Object(error).at;
    }
  };
  expect(firstErrorAt({ result: 1, make: 1, time: 1, materials: 1 })).toBe('tracking_id');
  expect(firstErrorAt({ result: 1, make: 1, tracking_id: 'x', materials: 1 })).toBe('materials');
  expect(firstErrorAt({ result: 1, make: 1, versoin: 1 })).toBe('versoin');
});
