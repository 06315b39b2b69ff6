// Plans for funnels: which chains of views are counted in order, and which steps share their rows.
import { duckdb } from '../../../extension/language/sql/dialects/duckdb';
import { nodesOf, planned, type Question, shape } from './planned';

const PASS = 'steps-in-order';

const VISIT = 'session_id';
const joined = (view: string, mode = 'keep-left') => ({
  with: view,
  on: [{ left: `allpv.${VISIT}`, right: `${view}.${VISIT}` }],
  'if not match': mode,
});
const matching = (filter: object, at: string) => ({
  from: ['allpv'],
  filter,
  keep: [`allpv.${VISIT}`, `allpv.${at}`],
});

/** A funnel with a step for each filter. */
function funnel(
  filters: readonly object[],
  { operator = 'gt', mode = 'keep-left', at = 'pv', after = (step: number) => step } = {},
): Question {
  const later = filters.slice(1).map((_filter, index) => {
    const [previous, name] = [`step_${index + 1}`, `step_${index + 2}`];
    const positions = Array.from({ length: index + 1 }, (_unused, step) => `at_${step + 1}`);
    const pairs = `pairs_${index + 2}`;
    return {
      [pairs]: {
        from: [previous],
        join: joined(`views_${index + 2}`, mode),
        keep: [VISIT, ...positions]
          .map((column) => `${previous}.${column}`)
          .concat(`views_${index + 2}.${at}`),
      },
      [name]: {
        from: [pairs],
        keep: [`${pairs}.${VISIT}`],
        calc: {
          ...Object.fromEntries(positions.map((position) => [position, `MIN(${pairs}.${position})`])),
          [`at_${index + 2}`]: {
            of: `MIN(${pairs}.${at})`,
            filter: { [at]: { [operator]: { column: `at_${after(index + 1)}` } } },
          },
        },
      },
    };
  });
  const last = `step_${filters.length}`;
  return {
    earlier: {
      ...Object.fromEntries(filters.map((filter, index) => [`views_${index + 1}`, matching(filter, at)])),
      step_1: { from: ['views_1'], keep: [`views_1.${VISIT}`], calc: { at_1: `MIN(views_1.${at})` } },
      ...Object.assign({}, ...later),
    },
    view: {
      from: [last],
      keep: [],
      calc: Object.fromEntries(
        filters.map((_filter, index) => [`n_${index}`, `COUNT(${last}.at_${index + 1})`]),
      ),
    },
  };
}

const PAGE = { url: { contains: 'a' } };
const SHARED = 'limit order group extend steps filter extend scan';

test.each([
  ['pages', [PAGE, { url: { prefix: 'b' } }], SHARED],
  ['eight steps', Array.from({ length: 8 }, () => PAGE), SHARED],
  ['several text columns of a page', [PAGE, { url_path: { eq: '/b' }, title: { in: ['c', 'd'] } }], SHARED],
  [
    'a condition that a missing value meets',
    [PAGE, { url: { not_contains: 'b' } }],
    'limit order group extend steps (filter extend scan) (extend extend filter extend scan)',
  ],
  [
    'a condition on a number',
    [PAGE, { pv: { gte: 2 } }],
    'limit order group extend steps (filter extend scan) (extend extend filter extend scan)',
  ],
  [
    'text columns of two pages',
    [PAGE, { url: { prefix: 'b' }, prev_url: { prefix: 'c' } }],
    'limit order group extend steps (filter extend scan) (extend extend filter extend scan)',
  ],
  [
    'a first step that does not share its rows',
    [{ pv: { gte: 2 } }, PAGE],
    'limit order group extend steps (filter extend join (scan) (group extend filter extend scan)) (extend extend filter extend scan)',
  ],
  [
    'pages and countries',
    [PAGE, { country_code: { eq: 'DE' } }, { url: { contains: 'b' } }],
    'limit order group extend steps (filter extend scan) (filter extend scan)',
  ],
])('%s', (_name, filters, expected) => expect(shape(funnel(filters), [PASS])).toBe(expected));

test('each step has its own bit, and dimension rows are tested once', () => {
  const { root, sql } = planned(funnel([PAGE, { country_code: 'DE' }, { url: { suffix: 'b' } }]), [PASS]);
  const bits = nodesOf(root).flatMap((node) =>
    node.kind === 'extend'
      ? node.columns.flatMap(({ value }) =>
          value.kind === 'passed-tests' ? [value.tests.map((it) => it.bits)] : [],
        )
      : [],
  );
  expect(bits).toEqual([[1, 4], [2]]);
  expect(sql(duckdb).match(/"analytics"."page" as/g)).toHaveLength(1);
});

test.each([
  ['a view may be counted for two steps', funnel([PAGE, PAGE], { operator: 'gte' })],
  ['visits without a step are dropped', funnel([PAGE, PAGE], { mode: 'drop' })],
  ['a single step', funnel([PAGE])],
  ['steps ordered by a different column', funnel([PAGE, PAGE], { at: 'browse_sec' })],
  ['a step that only has to follow the first one', funnel([PAGE, PAGE, PAGE], { after: () => 1 })],
])('joins remain: %s', (_name, question) => {
  const { root, did } = planned(question, [PASS]);
  expect(did).toBe('nothing');
  expect(nodesOf(root).map(({ kind }) => kind)).not.toContain('steps');
});

test('visits that take the first step may be counted as groups', () => {
  const question = funnel([PAGE, PAGE]);
  const counts = { visits: `COUNT(step_2.${VISIT})`, both: 'COUNT(step_2.at_2)' };
  expect(planned({ ...question, view: { ...question.view, calc: counts } }, [PASS]).did).toBe('fired');
});
