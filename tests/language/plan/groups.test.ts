// Plans for groups and counts: row counts, groups of groups, groups by text, distinct values, and days.
import { PASSES } from '../../../extension/language/plan/plan-query';
import { grouped, nodesOf, planned, READERS, SESSIONS, shape } from './planned';

const ALL = PASSES.map(({ name }) => name);

test('a plan is frozen plain data', () => {
  const { root: plan } = planned({ view: grouped(['url']) }, ALL);
  expect(JSON.parse(JSON.stringify(plan))).toEqual(plan);
  expect(Object.isFrozen(plan)).toBe(true);
  expect(plan.kind === 'limit' && Object.isFrozen(plan.input)).toBe(true);
});

describe('counting rows', () => {
  const rows = { from: ['allpv'], keep: ['allpv.url'] };
  const sorted = (top: number) => ({ ...rows, sort: { by: 'url', order: 'asc', top } });

  test.each([
    ['rows', rows, 'group extend scan'],
    ['groups', grouped(['url'], SESSIONS), 'group extend group extend scan'],
    [
      'groups by a text column whose values several ids share',
      grouped(['title']),
      'group group extend group extend scan',
    ],
    ['a total, which is one row', grouped([]), 'group group extend scan'],
    ['a small top, which bounds the rows that are read', sorted(10), 'group limit extend scan'],
    ['a large top, which only bounds the count', sorted(10_001), 'group extend scan'],
    [
      'joined rows, if the join returns each left row exactly once',
      {
        from: ['click_event'],
        keep: ['click_event.pv_id'],
        join: { with: 'allpv', on: [{ left: 'click_event.pv_id', right: 'allpv.pv_id' }] },
      },
      'group extend scan',
    ],
  ])('%s', (_name, view, expected) => expect(shape({ view, countOnly: true }, ALL)).toBe(expected));

  test('skips the aggregates of groups', () => {
    const { root } = planned({ view: grouped(['title'], SESSIONS), countOnly: true }, ALL);
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
    ['sums over a summary', summary(['url'], 'SUM(pv_count)'), one],
    [
      'sums over a filtered summary',
      summary(['url'], 'SUM(pv_count)', { filter: { device_type: 'PC' } }),
      'limit order group extend filter extend extend extend scan',
    ],
    ['the distinct values of a key', summary(['url'], 'COUNTUNIQUE(page_id)'), one],
    ['a sum of distinct counts, which is not a distinct count', summary(['url'], 'SUM(user_count)'), two],
    [
      'an average over groups, which is not an average over rows',
      summary(['url'], 'AVERAGE(pv_count)'),
      two.replace('group', 'extend group'),
    ],
    ['the sum of counts', chained('SUM(first.n)'), 'limit order group extend scan'],
    ['the maximum of maxima', chained('MAX(first.most)'), 'limit order group extend scan'],
    ['the maximum of counts', chained('MAX(first.n)'), 'limit order group group extend scan'],
    [
      'grouped by an inner aggregate',
      chained('SUM(first.n)', ['first.most']),
      'limit order group group extend scan',
    ],
  ])('%s', (_name, question, expected) => expect(shape(question, [pass])).toBe(expected));

  test('groups filtered by their aggregates are not merged', () => {
    const question = summary(['url'], 'SUM(pv_count)', { filter: { pv_count: { gt: 1 } } });
    expect(planned(question, [pass]).because).toEqual(['A filter reads an aggregate of the inner groups.']);
  });

  test('groups that are counted are not merged', () =>
    expect(planned({ view: grouped(['url']), countOnly: true }, [pass]).because).toEqual([
      'The inner groups themselves are counted.',
    ]));
});

describe('groups of groups', () => {
  const inner = { ...grouped(['url', 'page_id'], { n: 'COUNT(allpv.pv_id)' }) };
  const sums = { keep: ['first.url'], calc: { total: 'SUM(first.n)' } };
  const because = (view: object, first: object, pass: string) =>
    planned({ earlier: { first }, view }, [pass]).because;

  test('are not merged if the inner groups are limited', () => {
    const limited = { ...inner, sort: { by: 'n', order: 'desc', top: 3 } };
    expect(because({ from: ['first'], ...sums }, limited, 'merge-groups')).toEqual([
      'The inner groups are limited first.',
    ]);
  });

  test('are not merged if the inner groups are joined', () => {
    const join = { with: 'click_event', on: [{ left: 'allpv.page_id', right: 'click_event.page_id' }] };
    expect(because({ from: ['first'], ...sums, join }, inner, 'merge-groups')).toEqual([
      'The inner groups are joined first.',
    ]);
  });

  test('are not grouped again by the counted values', () => {
    const both = { a: 'COUNTUNIQUE(first.url)', b: 'COUNTUNIQUE(first.page_id)' };
    expect(because({ from: ['first'], keep: [], calc: both }, inner, 'distinct-first')).toEqual([
      'The rows are already grouped by the counted values.',
    ]);
  });
});

