// How groups and counts are planned: numbers of rows, groups of groups, different values, and joins that only count.
import { PASSES } from '../../../extension/qal/plan/plan-query';
import { kinds, nodesOf, planned, type Question } from './planned';

const ALL = PASSES.map(({ name }) => name);
const ask = (question: Question, passes: readonly string[]) =>
  planned({ sites: [null], ...question }, passes);
/** The kinds of the nodes from the top down. */
const shape = (question: Question, passes: readonly string[]): string => kinds(ask(question, passes).root);

const grouped = (keep: readonly string[], calc: string | object = 'COUNT(allpv.pv_id)') => ({
  from: ['allpv'],
  keep: keep.map((name) => `allpv.${name}`),
  calc: typeof calc === 'string' ? { n: calc } : calc,
});
const VISITS = 'COUNTUNIQUE(allpv.session_id)';
const VISITORS = 'COUNTUNIQUE(allpv.reader_id)';

describe('the number of rows', () => {
  const rows = { from: ['allpv'], keep: ['allpv.url'] };
  const sorted = (top: number) => ({ ...rows, sort: { by: 'url', order: 'asc', top } });

  test.each([
    ['rows', rows, 'group extend scan'],
    ['groups', grouped(['url'], VISITS), 'group extend group extend scan'],
    ['groups by a text of several ids', grouped(['title']), 'group group extend group extend scan'],
    ['a total is one row', grouped([]), 'group group extend scan'],
    ['a small top: no more rows are read than that', sorted(10), 'group limit extend scan'],
    ['a great top bounds the number alone', sorted(10_001), 'group extend scan'],
    [
      'joined rows, when each left row stays once',
      {
        ...{ from: ['click_event'], keep: ['click_event.pv_id'] },
        join: { with: 'allpv', on: [{ left: 'click_event.pv_id', right: 'allpv.pv_id' }] },
      },
      'group extend scan',
    ],
  ])('%s', (_name, view, expected) => expect(shape({ view, countOnly: true }, ALL)).toBe(expected));

  test('of groups computes nothing of them', () => {
    const { root } = ask({ view: grouped(['title'], VISITS), countOnly: true }, ALL);
    const groups = nodesOf(root).flatMap((node) => (node.kind === 'group' ? [node] : []));
    expect(groups.map(({ aggregates }) => aggregates.length)).toEqual([1, 0, 0]);
  });
});

describe('merge-groups', () => {
  const pass = 'merge-groups';
  const summary = (keep: readonly string[], calc: string, more: object = {}) => ({
    view: {
      from: ['summary_allpage'],
      keep: keep.map((name) => `summary_allpage.${name}`),
      calc: { n: `${calc.replace('(', '(summary_allpage.')}` },
      ...more,
    },
  });
  const chained = (calc: string, keep: readonly string[] = ['first.device_type']) => ({
    earlier: { first: grouped(['url', 'device_type'], { n: 'COUNT(allpv.pv_id)', most: 'MAX(allpv.pv)' }) },
    view: { from: ['first'], keep, calc: { n: calc } },
  });
  const one = 'limit order group extend extend extend scan';
  const two = 'limit order group extend group extend extend scan';

  test.each([
    ['a summary that is added up', summary(['url'], 'SUM(pv_count)'), one],
    [
      'of some classes',
      summary(['url'], 'SUM(pv_count)', { filter: { device_type: 'PC' } }),
      'limit order group extend filter extend extend extend scan',
    ],
    ['the different values of a key', summary(['url'], 'COUNTUNIQUE(page_id)'), one],
    ['a sum of different values is another number', summary(['url'], 'SUM(user_count)'), two],
    ['a mean of groups is another number', summary(['url'], 'AVERAGE(pv_count)'), two],
    ['counts of a view', chained('SUM(first.n)'), 'limit order group extend scan'],
    ['the greatest of the greatest', chained('MAX(first.most)'), 'limit order group extend scan'],
    ['the greatest of counts', chained('MAX(first.n)'), 'limit order group group extend scan'],
    ['by what was counted', chained('SUM(first.n)', ['first.most']), 'limit order group group extend scan'],
  ])('%s', (_name, question, expected) => expect(shape(question, [pass])).toBe(expected));

  test('chosen by what was computed of them, they stay', () => {
    const question = summary(['url'], 'SUM(pv_count)', { filter: { pv_count: { gt: 1 } } });
    expect(ask(question, [pass]).because).toEqual([
      'The inner groups are chosen by what was computed of them.',
    ]);
  });

  test('the groups themselves may be counted', () =>
    expect(ask({ view: grouped(['url']), countOnly: true }, [pass]).because).toEqual([
      'The inner groups themselves are counted.',
    ]));
});

