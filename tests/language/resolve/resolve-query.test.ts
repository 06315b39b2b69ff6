// Names are bound to the catalog, and to the goals and events of the site, without a database.
import { parseQuery } from '../../../extension/language/parse/parse-query';
import { readDocument } from '../../../extension/language/parse/read-document';
import { resolveQuery } from '../../../extension/language/resolve/resolve-query';
import type { Scope } from '../../../extension/language/types/resolved-query';
import { finish } from '../../../extension/language/types/steps';
import { ALL, bodyOf, CATALOGUE, SHOP } from '../understood';

const resolution = (body: string, scope: Scope = SHOP) =>
  finish(resolveQuery(finish(parseQuery(readDocument(body), CATALOGUE)).requested, scope, CATALOGUE));
const viewOf = (view: object, changes: object = {}) => resolution(bodyOf(view, changes)).resolved.use;
const listed = (...names: string[]) => ({ materials: names.map((name) => ({ name })) });

test('columns have a type, and may be nullable', () => {
  expect(viewOf({ keep: ['allpv.pv_id', 'allpv.title', 'allpv.is_last'] }).output).toMatchObject([
    { name: 'pv_id', type: 'id', nullable: false, isKey: true },
    { name: 'title', type: 'text', nullable: true, isKey: false },
    { name: 'is_last', type: 'flag', nullable: false },
  ]);
});

test('calcs have the type of their result, and all except counts and sums are nullable', () => {
  const calc = {
    count: 'COUNT(allpv.url)',
    sum: 'SUM(allpv.is_last)',
    mean: 'AVERAGE(allpv.pv)',
    last: 'MAX(allpv.access_time)',
  };
  expect(viewOf({ keep: [], calc }).output).toMatchObject([
    { name: 'count', type: 'int', nullable: false },
    { name: 'sum', type: 'int', nullable: false },
    { name: 'mean', type: 'num', nullable: true },
    { name: 'last', type: 'datetime', nullable: true },
  ]);
});

test("times are read in the query's zone", () => {
  const { resolved } = resolution(bodyOf({ filter: { access_time: { gte: '2026-05-01T09:00:00' } } }));
  expect(resolved.range.start).toBe(Date.parse('2026-05-01T00:00:00+09:00') / 1000);
  const value = Date.parse('2026-05-01T09:00:00+09:00') / 1000;
  expect(resolved.use.filter).toMatchObject([{ test: { operator: 'gte', value } }]);
});

test('a view can refer to the output of an earlier view by the name of that view or of its material', () => {
  const make = {
    a: { from: ['allpv'], keep: ['allpv.url'], calc: { n: 'COUNT(allpv.pv_id)' } },
    v: { from: ['a'], keep: ['a.n', 'allpv.url'] },
  };
  expect(viewOf({}, { make })).toMatchObject({
    material: 'allpv',
    source: { kind: 'view', view: 'a' },
    keep: [{ name: 'n', origin: { kind: 'output', view: 'a' } }, { name: 'url' }],
  });
});

test('a joined column is nullable, no matter what its material declares', () => {
  const join = { with: 'click_event', on: [{ left: 'allpv.pv_id', right: 'click_event.pv_id' }] };
  const view = { keep: ['allpv.pv_id', 'click_event.event_sec'], join };
  expect(viewOf(view, listed('allpv', 'click_event'))).toMatchObject({
    reads: 2,
    keep: [{ side: 'from' }, { name: 'event_sec', side: 'with', nullable: true }],
  });
});

test('goals and events are materials of the site, and select their rows from their family', () => {
  const goal = viewOf({ from: ['goal_2'], keep: ['goal_2.pv_id'] }, listed('goal_2'));
  expect(goal.source).toMatchObject({ rows: 'goal_N', only: [{ test: { operator: 'eq', value: 2 } }] });
  const event = viewOf(
    { from: ['events.purchase'], keep: ['events.purchase.value'] },
    listed('events.purchase'),
  );
  expect(event.output).toMatchObject([{ name: 'value', type: 'num' }]);
});

test('materials for a single site are rejected in a query on all sites', () => {
  const body = bodyOf({ from: ['gsc'], keep: ['gsc.url'] }, listed('gsc'));
  expect(() => resolution(body, ALL)).toThrow(
    expect.objectContaining({ code: 'E_UNKNOWN_MATERIAL', at: 'materials[0].name' }),
  );
});

test('parts whose repair is certain are bound as repaired, and their errors are in document order', () => {
  const view = {
    keep: ['allpv.country'],
    filter: { 'allpv.pv': '2', device_type: 'mobile' },
    calc: { n: 'COUNT(allpv.country)' },
    sort: { by: 'country', order: 'asc' },
  };
  const { resolved, faults } = resolution(bodyOf(view));
  expect(faults.map(({ at }) => at)).toEqual([
    'make.v.keep[0]',
    'make.v.filter.allpv.pv',
    'make.v.filter.allpv.pv',
    'make.v.filter.device_type',
    'make.v.calc.n',
    'make.v.sort.by',
  ]);
  expect(resolved.use).toMatchObject({
    keep: [{ name: 'country_code' }],
    filter: [
      { column: { name: 'pv' }, test: { operator: 'eq', value: 2 } },
      { column: { name: 'device_type' }, test: { operator: 'eq', value: 'SP' } },
    ],
    sort: { keys: [{ by: { name: 'country_code' } }] },
  });
});

test('the first error is thrown if any repair is uncertain', () => {
  const body = bodyOf({ keep: ['allpv.country', 'allpv.titel'] });
  expect(() => resolution(body)).toThrow(expect.objectContaining({ at: 'make.v.keep[0]' }));
});

test('a material that the query does not list is still resolved', () => {
  const { resolved, faults } = resolution(bodyOf({}, listed('gsc')));
  expect(resolved.use.material).toBe('allpv');
  expect(faults).toMatchObject([{ code: 'E_UNKNOWN_MATERIAL', at: 'make.v.from[0]' }]);
});
