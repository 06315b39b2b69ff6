// All repairs that are certain are applied in a single pass, and the rest of the query does not change.
import { normalizeQuery } from '../../../extension/language/parse/normalize-query';
import { bodyOf, CATALOGUE } from '../understood';

const normalized = (body: string) => normalizeQuery(JSON.parse(body), CATALOGUE);
const view = (changes: object) => normalized(bodyOf(changes)).make;
const expected = (changes: object) => JSON.parse(bodyOf(changes)).make;

test.each<[string, object, object]>([
  [
    'strings instead of lists',
    { from: 'allpv', keep: 'allpv.url' },
    { from: ['allpv'], keep: ['allpv.url'] },
  ],
  ['columns without their source', { keep: ['url', 'title'] }, { keep: ['allpv.url', 'allpv.title'] }],
  [
    'functions in keep, in their order',
    { keep: ['allpv.url', 'SUM(pv)', 'AVG(allpv.pv)'] },
    { keep: ['allpv.url'], calc: { sum_allpv_pv: 'SUM(allpv.pv)', average_allpv_pv: 'AVERAGE(allpv.pv)' } },
  ],
  ['calcs as objects', { calc: { n: { count: '*' } } }, { calc: { n: 'COUNT(allpv.pv_id)' } }],
  [
    'operators from other languages',
    { filter: { pv: { $gte: 1, '<': 5 }, title: { is_not_null: true }, url: { in: '/a' } } },
    { filter: { pv: { gte: 1, lt: 5 }, title: { neq: null }, url: { in: ['/a'] } } },
  ],
  ['a sort in a list', { sort: [{ by: 'pv_id', order: 'DESC' }] }, { sort: { by: 'pv_id', order: 'desc' } }],
  [
    'a join with SQL keywords',
    { join: [{ with: 'click_event', 'if not match': 'left outer', using: 'pv_id' }] },
    {
      join: {
        with: 'click_event',
        'if not match': 'keep-left',
        on: [{ left: 'allpv.pv_id', right: 'click_event.pv_id' }],
      },
    },
  ],
])('%s', (_name, sent, corrected) => {
  expect(view(sent)).toEqual(expected(corrected));
});

test('keys are renamed, and their values are repaired', () => {
  const sent = JSON.parse(bodyOf({}));
  const { make, ...others } = sent;
  const renamed = { ...others, views: { v: { select: ['pv_id'], where: { pv: 1 }, from: 'allpv' } } };
  expect(normalized(JSON.stringify(renamed))).toEqual({ ...sent, make: expected({ filter: { pv: 1 } }) });
});

test('a misplaced key is moved to the right object', () => {
  const sent = bodyOf({}, { result: { use: 'v', order_by: 'pv_id asc' } });
  expect(normalized(sent)).toEqual(
    JSON.parse(bodyOf({ sort: { by: 'pv_id', order: 'asc' } }, { result: { use: 'v' } })),
  );
});

test.each<[string, object]>([
  ['a sort without an order', { sort: 'pv_id' }],
  ['a string with separators', { filter: { url: { in: '/a,/b' } } }],
  ['a pattern', { filter: { url: { like: '/a%' } } }],
  ['a key from another product', { metrics: { n: 'COUNT(allpv.pv_id)' } }],
  ['an operator in two notations', { filter: { pv: { gt: 1, '>': 2 } } }],
])('%s does not change', (_name, sent) => {
  expect(view(sent)).toEqual(expected(sent));
});