describe('groups of what became of groups', () => {
  const inner = { ...grouped(['url', 'page_id'], { n: 'COUNT(allpv.pv_id)' }) };
  const sums = { keep: ['first.url'], calc: { total: 'SUM(first.n)' } };
  const because = (view: object, first: object, pass: string) =>
    ask({ earlier: { first }, view }, [pass]).because;

  test('that are cut', () => {
    const cut = { ...inner, sort: { by: 'n', order: 'desc', top: 3 } };
    expect(because({ from: ['first'], ...sums }, cut, 'merge-groups')).toEqual([
      'The inner groups are cut before.',
    ]);
  });

  test('that are joined', () => {
    const join = { with: 'click_event', on: [{ left: 'allpv.page_id', right: 'click_event.page_id' }] };
    expect(because({ from: ['first'], ...sums, join }, inner, 'merge-groups')).toEqual([
      'The inner groups are joined before.',
    ]);
  });

  test('by the counted values already', () => {
    const both = { a: 'COUNTUNIQUE(first.url)', b: 'COUNTUNIQUE(first.page_id)' };
    expect(because({ from: ['first'], keep: [], calc: both }, inner, 'distinct-first')).toEqual([
      'The rows are grouped by the counted values already.',
    ]);
  });
});

describe('distinct-first', () => {
  const pass = 'distinct-first';
  const plain = 'limit order group extend scan';
  const twice = 'limit order group group extend scan';
  const beside = { a: VISITS, b: 'SUM(allpv.browse_sec)' };

  test.each([
    ['one value by one key of any kind', grouped(['page_id'], VISITS), twice],
    ['by several keys that differ from view to view', grouped(['page_id', 'pv', 'device_id'], VISITS), plain],
    ['by several keys of the visit', grouped(['source_id', 'country_code', 'device_id'], VISITS), twice],
    ['beside a sum, by a key that differs', grouped(['page_id'], beside), plain],
    ['beside a sum, by a key of the visit', grouped(['source_id'], beside), twice],
    ['several values of a visit', grouped(['source_id'], { a: VISITS, b: VISITORS }), twice],
    ['several values by a page', grouped(['page_id'], { a: VISITS, b: VISITORS }), plain],
    ['different views are views', grouped(['page_id'], 'COUNTUNIQUE(allpv.pv_id)'), plain],
  ])('%s', (_name, view, expected) => expect(shape({ view }, [pass])).toBe(expected));

  test('what no two rows share is counted as it is', () =>
    expect(nodesOf(ask({ view: grouped([], 'COUNTUNIQUE(allpv.pv_id)') }, [pass]).root)).toContainEqual(
      expect.objectContaining({ aggregates: [expect.objectContaining({ function: 'COUNT' })] }),
    ));

  test('why not', () =>
    expect(ask({ view: grouped(['page_id'], { a: VISITS, b: VISITORS }) }, [pass]).because).toEqual([
      'There are about as many combinations of keys and counted values as rows.',
    ]));
});

