// Plans for joins: sides that are not read, sides that are only aggregated, and steps that stay below a join.
import { grouped, nodesOf, planned, shape } from './planned';

describe('drop-unread-joins', () => {
  const pass = 'drop-unread-joins';
  const plain = 'limit order group join (extend scan) (extend scan)';
  const oneSide = 'limit order group filter extend scan';
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
    ['clicks on page views in the range', clicks(), oneSide],
    [
      'filtered clicks',
      clicks({ filter: { event_sec: 1 } }),
      'limit order group filter extend filter extend scan',
    ],
    ['page views with their clicks', views(), 'limit order group extend filter extend scan'],
    ['at most one page view, which is not read', kept('keep-left', 'pv_id'), 'limit order group extend scan'],
    ['many page views of the same session', kept('keep-left', 'session_id'), plain],
    ['a column of the page view is read', clicks({ keep: ['allpv.device_type'] }), plain],
    [
      'filtered page views',
      views({ filter: { pv: 1 } }),
      'limit order group join (extend filter extend scan) (extend scan)',
    ],
  ])('%s', (_name, requested, expected) => expect(shape({ view: requested }, [pass])).toBe(expected));

  test('clicks are limited by the time of their page views in addition to their own time', () => {
    const { root } = planned({ view: clicks(), start: '2026-05-01', end: '2026-05-04' }, [pass]);
    const text = JSON.stringify(root);
    expect(text).toContain(
      '"column":"view_at","type":"datetime","test":{"operator":"gte","value":1777593600}',
    );
    expect(text).toContain(
      '"column":"view_at","type":"datetime","test":{"operator":"lt","value":1777852800}',
    );
  });
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
      'a session has few page views, so they are not grouped first',
      view({ n: 'COUNT(allpv.pv_id)' }, 'session_id'),
      'limit order group join (extend scan) (group extend scan)',
    ],
    ['a mean', view({ n: 'AVERAGE(click_event.event_sec)' }), `limit order extend ${both.slice(12)}`],
    [
      'a maximum, which does not depend on the number of matches',
      view({ n: 'MAX(click_event.event_sec)' }),
      'limit order group join (group extend scan) (group extend scan)',
    ],
    ['distinct values and a sum', view({ n: 'COUNTUNIQUE(allpv.reader_id)', m: 'SUM(allpv.pv)' }), both],
    ['the key of the page views is unique', view({ n: 'COUNT(click_event.pv_id)' }, 'pv_id'), plain],
    [
      'a fill value for rows without a match',
      view({ n: 'SUM(click_event.event_sec)' }, 'page_id', { fill: 7 }),
      plain,
    ],
  ])('%s', (_name, requested, expected) => expect(shape({ view: requested }, [pass])).toBe(expected));
});

describe('joins that are only aggregated', () => {
  const passes = ['aggregate-before-join', 'group-by-id', 'ungroup-single-rows'];
  const view = (key: string, keep: string, calc: string, mode = 'drop') => ({
    from: ['allpv'],
    keep: [keep],
    calc: { n: calc },
    join: {
      with: 'click_event',
      on: [{ left: `allpv.${key}`, right: `click_event.${key}` }],
      'if not match': mode,
    },
  });
  const sides = 'join (extend group extend scan) (group extend scan)';

  test.each([
    [
      'by the key itself: each joined row is a separate group',
      view('page_id', 'allpv.url', 'COUNT(click_event.pv_id)'),
      `limit order extend extend extend ${sides}`,
    ],
    [
      'by another column',
      view('page_id', 'allpv.device_id', 'COUNT(click_event.pv_id)'),
      'limit order group extend join (group extend scan) (group extend scan)',
    ],
    [
      'by session: the page views are not grouped first',
      view('session_id', 'allpv.device_id', 'COUNT(click_event.pv_id)'),
      'limit order group join (extend scan) (group extend scan)',
    ],
    [
      'sums over page views are computed first',
      view('session_id', 'allpv.device_id', 'SUM(allpv.browse_sec)'),
      'limit order group extend join (group extend scan) (group extend scan)',
    ],
  ])('%s', (_name, requested, expected) => expect(shape({ view: requested }, passes)).toBe(expected));

  test.each([
    ['drop', 'COUNT(click_event.pv_id)', 'count(*) as'],
    ['keep-left', 'COUNT(click_event.pv_id)', 'count("'],
    ['drop', 'COUNT(click_event.to_url)', 'count("'],
  ])('rows with a value on the joined side: %s, %s', (mode, calc, counted) => {
    const requested = view('session_id', 'click_event.selector', calc, mode);
    expect(planned({ view: requested }, []).sql()).toContain(counted);
  });

  test('a page view without a match is counted once', () => {
    const requested = view('session_id', 'allpv.device_id', 'COUNT(allpv.pv_id)', 'keep-left');
    const [join] = nodesOf(planned({ view: requested }, passes).root).filter(({ kind }) => kind === 'join');
    expect(join).toMatchObject({ columns: [expect.objectContaining({ name: 'right.rows', fill: 1 })] });
  });
});

describe('above a join', () => {
  const earlier = { other: { from: ['allpv'], keep: ['allpv.session_id', 'allpv.url'] } };
  const join = { with: 'other', on: [{ left: 'allpv.session_id', right: 'other.session_id' }] };
  const joined = 'join (extend scan) (extend scan)';
  const shapeOf = (pass: string, view: object): string => shape({ view: { ...view, join }, earlier }, [pass]);

  test('text values of the from side are looked up once per group', () =>
    expect(shapeOf('group-by-id', grouped(['allpv.url']))).toBe(`limit order extend group ${joined}`));

  test('text values of the joined side are looked up below the join', () =>
    expect(shapeOf('group-by-id', grouped(['other.url']))).toBe(`limit order group ${joined}`));

  test('days are not read separately', () =>
    expect(shapeOf('periods-as-ranges', grouped(['allpv.access_date']))).toBe(`limit order group ${joined}`));

  test('a limit stays above the join, which multiplies rows', () => {
    const rows = { from: ['allpv'], keep: ['allpv.url'] };
    expect(shapeOf('limit-before-lookups', rows)).toBe(`limit order ${joined}`);
  });
});

test.each([
  [
    'drop-unread-joins',
    {
      from: ['click_event'],
      keep: ['allpv.device_type'],
      calc: { n: 'COUNT(click_event.pv_id)' },
      join: { with: 'allpv', on: [{ left: 'click_event.pv_id', right: 'allpv.pv_id' }] },
    },
    'The joined side is read, or a row may match several of its rows.',
  ],
  [
    'aggregate-before-join',
    {
      from: ['allpv'],
      keep: ['allpv.device_id'],
      calc: { n: 'COUNT(click_event.event_sec)' },
      join: { with: 'click_event', on: [{ left: 'allpv.pv_id', right: 'click_event.pv_id' }] },
    },
    'The keys of one side are unique, so the join does not multiply the rows of the other side.',
  ],
  [
    'limit-before-lookups',
    { from: ['allpv'], keep: ['allpv.url'], sort: { by: 'url', order: 'asc' } },
    'The rows are sorted by a text value, which must be looked up for all of them.',
  ],
])('%s reports why it did not fire', (pass, view, reason) =>
  expect(planned({ view }, [pass]).because).toContain(reason),
);
