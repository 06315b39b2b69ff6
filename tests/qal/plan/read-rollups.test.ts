// Which groups are answered from kept counts, from which, and why others are not.
import type { ScanNode } from '../../../extension/qal/types/plan';
import type { RollupNode } from '../../../extension/qal/types/rollup-node';
import { countsOf, dayNumber, kinds, nodesOf, type Planned, planned, type Question } from './planned';

const view = (keep: readonly string[], calc: object = { n: 'COUNT(allpv.pv_id)' }, more: object = {}) => ({
  from: ['allpv'],
  keep: keep.map((name) => `allpv.${name}`),
  calc,
  ...more,
});
const SESSIONS = { n: 'COUNTUNIQUE(allpv.session_id)' };
const READERS = { n: 'COUNTUNIQUE(allpv.reader_id)' };

const shape = (question: Question, passes?: readonly string[]): string =>
  kinds(planned(question, passes).root).replace(/^limit order /, '');
const leaves = ({ root }: Planned): readonly RollupNode[] =>
  nodesOf(root).filter((node): node is RollupNode => node.kind === 'rollup');
const scans = ({ root }: Planned): readonly ScanNode[] =>
  nodesOf(root).filter((node): node is ScanNode => node.kind === 'scan');
const arrays = (question: Question): readonly string[] =>
  leaves(planned(question)).flatMap(({ measures }) => measures.map(({ array }) => array));

describe('what is answered from counts', () => {
  test.each<[string, Question, number, string]>([
    ['a total', { view: view([]) }, 1, 'group rollup'],
    ['an id', { view: view(['page_id']) }, 2, 'group extend rollup'],
    ['a text', { view: view(['url']) }, 2, 'group extend rollup'],
    ['two texts of one id', { view: view(['utm_source', 'source_domain']) }, 3, 'group extend rollup'],
    ['a text of two ids', { view: view(['url', 'device_type']) }, 13, 'group extend rollup'],
    ['a flag', { view: view(['is_newuser']) }, 12, 'group extend rollup'],
    [
      'a filter by a text',
      { view: view([], undefined, { filter: { device_type: 'SP' } }) },
      8,
      'group filter extend rollup',
    ],
    [
      'pages on one device',
      { view: view(['url'], undefined, { filter: { device_type: 'SP' } }) },
      13,
      'group extend filter extend rollup',
    ],
    [
      'pages below a url',
      { view: view(['url'], undefined, { filter: { url: { prefix: '/a' } } }) },
      2,
      'group filter extend rollup',
    ],
    ['days', { view: view(['access_date']) }, 1, 'group rollup'],
    ['months by source', { view: view(['access_month', 'utm_source']) }, 3, 'group extend rollup'],
    ['visits', { view: view([], SESSIONS) }, 1, 'group rollup of 1'],
    ['visitors by country', { view: view(['country_code'], READERS) }, 7, 'group extend rollup of 2'],
    ['visits per page', { view: view(['page_id'], SESSIONS) }, 2, 'group extend rollup of 1'],
    ['visits per day', { view: view(['access_date'], SESSIONS) }, 1, 'group rollup of 1'],
    [
      'visits on one device',
      { view: view([], SESSIONS, { filter: { device_type: 'SP' } }) },
      8,
      'group filter extend rollup of 1',
    ],
    [
      'visits and views at once',
      { view: view(['device_id'], { a: 'COUNT(allpv.pv_id)', b: 'COUNTUNIQUE(allpv.session_id)' }) },
      8,
      'group union (extend extend rollup) (extend extend rollup of 1)',
    ],
    ['a mean', { view: view([], { n: 'AVERAGE(allpv.browse_sec)' }) }, 1, 'extend group rollup'],
  ])('%s', (_name, question, dimension, expected) => {
    expect(shape(question)).toBe(expected);
    expect(new Set(leaves(planned(question)).map((leaf) => leaf.dimension.code))).toEqual(
      new Set([dimension]),
    );
  });

  test.each<[string, object, object | undefined, readonly string[]]>([
    ['all rows', { n: 'COUNT(allpv.url)' }, undefined, ['row_count']],
    ['landing pages', { n: 'COUNT(allpv.pv_id)' }, { pv: 1 }, ['landing_count']],
    ['bounces', { n: 'COUNT(allpv.pv_id)' }, { pv: 1, is_last: 1 }, ['bounce_count']],
    ['exits', { n: 'COUNT(allpv.pv_id)' }, { is_last: 1 }, ['exit_count']],
    [
      'the share of landings that bounce',
      { n: 'AVERAGE(allpv.is_last)' },
      { pv: 1 },
      ['bounce_count', 'landing_count'],
    ],
    [
      'rage clicks',
      { n: 'SUM(allpv.irritation_click_count)' },
      { irritation_click_count: { gt: 0 } },
      ['rage_sum', 'rage_count'],
    ],
    [
      'pages with rage clicks',
      { n: 'COUNT(allpv.pv_id)' },
      { irritation_click_count: { gte: 1 } },
      ['rage_count'],
    ],
    [
      'what is measured',
      { a: 'SUM(allpv.browse_sec)', b: 'AVERAGE(allpv.depth_position)', c: 'SUM(allpv.is_submit)' },
      undefined,
      ['browse_sum', 'depth_sum', 'depth_count', 'submit_count'],
    ],
  ])('numbers of %s', (_name, calc, filter, expected) => {
    expect(arrays({ view: view(['url'], calc, filter && { filter }) })).toEqual(expected);
  });

  test('pages without a landing are no landing pages', () => {
    const question = { view: view(['url'], undefined, { filter: { pv: 1 } }) };
    expect(shape(question)).toBe('group extend filter rollup');
    expect(shape({ view: view([], undefined, { filter: { pv: 1 } }) })).toBe('group rollup');
  });

  test('ids of both sides of a join', () => {
    const joined = {
      ...view(['page_id'], { n: 'COUNT(allpv.pv_id)', m: 'COUNT(click_event.pv_id)' }),
      join: { with: 'click_event', on: [{ left: 'allpv.page_id', right: 'click_event.page_id' }] },
    };
    expect(shape({ view: joined }, ['aggregate-before-join', 'read-rollups'])).toBe(
      'group extend join (group extend rollup) (group extend rollup)',
    );
  });

  test('every version that was relied on is told, also of a site without rows in the range', () => {
    const sites = [countsOf('UTC', '2026-01-01', '2027-01-01'), countsOf('UTC', '2020-01-01', '2020-02-01')];
    const [leaf] = leaves(planned({ view: view([]), sites }));
    expect(leaf?.sites).toEqual([
      { siteId: 1, version: 70 },
      { siteId: 2, version: 71 },
    ]);
    expect(new Set(leaf?.blocks.map(({ siteId }) => siteId))).toEqual(new Set([1]));
  });
});