describe('group-by-id', () => {
  const pass = 'group-by-id';
  const merged = 'limit order group extend group extend scan';

  test.each([
    ['different values by a text of the visit', grouped(['utm_source'], VISITS), merged],
    ['several of them', grouped(['utm_source', 'os'], { a: VISITS, b: VISITORS }), merged],
    ['a text of the view', grouped(['title'], VISITS), 'limit order group extend scan'],
    ['different texts', grouped(['is_newuser'], 'COUNTUNIQUE(allpv.title)'), merged],
    [
      'different texts by another text',
      grouped(['os'], 'COUNTUNIQUE(allpv.title)'),
      'limit order extend group extend group extend scan',
    ],
  ])('%s', (_name, view, expected) => expect(shape({ view }, [pass])).toBe(expected));

  test('their combinations are counted without being combined again', () => {
    const view = grouped(['utm_source'], { a: VISITS, b: VISITORS });
    expect(shape({ view }, [pass, 'distinct-first'])).toBe(merged);
  });

  test('a text of the rows that a join left is looked up late', () => {
    const view = {
      ...{ from: ['allpv'], keep: ['click_event.selector'], calc: { n: 'COUNT(click_event.event_sec)' } },
      join: {
        ...{ with: 'click_event', on: [{ left: 'allpv.pv_id', right: 'click_event.pv_id' }] },
        'if not match': 'drop',
      },
    };
    expect(shape({ view }, ['drop-unread-joins', pass])).toBe(
      'limit order extend group extend filter extend scan',
    );
  });

  test('why not', () =>
    expect(ask({ view: grouped(['title'], VISITS) }, [pass]).because).toEqual([
      'Ids share texts, and by all ids and counted values there are about as many groups as rows.',
    ]));

  test('why not for different texts', () =>
    expect(
      ask({ view: grouped(['pv'], { a: 'COUNTUNIQUE(allpv.title)', b: VISITS }) }, [pass]).because,
    ).toEqual(['By all ids and counted values there are about as many groups as rows.']));
});

describe('joins of which both sides are counted', () => {
  const passes = ['aggregate-before-join', 'group-by-id', 'ungroup-single-rows'];
  const view = (key: string, keep: string, calc: string, mode = 'drop') => ({
    ...{ from: ['allpv'], keep: [keep], calc: { n: calc } },
    join: {
      ...{ with: 'click_event', on: [{ left: `allpv.${key}`, right: `click_event.${key}` }] },
      'if not match': mode,
    },
  });
  const sides = 'join (extend group extend scan) (group extend scan)';

  test.each([
    [
      'by the key itself: a row of both is a group of its own',
      view('page_id', 'allpv.url', 'COUNT(click_event.pv_id)'),
      `limit order extend extend extend ${sides}`,
    ],
    [
      'by another column',
      view('page_id', 'allpv.device_id', 'COUNT(click_event.pv_id)'),
      'limit order group extend join (group extend scan) (group extend scan)',
    ],
    [
      'by visit: the views are joined one by one',
      view('session_id', 'allpv.device_id', 'COUNT(click_event.pv_id)'),
      'limit order group join (extend scan) (group extend scan)',
    ],
    [
      'what is summed of the views is summed first',
      view('session_id', 'allpv.device_id', 'SUM(allpv.browse_sec)'),
      'limit order group extend join (group extend scan) (group extend scan)',
    ],
  ])('%s', (_name, asked, expected) => expect(shape({ view: asked }, passes)).toBe(expected));

  test('a view without a match counts once', () => {
    const asked = view('session_id', 'allpv.device_id', 'COUNT(allpv.pv_id)', 'keep-left');
    const [join] = nodesOf(ask({ view: asked }, passes).root).filter(({ kind }) => kind === 'join');
    expect(join).toMatchObject({ columns: [expect.objectContaining({ name: 'right.rows', fill: 1 })] });
  });
});

test.each([
  [
    'drop-unread-joins',
    {
      ...{ from: ['click_event'], keep: ['allpv.device_type'], calc: { n: 'COUNT(click_event.pv_id)' } },
      join: { with: 'allpv', on: [{ left: 'click_event.pv_id', right: 'allpv.pv_id' }] },
    },
    'The joined side is read, or a row may meet several of its rows.',
  ],
  [
    'aggregate-before-join',
    {
      ...{ from: ['allpv'], keep: ['allpv.device_id'], calc: { n: 'COUNT(click_event.event_sec)' } },
      join: { with: 'click_event', on: [{ left: 'allpv.pv_id', right: 'click_event.pv_id' }] },
    },
    'The rows of one side have keys of their own, so the join multiplies the rows of one side alone.',
  ],
  [
    'limit-before-lookups',
    { from: ['allpv'], keep: ['allpv.url'], sort: { by: 'url', order: 'asc' } },
    'A text by which rows are sorted must be known of all of them.',
  ],
])('%s says why it holds back', (pass, view, reason) =>
  expect(ask({ view }, [pass]).because).toContain(reason),
);