describe('group-by-id', () => {
  const pass = 'group-by-id';
  const plain = 'limit order group extend scan';
  const late = 'limit order extend group extend scan';
  const merged = 'limit order group extend group extend scan';

  test.each([
    ['a text column that is one-to-one with its id', grouped(['allpv.url']), late],
    ['two text values for one id, one of them one-to-one', grouped(['allpv.url', 'allpv.title']), late],
    ['a text column whose values several ids share: groups are merged', grouped(['allpv.title']), merged],
    [
      'an average by a text column whose values several ids share: sum and count',
      grouped(['allpv.title'], 'AVERAGE(allpv.browse_sec)'),
      `limit order extend ${'group extend '.repeat(2)}scan`,
    ],
    [
      'distinct values by a text column whose values several ids share: cannot be merged',
      grouped(['allpv.title'], 'COUNTUNIQUE(allpv.reader_id)'),
      plain,
    ],
    ['no text column', grouped(['allpv.pv']), plain],
  ])('%s', (_name, view, expected) => expect(shape({ view }, [pass])).toBe(expected));

  test('text values from several sites are merged', () => {
    expect(shape({ view: grouped(['allpv.url']), sites: 2 }, [pass])).toBe(merged);
  });

  test('text values that all sites share do not have to be merged', () => {
    expect(shape({ view: grouped(['allpv.os']), sites: 2 }, [pass])).toBe(late);
  });

  test.each([
    ['distinct values by a session-constant text column', grouped(['utm_source'], SESSIONS), merged],
    ['several distinct counts', grouped(['utm_source', 'os'], { a: SESSIONS, b: READERS }), merged],
    ['a session-varying text column', grouped(['title'], SESSIONS), 'limit order group extend scan'],
    ['distinct text values', grouped(['is_newuser'], 'COUNTUNIQUE(allpv.title)'), merged],
    [
      'distinct text values by another text value',
      grouped(['os'], 'COUNTUNIQUE(allpv.title)'),
      'limit order extend group extend group extend scan',
    ],
  ])('%s', (_name, view, expected) => expect(shape({ view }, [pass])).toBe(expected));

  test('distinct-first does not group combinations of values that are already grouped', () => {
    const view = grouped(['utm_source'], { a: SESSIONS, b: READERS });
    expect(shape({ view }, [pass, 'distinct-first'])).toBe(merged);
  });

  test('text values are looked up late even if a join is dropped', () => {
    const view = {
      from: ['allpv'],
      keep: ['click_event.selector'],
      calc: { n: 'COUNT(click_event.event_sec)' },
      join: {
        with: 'click_event',
        on: [{ left: 'allpv.pv_id', right: 'click_event.pv_id' }],
        'if not match': 'drop',
      },
    };
    expect(shape({ view }, ['drop-unread-joins', pass])).toBe(
      'limit order extend group extend filter extend scan',
    );
  });

  test('reports why it did not fire', () =>
    expect(planned({ view: grouped(['title'], SESSIONS) }, [pass]).because).toEqual([
      'Ids share strings, and grouping by all ids and counted values leaves about as many groups as rows.',
    ]));

  test('reports why it did not fire for distinct text values', () =>
    expect(
      planned({ view: grouped(['pv'], { a: 'COUNTUNIQUE(allpv.title)', b: SESSIONS }) }, [pass]).because,
    ).toEqual(['Grouping by all ids and counted values leaves about as many groups as rows.']));
});