describe('what is not, and why', () => {
  const NO_COUNTS = 'No counts are kept of the site, or they are switched off.';
  const FEW_DAYS = 'Too little of the range are whole local days of a site.';
  const OTHER_ROWS = 'The rows that the filter leaves are not kept counted apart from the others.';
  test.each<[string, Question, string]>([
    ['a site without counts', { view: view([]), sites: [null] }, NO_COUNTS],
    ['no combination of keys', { view: view(['url', 'os']) }, 'No counts are kept by url and os.'],
    [
      'a material without counts',
      { view: { from: ['gsc'], keep: ['gsc.keyword'], calc: { n: 'SUM(gsc.impressions)' } } },
      'No counts are kept of gsc.',
    ],
    [
      'joined rows',
      {
        view: {
          ...view(['url']),
          join: { with: 'click_event', on: [{ left: 'allpv.pv_id', right: 'click_event.pv_id' }] },
        },
      },
      'The rows are joined, grouped, numbered or cut before.',
    ],
    ['the hour', { view: view(['access_hour']) }, 'No counts are kept by access_hour.'],
    [
      'a filter by another id',
      { view: view(['url'], undefined, { filter: { os: 'iOS' } }) },
      'No counts are kept by url and os.',
    ],
    [
      'the time',
      { view: view([], undefined, { filter: { access_date: '2026-04-01' } }) },
      'No counts are kept by access_date.',
    ],
    ['rows of another kind', { view: view([], undefined, { filter: { pv: 2 } }) }, OTHER_ROWS],
    ['two kinds at once', { view: view([], undefined, { filter: { pv: 1, deep_read: 1 } }) }, OTHER_ROWS],
    [
      'the greatest',
      { view: view([], { n: 'MAX(allpv.browse_sec)' }) },
      'MAX of browse_sec is not kept for the rows that are asked, by all.',
    ],
    [
      'a sum that is not kept',
      { view: view([], { n: 'SUM(allpv.pv)' }) },
      'SUM of pv is not kept for the rows that are asked, by all.',
    ],
    [
      'a sum of landings alone',
      { view: view([], { n: 'SUM(allpv.browse_sec)' }, { filter: { pv: 1 } }) },
      'SUM of browse_sec is not kept for the rows that are asked, by all.',
    ],
    [
      'visits of landings alone',
      { view: view([], SESSIONS, { filter: { pv: 1 } }) },
      'COUNTUNIQUE of session_id is not kept for the rows that are asked, by all.',
    ],
    [
      'visits by a text that several ids share',
      { view: view(['title'], SESSIONS) },
      'COUNTUNIQUE of session_id is not kept for the rows that are asked, by page.',
    ],
    [
      'visitors of some pages together',
      { view: view([], SESSIONS, { filter: { url: { prefix: '/a' } } }) },
      'COUNTUNIQUE of session_id is not kept for the rows that are asked, by page.',
    ],
    [
      'different pages',
      { view: view([], { n: 'COUNTUNIQUE(allpv.page_id)' }) },
      'COUNTUNIQUE of page_id is not kept for the rows that are asked, by all.',
    ],
    [
      'less than a day',
      { view: view([]), start: '2026-04-01T01:00:00', end: '2026-04-02T23:00:00' },
      FEW_DAYS,
    ],
    ['days of another zone', { view: view(['access_date']), tz: 'Asia/Tokyo' }, FEW_DAYS],
    ['a range without rows', { view: view([]), start: '2030-01-01', end: '2031-01-01' }, FEW_DAYS],
    [
      'days that clocks broke in two',
      {
        view: view(['access_date']),
        sites: [countsOf('UTC', '2010-01-01', '2011-01-01')],
        start: '2010-11-01',
        end: '2010-12-01',
        tz: 'America/St_Johns',
      },
      'The range has more than 1100 days, or its clocks go back across a midnight.',
    ],
    [
      'more sites than it pays for',
      {
        view: view([]),
        sites: Array.from({ length: 51 }, () => countsOf('UTC', '2026-01-01', '2027-01-01')),
      },
      'The query is about more than 50 sites.',
    ],
  ])('%s', (_name, question, reason) => {
    expect(planned(question)).toMatchObject({ did: 'nothing', because: [reason] });
  });

  test('a key is told by its column after it became an id', () =>
    expect(planned({ view: view(['url', 'os']) }, ['group-by-id', 'read-rollups']).because).toEqual([
      'No counts are kept by page_id and os.',
    ]));

  test('groups of groups that are answered need no reason', () =>
    expect(planned({ view: view(['title']) }, ['group-by-id', 'read-rollups'])).toMatchObject({
      did: 'fired',
      because: [],
    }));

  test('rows that are only listed are nothing to it', () => {
    expect(planned({ view: { from: ['allpv'], keep: ['allpv.url'] } })).toMatchObject({
      did: 'nothing',
      because: [],
    });
  });
});

