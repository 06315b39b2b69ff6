// The rewrites of the plan: what each makes of a query, and where it holds back. Equal results are shown by the cases.
import { PASSES } from '../../../extension/qal/plan/plan-query';
import { kinds, planned, type Question } from './planned';

const ALL = PASSES.map(({ name }) => name);

/** The kinds of the nodes from the top down, planned with one pass alone. */
const shape = (pass: string, question: Question): string =>
  kinds(planned({ sites: [null], start: '2026-05-01', end: '2026-05-04', ...question }, [pass]).root);

const grouped = (keep: readonly string[], calc = 'COUNT(allpv.pv_id)') => ({
  from: ['allpv'],
  keep,
  calc: { n: calc },
});

describe('group-by-id', () => {
  const pass = 'group-by-id';
  const plain = 'limit order group extend scan';
  const late = 'limit order extend group extend scan';
  const merged = 'limit order group extend group extend scan';

  test.each([
    ['a text that is one-to-one with its id', grouped(['allpv.url']), late],
    ['two texts of one id, one of them one-to-one', grouped(['allpv.url', 'allpv.title']), late],
    ['a text that several ids share, merged again', grouped(['allpv.title']), merged],
    [
      'a mean of such a text: sum and count',
      grouped(['allpv.title'], 'AVERAGE(allpv.browse_sec)'),
      `limit order extend ${'group extend '.repeat(2)}scan`,
    ],
    [
      'different values of such a text cannot be merged',
      grouped(['allpv.title'], 'COUNTUNIQUE(allpv.reader_id)'),
      plain,
    ],
    ['no text at all', grouped(['allpv.pv']), plain],
  ])('%s', (_name, view, expected) => expect(shape(pass, { view })).toBe(expected));

  test('texts of several sites are merged', () => {
    expect(shape(pass, { view: grouped(['allpv.url']), sites: [null, null] })).toBe(merged);
  });

  test('texts that all sites share need no merge', () => {
    expect(shape(pass, { view: grouped(['allpv.os']), sites: [null, null] })).toBe(late);
  });
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
    ['a dimension of the site', grouped(['allpv.url'], readers), twice],
    ['nothing to count uniquely', grouped(['allpv.os']), plain],
    [
      'two columns at once',
      { from: ['allpv'], keep: [], calc: { a: readers, b: 'COUNTUNIQUE(allpv.session_id)' } },
      twice,
    ],
    [
      'a mean beside it',
      { from: ['allpv'], keep: [], calc: { a: readers, b: 'AVERAGE(allpv.browse_sec)' } },
      'limit order extend group group extend scan',
    ],
  ])('%s', (_name, view, expected) => expect(shape(pass, { view })).toBe(expected));
});

describe('periods-as-ranges', () => {
  const pass = 'periods-as-ranges';
  const plain = 'limit order group extend scan';

  test.each([
    [
      'days alone leave out empty days',
      { view: grouped(['allpv.access_date']) },
      'limit order filter per-period group extend scan',
    ],
    [
      'days and another key',
      { view: grouped(['allpv.access_date', 'allpv.pv']) },
      'limit order per-period group extend scan',
    ],
    ['months', { view: grouped(['allpv.access_month']) }, 'limit order filter per-period group extend scan'],
    ['hours are no periods', { view: grouped(['allpv.access_hour']) }, plain],
    ['more periods than it pays for', { view: grouped(['allpv.access_date']), start: '2016-01-01' }, plain],
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
      'clocks that skip midnight',
      { view: grouped(['allpv.access_date']), start: '2026-03-27', end: '2026-03-31', tz: 'Asia/Beirut' },
      'limit order filter per-period group extend scan',
    ],
  ])('%s', (_name, question, expected) => expect(shape(pass, question)).toBe(expected));
});

describe('limit-before-lookups', () => {
  const pass = 'limit-before-lookups';

  test.each([
    [
      'texts are looked up for the rows that are left',
      { keep: ['allpv.pv_id', 'allpv.url'] },
      'order extend limit order extend scan',
    ],
    [
      'a text that the rows are sorted by is looked up before',
      { keep: ['allpv.url'], sort: { by: 'url', order: 'asc' } },
      'limit order extend scan',
    ],
    ['nothing to look up', { keep: ['allpv.pv_id'] }, 'limit order extend scan'],
  ])('%s', (_name, view, expected) =>
    expect(shape(pass, { view: { from: ['allpv'], ...view } })).toBe(expected),
  );
});

