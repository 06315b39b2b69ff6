// Plans that read only clicks instead of joining them with page views.
import { duckdb } from '../../../extension/language/sql/dialects/duckdb';
import { nodesOf, type Planned, planned, type Question } from './planned';

const PASS = 'without-views';
const viewFields = ['device_id', 'country_id', 'source_id', 'visit_views', 'visit_reach'];
const visitFields = ['site_id', 'session_id', 'device_id', 'country_id', 'os_id'];

interface Joined {
  readonly key?: string;
  readonly keys?: readonly (readonly [string, string])[];
  readonly keep?: readonly string[];
  readonly calc?: string | object;
  readonly mode?: string;
}

/** Page views joined with their clicks. */
const views = (
  { key = 'pv_id', keys, keep = ['allpv.device_type'], calc, mode = 'drop' }: Joined,
  more = {},
) => ({
  from: ['allpv'],
  join: {
    with: 'click_event',
    on: (keys ?? [[key, key]]).map(([left, right]) => ({
      left: `allpv.${left}`,
      right: `click_event.${right}`,
    })),
    'if not match': mode,
  },
  keep,
  calc: typeof calc === 'object' ? calc : { n: calc ?? 'COUNT(click_event.pv_id)' },
  ...more,
});

/** Clicks joined with page views, or with an earlier view of them. */
const clicks = (
  { key = 'pv_id', keep = ['allpv.device_type'], calc, mode = 'drop' }: Joined,
  from = 'allpv',
) => ({
  from: ['click_event'],
  join: {
    with: from,
    on: [{ left: `click_event.${key}`, right: `${from}.${key}` }],
    'if not match': mode,
  },
  keep,
  calc: { n: calc ?? 'COUNT(click_event.pv_id)' },
});

/** The end of the range. */
const END = Date.parse('2026-06-01T00:00:00Z') / 1000;

const CHOSEN = {
  chosen: {
    from: ['allpv'],
    filter: { device_type: 'PC' },
    keep: ['allpv.pv_id'],
    calc: { found: 'COUNT(allpv.pv_id)' },
  },
};

const CHOSEN_EARLIER = {
  chosen: { ...CHOSEN.chosen, time: { start: '2026-03-01T00:00:00', end: '2026-04-01T00:00:00' } },
};

const NAMED_LIKE_A_FIELD = {
  chosen: { ...CHOSEN.chosen, calc: { device_id: 'COUNT(allpv.pv_id)' } },
};

const plan = (view: object, more: Partial<Question> = {}): Planned =>
  planned({ view, viewFields, visitFields, ...more }, [PASS]);
const scansOf = ({ root }: Planned) =>
  nodesOf(root).flatMap((node) => (node.kind === 'scan' ? [node.material] : []));

test.each<[string, object, Partial<Question>?]>([
  ['page views with their clicks', views({})],
  ['clicks with their page views', clicks({ keep: ['allpv.device_type', 'click_event.selector'] })],
  ['another aggregate', views({ calc: 'MEDIAN(click_event.event_sec)' })],
  ['values counted in clicks', views({ calc: 'COUNTUNIQUE(click_event.selector)' })],
  ['a filter on page views', views({ keep: [] }, { filter: { country_code: 'JP', url: '/a' } })],
  ['the page of the page view', views({ keep: ['allpv.url'] })],
  ['several sites', views({}), { sites: 2 }],
  ['page views that are known until the end of the range', views({}), { clicksKnownUntil: END }],
  ['chosen page views', clicks({ keep: ['click_event.selector'] }, 'chosen'), { earlier: CHOSEN }],
  [
    'chosen page views on several sites',
    clicks({ keep: ['click_event.selector'] }, 'chosen'),
    { earlier: CHOSEN, sites: 2 },
  ],
])('the page views are not read: %s', (_title, view, more = {}) => {
  const found = plan(view, more);
  expect(found).toMatchObject({ did: 'fired', because: [] });
  expect(scansOf(found)).toEqual(['click_event']);
  expect(JSON.stringify(found.root)).toMatch(/"column":"view_at".*"gte".*"column":"view_at".*"lt"/);
});

test.each<[string, object, Partial<Question>?]>([
  ['counted', views({ key: 'session_id' })],
  ['clicks with page views', clicks({ key: 'session_id' })],
  [
    'summed, and the earliest',
    views({
      key: 'session_id',
      calc: { n: 'SUM(click_event.event_sec)', m: 'MIN(click_event.access_time)' },
    }),
  ],
  ['the mean', views({ key: 'session_id', keep: [], calc: 'AVERAGE(click_event.page_y_pct)' })],
  ['the visit itself', views({ key: 'session_id', keep: ['allpv.session_id'] })],
  ['filtered', views({ key: 'session_id' }, { filter: { country_code: 'JP' } })],
  [
    'in a range of twice the reach of a visit',
    views({ key: 'session_id' }),
    { start: '2026-05-01', end: '2026-05-02', visitReach: 43_200 },
  ],
])('the page views of visits are only counted: %s', (_title, view, more = {}) => {
  const found = plan(view, more);
  expect(found).toMatchObject({ did: 'fired', because: [] });
  expect(scansOf(found)).toEqual(['click_event']);
  expect(JSON.stringify(found.root)).not.toContain('view_at');
  expect(found.sql(duckdb)).toMatch(
    /count\(\*\)::uinteger.* union all .*"visit_views".* union all .*count\(\*\)::uinteger/,
  );
});