describe('rows beside whole days', () => {
  const MARCH = { start: '2026-03-01T05:00:00', end: '2026-04-01T07:00:00' };
  const instant = (text: string): number => Date.parse(`${text}Z`) / 1000;

  test('are read', () => {
    const plan = planned({ view: view(['page_id']), ...MARCH });
    expect(kinds(plan.root)).toBe(
      'limit order group union (extend rollup) (group extend scan) (group extend scan)',
    );
    expect(scans(plan).map(({ bounds }) => bounds)).toEqual([
      {
        kind: 'range',
        field: 'at',
        start: instant('2026-03-01T05:00:00'),
        end: instant('2026-03-02T00:00:00'),
      },
      {
        kind: 'range',
        field: 'at',
        start: instant('2026-04-01T00:00:00'),
        end: instant('2026-04-01T07:00:00'),
      },
    ]);
  });

  test('are counted in as few bits as the days, those of sites without counts in as many as it takes', () => {
    const sites = [countsOf('UTC', '2026-01-01', '2027-01-01'), null];
    const calc = { a: 'COUNT(allpv.url)', b: 'SUM(allpv.is_submit)', c: 'SUM(allpv.browse_sec)' };
    const plan = planned({ view: view(['page_id'], calc), sites, ...MARCH });
    const groups = nodesOf(plan.root).flatMap((node) => (node.kind === 'group' ? [node] : []));
    expect(groups.map(({ aggregates }) => aggregates.map(({ isNarrow = false }) => isNarrow))).toEqual([
      [false, false, false],
      [false, false, false],
      [true, true, false],
      [true, true, false],
    ]);
  });

  test('give only values that the whole days do not have', () => {
    const plan = planned({ view: view(['page_id'], SESSIONS), ...MARCH });
    expect(kinds(plan.root)).toBe(
      'limit order group union (extend rollup of 1) (group extend filter extend group union (scan) (scan))',
    );
    const values = nodesOf(plan.root).flatMap((node) => (node.kind === 'extend' ? node.columns : []));
    expect(values.flatMap(({ value }) => (value.kind === 'occurs' ? [value] : []))).toEqual([
      {
        kind: 'occurs',
        material: 'allpv',
        bounds: {
          kind: 'range',
          field: 'at',
          start: instant('2026-03-02T00:00:00'),
          end: instant('2026-04-01T00:00:00'),
        },
        key: 'session_id',
        others: ['page_id'],
      },
    ]);
  });

  test('of a day of its own are counted as they are', () => {
    const plan = planned({ view: view(['access_date'], SESSIONS), ...MARCH });
    expect(kinds(plan.root)).toBe(
      'limit order group union (rollup of 1) (group extend scan) (group extend scan)',
    );
  });

  test('of a month are held against the days of this month', () => {
    const plan = planned({ view: view(['access_month'], SESSIONS), ...MARCH, end: '2026-06-01T00:00:00' });
    expect(kinds(plan.root)).toBe(
      'limit order group union (rollup of 1) (group filter extend group extend scan)',
    );
    const [leaf] = leaves(plan);
    expect(new Set(leaf?.blocks.map(({ before, value }) => `${value} ${before}`))).toEqual(
      new Set([
        `2026-03 ${dayNumber('2026-03-02')}`,
        `2026-04 ${dayNumber('2026-04-01')}`,
        `2026-05 ${dayNumber('2026-05-01')}`,
      ]),
    );
  });

  test('are not there where the site has no rows', () => {
    const sites = [countsOf('UTC', '2026-03-05', '2026-03-20')];
    expect(shape({ view: view([]), ...MARCH, sites })).toBe('group rollup');
  });

  test('of another zone are hours at both ends', () => {
    const plan = planned({ view: view([]), tz: 'Asia/Tokyo' });
    expect(kinds(plan.root)).toBe('limit order group union (rollup) (group extend scan) (group extend scan)');
  });

  test('of sites without counts are all rows, of those with equal days the same', () => {
    const counts = countsOf('UTC', '2026-01-01', '2027-01-01');
    const berlin = countsOf('Europe/Berlin', '2026-01-01', '2027-01-01');
    const plan = planned({ view: view(['os']), sites: [counts, null, berlin, counts, null], ...MARCH });
    expect(scans(plan).map(({ siteIds }) => siteIds)).toEqual([[2, 5], [1, 4], [1, 4], [3], [3]]);
    expect(leaves(plan).map(({ sites }) => sites.map(({ siteId }) => siteId))).toEqual([[1, 3, 4]]);
  });
});