describe('aggregate-before-join', () => {
  const pass = 'aggregate-before-join';
  const on = (key: string) => [{ left: `allpv.${key}`, right: `click_event.${key}` }];
  const plain = 'limit order group join (extend scan) (extend scan)';
  const both = 'limit order group extend join (group extend scan) (group extend scan)';
  const view = (calc: object, key = 'page_id', more: object = {}) => ({
    from: ['allpv'],
    keep: ['allpv.device_type'],
    join: { with: 'click_event', on: on(key), ...more },
    calc,
  });

  test.each([
    ['counts of both sides', view({ n: 'COUNT(allpv.pv_id)', m: 'COUNT(click_event.to_url)' }), both],
    [
      'a session has few views, which are joined one by one',
      view({ n: 'COUNT(allpv.pv_id)' }, 'session_id'),
      'limit order group join (extend scan) (group extend scan)',
    ],
    ['sums and means', view({ n: 'AVERAGE(click_event.event_sec)' }), `limit order extend ${both.slice(12)}`],
    [
      'the greatest needs no product',
      view({ n: 'MAX(click_event.event_sec)' }),
      'limit order group join (group extend scan) (group extend scan)',
    ],
    ['different values beside a sum', view({ n: 'COUNTUNIQUE(allpv.reader_id)', m: 'SUM(allpv.pv)' }), both],
    ['one page view has a key of its own', view({ n: 'COUNT(click_event.pv_id)' }, 'pv_id'), plain],
    [
      'a value that stands in unmatched rows',
      view({ n: 'SUM(click_event.event_sec)' }, 'page_id', { fill: 7 }),
      plain,
    ],
  ])('%s', (_name, asked, expected) => expect(shape(pass, { view: asked })).toBe(expected));
});

describe('drop-unread-joins', () => {
  const pass = 'drop-unread-joins';
  const plain = 'limit order group join (extend scan) (extend scan)';
  const own = 'limit order group filter extend scan';
  const clicks = (more: object = {}) => ({
    from: ['click_event'],
    keep: ['click_event.selector'],
    join: {
      with: 'allpv',
      on: [{ left: 'click_event.pv_id', right: 'allpv.pv_id' }],
      'if not match': 'drop',
    },
    calc: { n: 'COUNT(click_event.pv_id)' },
    ...more,
  });
  const views = (more: object = {}) => ({
    from: ['allpv'],
    keep: ['click_event.selector'],
    join: {
      with: 'click_event',
      on: [{ left: 'allpv.pv_id', right: 'click_event.pv_id' }],
      'if not match': 'drop',
    },
    calc: { n: 'COUNT(click_event.event_sec)' },
    ...more,
  });
  const kept = (mode: string, key: string) => ({
    ...clicks(),
    join: {
      with: 'allpv',
      on: [{ left: `click_event.${key}`, right: `allpv.${key}` }],
      'if not match': mode,
    },
  });

  test.each([
    ['clicks on views of the range', clicks(), own],
    [
      'clicks of some selectors',
      clicks({ filter: { event_sec: 1 } }),
      'limit order group filter extend filter extend scan',
    ],
    ['views with the clicks on them', views(), 'limit order group extend filter extend scan'],
    ['one view at most, which is never read', kept('keep-left', 'pv_id'), 'limit order group extend scan'],
    ['many views of one visit', kept('keep-left', 'session_id'), plain],
    ['a column of the view is read', clicks({ keep: ['allpv.device_type'] }), plain],
    [
      'some views only',
      views({ filter: { pv: 1 } }),
      'limit order group join (extend filter extend scan) (extend scan)',
    ],
  ])('%s', (_name, asked, expected) => expect(shape(pass, { view: asked })).toBe(expected));

  test('clicks keep the bounds of their views beside their own', () => {
    const { root } = planned({ view: clicks(), start: '2026-05-01', end: '2026-05-04', sites: [null] }, [
      pass,
    ]);
    const text = JSON.stringify(root);
    expect(text).toContain(
      '"column":"view_at","type":"datetime","test":{"operator":"gte","value":1777593600}',
    );
    expect(text).toContain(
      '"column":"view_at","type":"datetime","test":{"operator":"lt","value":1777852800}',
    );
  });
});

test('a plan is frozen plain data', () => {
  const { root: plan } = planned({ view: grouped(['allpv.url']) }, ALL);
  expect(JSON.parse(JSON.stringify(plan))).toEqual(plan);
  expect(Object.isFrozen(plan)).toBe(true);
  expect(plan.kind === 'limit' && Object.isFrozen(plan.input)).toBe(true);
});

describe('over a join', () => {
  const earlier = { other: { from: ['allpv'], keep: ['allpv.session_id', 'allpv.url'] } };
  const join = { with: 'other', on: [{ left: 'allpv.session_id', right: 'other.session_id' }] };
  const joined = 'join (extend scan) (extend scan)';
  const over = (pass: string, view: object): string => shape(pass, { view: { ...view, join }, earlier });

  test('texts of the from side are looked up once per group', () =>
    expect(over('group-by-id', grouped(['allpv.url']))).toBe(`limit order extend group ${joined}`));

  test('texts of the joined side are looked up before', () =>
    expect(over('group-by-id', grouped(['other.url']))).toBe(`limit order group ${joined}`));

  test('days are not read one by one', () =>
    expect(over('periods-as-ranges', grouped(['allpv.access_date']))).toBe(`limit order group ${joined}`));

  test('a cut stays above the join, which multiplies rows', () => {
    const rows = { from: ['allpv'], keep: ['allpv.url'] };
    expect(over('limit-before-lookups', rows)).toBe(`limit order ${joined}`);
  });
});