const NOT_STORED = ['A value of the page views is not stored with the clicks or events.'];

test.each<[string, readonly string[], object, Partial<Question>?]>([
  ['a value that clicks do not have', NOT_STORED, views({ keep: ['allpv.os'] })],
  ['the time of the page view', NOT_STORED, views({ keep: ['allpv.access_date'] })],
  ['a filter on such a value', NOT_STORED, views({}, { filter: { pv: 1 } })],
  ['an aggregate of such a value', NOT_STORED, views({ calc: 'SUM(allpv.browse_sec)' })],
  ['values that are not computed yet', NOT_STORED, views({}), { viewFields: [] }],
  ['page views that are not known until the end', NOT_STORED, views({}), { clicksKnownUntil: END - 1 }],
  [
    'clicks that are not known until the end, on earlier page views',
    NOT_STORED,
    clicks({ keep: ['click_event.selector'] }, 'chosen'),
    { earlier: CHOSEN_EARLIER, clicksKnownUntil: END - 1 },
  ],
  [
    'the last page view of each device',
    NOT_STORED,
    {
      ...clicks({ keep: ['click_event.selector'] }),
      join: { with: 'last', on: [{ left: 'click_event.pv_id', right: 'last.id' }], 'if not match': 'drop' },
    },
    { earlier: { last: { from: ['allpv'], keep: ['allpv.device_type'], calc: { id: 'MAX(allpv.pv_id)' } } } },
  ],
  [
    'visits that may have later page views, which the counts in clicks do not include',
    NOT_STORED,
    views({ key: 'session_id', keep: ['allpv.session_id'] }),
    { clicksKnownUntil: END },
  ],
  [
    'visits whose values may vary after the range, where they have clicks',
    NOT_STORED,
    views({ key: 'session_id', keep: ['allpv.session_id'] }),
    { visitsKnownUntil: END },
  ],
  [
    'visits in an earlier view, which has one row per visit',
    NOT_STORED,
    clicks({ key: 'session_id', keep: ['click_event.selector'] }, 'visits'),
    { earlier: { visits: { ...CHOSEN.chosen, keep: ['allpv.session_id'] } } },
  ],
  [
    'a count of chosen page views',
    NOT_STORED,
    clicks({ keep: ['chosen.found'] }, 'chosen'),
    { earlier: CHOSEN },
  ],
  [
    'a count with the name of a stored field',
    NOT_STORED,
    clicks({ keep: ['chosen.device_id'] }, 'chosen'),
    { earlier: NAMED_LIKE_A_FIELD },
  ],
  ['rows without a match are kept', [], clicks({ mode: 'keep-left' })],
  ['joined by page', [], views({ key: 'page_id' })],
  [
    'joined by page view and page',
    [],
    views({
      keys: [
        ['pv_id', 'pv_id'],
        ['page_id', 'page_id'],
      ],
    }),
  ],
  ['visits: a value that may vary', NOT_STORED, views({ key: 'session_id', keep: ['allpv.utm_source'] })],
  ['visits: a value that clicks do not have', NOT_STORED, views({ key: 'session_id', keep: ['allpv.os'] })],
  ['visits: a filter on pages', NOT_STORED, views({ key: 'session_id' }, { filter: { url: '/a' } })],
  [
    'visits: no field is known to be session-constant',
    NOT_STORED,
    views({ key: 'session_id' }),
    { visitFields: [] },
  ],
  [
    'page views per visit are unknown',
    NOT_STORED,
    views({ key: 'session_id', keep: ['allpv.session_id'] }),
    { viewFields: [] },
  ],
  [
    'page views per visit are unknown, and nothing is read from them',
    NOT_STORED,
    views({ key: 'session_id', keep: ['click_event.selector'] }),
    { viewFields: [] },
  ],
  [
    'some clicks may differ from their page views',
    NOT_STORED,
    views({ keep: ['allpv.url'] }),
    { viewFields: [] },
  ],
  [
    'visits: a median',
    ['FIRST, LAST and PERCENTILE can be computed only from the rows of a group.'],
    views({ key: 'session_id', calc: 'MEDIAN(click_event.event_sec)' }),
  ],
  ['visits on several sites', [], views({ key: 'session_id' }), { sites: 2 }],
  [
    'a range of less than twice the reach of a visit',
    ['The range is too short, compared with the longest visit.'],
    views({ key: 'session_id' }),
    { start: '2026-05-01', end: '2026-05-02', visitReach: 43_201 },
  ],
])('the page views are read: %s', (_title, because, view, more = {}) => {
  const found = plan(view, more);
  expect(found).toMatchObject({ did: 'nothing', because });
  expect(scansOf(found)).toContain('allpv');
});