describe('distinct-first', () => {
  const pass = 'distinct-first';
  const plain = 'limit order group extend scan';
  const twice = 'limit order group group extend scan';
  const readers = 'COUNTUNIQUE(allpv.reader_id)';

  test.each([
    ['a total', grouped([], readers), 'limit order group group extend scan'],
    ['a shared dimension', grouped(['allpv.os'], readers), twice],
    ['a flag and an hour', grouped(['allpv.is_last', 'allpv.access_hour'], readers), twice],
    ['a per-site dimension', grouped(['allpv.url'], readers), twice],
    ['no distinct values', grouped(['allpv.os']), plain],
    [
      'two columns',
      { from: ['allpv'], keep: [], calc: { a: readers, b: 'COUNTUNIQUE(allpv.session_id)' } },
      twice,
    ],
    [
      'distinct values and an average',
      { from: ['allpv'], keep: [], calc: { a: readers, b: 'AVERAGE(allpv.browse_sec)' } },
      'limit order extend group group extend scan',
    ],
  ])('%s', (_name, view, expected) => expect(shape({ view }, [pass])).toBe(expected));

  const withSum = { a: SESSIONS, b: 'SUM(allpv.browse_sec)' };

  test.each([
    ['one counted value by one key of any kind', grouped(['page_id'], SESSIONS), twice],
    ['by several session-varying keys', grouped(['page_id', 'pv', 'device_id'], SESSIONS), plain],
    [
      'by several session-constant keys',
      grouped(['source_id', 'country_code', 'device_id'], SESSIONS),
      twice,
    ],
    ['with a sum, by a session-varying key', grouped(['page_id'], withSum), plain],
    ['with a sum, by a session-constant key', grouped(['source_id'], withSum), twice],
    ['several session-constant values', grouped(['source_id'], { a: SESSIONS, b: READERS }), twice],
    ['several values by page', grouped(['page_id'], { a: SESSIONS, b: READERS }), plain],
    [
      'distinct page views, which are all page views',
      grouped(['page_id'], 'COUNTUNIQUE(allpv.pv_id)'),
      plain,
    ],
  ])('%s', (_name, view, expected) => expect(shape({ view }, [pass])).toBe(expected));

  test('a value that no two rows share is counted directly', () =>
    expect(nodesOf(planned({ view: grouped([], 'COUNTUNIQUE(allpv.pv_id)') }, [pass]).root)).toContainEqual(
      expect.objectContaining({ aggregates: [expect.objectContaining({ function: 'COUNT' })] }),
    ));

  test('reports why it did not fire', () =>
    expect(planned({ view: grouped(['page_id'], { a: SESSIONS, b: READERS }) }, [pass]).because).toEqual([
      'There are about as many combinations of keys and counted values as rows.',
    ]));
});

describe('periods-as-ranges', () => {
  const pass = 'periods-as-ranges';
  const plain = 'limit order group extend scan';

  test.each([
    [
      'days alone, without empty days',
      { view: grouped(['allpv.access_date']) },
      'limit order filter per-period group extend scan',
    ],
    [
      'days and another key',
      { view: grouped(['allpv.access_date', 'allpv.pv']) },
      'limit order per-period group extend scan',
    ],
    ['weeks', { view: grouped(['allpv.access_week']) }, 'limit order filter per-period group extend scan'],
    ['months', { view: grouped(['allpv.access_month']) }, 'limit order filter per-period group extend scan'],
    ['hours', { view: grouped(['allpv.access_hour']) }, plain],
    ['too many periods', { view: grouped(['allpv.access_date']), start: '2016-01-01' }, plain],
    [
      'clocks that go back across midnight',
      {
        view: grouped(['allpv.access_date']),
        start: '2010-11-05',
        end: '2010-11-09',
        tz: 'America/St_Johns',
      },
      plain,
    ],
    [
      'a clock change that skips midnight',
      { view: grouped(['allpv.access_date']), start: '2026-03-27', end: '2026-03-31', tz: 'Asia/Beirut' },
      'limit order filter per-period group extend scan',
    ],
  ])('%s', (_name, question, expected) => expect(shape(question, [pass])).toBe(expected));
});

describe('months-by-day', () => {
  const pass = 'months-by-day';
  const oneStep = 'limit order group extend scan';

  test.each([
    [
      'page views by month',
      ['access_month'],
      'COUNT(allpv.pv_id)',
      'limit order group extend group extend extend scan',
    ],
    ['days', ['access_date'], 'COUNT(allpv.pv_id)', oneStep],
    ['visitors, who may return on several days', ['access_month'], READERS, oneStep],
  ])('%s', (_name, keep, calc, expected) => {
    expect(shape({ view: grouped(keep, calc) }, [pass])).toBe(expected);
  });
});