describe('clicks on views of the range', () => {
  const clicks = {
    from: ['click_event'],
    keep: ['click_event.selector'],
    join: {
      with: 'allpv',
      on: [{ left: 'click_event.pv_id', right: 'allpv.pv_id' }],
      'if not match': 'drop',
    },
    calc: { n: 'COUNT(click_event.pv_id)' },
  };
  const passes = ['drop-unread-joins', 'read-rollups'];

  test('are counted from the day on which no older view can have one', () => {
    const plan = planned({ view: clicks }, passes);
    expect(kinds(plan.root)).toBe('limit order group union (extend rollup) (group filter extend scan)');
    expect(scans(plan).map(({ bounds }) => bounds)).toEqual([
      {
        kind: 'range',
        field: 'at',
        start: dayNumber('2026-03-01') * 86_400,
        end: dayNumber('2026-03-02') * 86_400,
      },
    ]);
  });

  test('are read where views last for days', () => {
    const sites = [countsOf('UTC', '2026-01-01', '2027-01-01', 4 * 86_400)];
    expect(planned({ view: clicks, sites }, passes)).toMatchObject({ did: 'nothing' });
  });

  test('alone are counted from the first day on', () => {
    const { join: _join, ...alone } = clicks;
    expect(shape({ view: alone })).toBe('group extend rollup');
  });
});
