// Counts of rows and of distinct values that are computed from the columnar copy's stored counts, and the reasons why other counts are not.
import { grouped, nodesOf, planned, type Question, READERS, SESSIONS, shape } from './planned';

const PASSES = ['group-by-id', 'unique-counts'];

const counts = 'group unique-counts';
const byText = 'limit order extend group extend unique-counts';
const rows = 'group extend scan';

const LIST = { from: ['allpv'], keep: ['allpv.url'] };
/** On 5 March at 02:00, clocks go back to 23:00 on the day before. */
const SPLIT_DAY = { start: '2010-02-01', end: '2010-04-01', tz: 'Antarctica/Casey' };
/** Clocks change at one minute past midnight. */
const AT_A_MINUTE = { start: '2010-11-01', end: '2010-12-01', tz: 'America/St_Johns' };

test.each<[string, Question, string]>([
  ['a total', { view: grouped([], SESSIONS) }, `limit order ${counts}`],
  ['by a dimension whose values are unique', { view: grouped(['device_type'], READERS) }, byText],
  ['by an id', { view: grouped(['page_id'], READERS) }, 'limit order group extend unique-counts'],
  ['by page, with several of its text columns', { view: grouped(['url', 'title'], SESSIONS) }, byText],
  ['by day', { view: grouped(['access_date'], READERS) }, `limit order ${counts}`],
  ['by week', { view: grouped(['access_week'], READERS) }, `limit order ${counts}`],
  ['by month and dimension', { view: grouped(['access_month', 'country_code'], SESSIONS) }, byText],
  ['by hour', { view: grouped(['access_hour'], SESSIONS) }, `limit order ${counts}`],
  [
    'by hour and dimension, with clock changes of an hour',
    { view: grouped(['access_hour', 'device_type'], SESSIONS), start: '2026-01-01', tz: 'Europe/Berlin' },
    byText,
  ],
  [
    'by weekday, for values that last for days',
    { view: grouped(['access_weekday'], SESSIONS), countedSpread: 1 },
    `limit order ${counts}`,
  ],
  [
    'by hour, with clocks that go back half an hour',
    {
      view: grouped(['access_hour'], SESSIONS),
      start: '2026-04-01',
      end: '2026-05-01',
      tz: 'Australia/Lord_Howe',
    },
    `limit order ${counts}`,
  ],
  ['in another zone', { view: grouped([], SESSIONS), tz: 'Asia/Kathmandu' }, `limit order ${counts}`],
  [
    'starting on a quarter hour',
    { view: grouped([], SESSIONS), start: '2026-03-01T10:15:00' },
    `limit order ${counts}`,
  ],
  ['for several sites', { view: grouped(['device_type'], READERS), sites: 2 }, byText],
  [
    'with a filter on the key',
    { view: { ...grouped(['device_type'], READERS), filter: { device_type: { in: ['PC', 'SP'] } } } },
    'limit order extend group filter extend unique-counts',
  ],
  [
    'by two dimensions that are counted together',
    { view: grouped(['device_type', 'country_code'], READERS) },
    byText,
  ],
  [
    'by a dimension, with a filter on one value of the other',
    { view: { ...grouped(['country_code'], READERS), filter: { device_type: 'SP' } } },
    'limit order extend group extend filter extend unique-counts',
  ],
  [
    'a total, with a filter on one value of a dimension',
    { view: { ...grouped([], SESSIONS), filter: { device_type: { in: ['SP'] } } } },
    'limit order group filter extend unique-counts',
  ],
  [
    'by day, with a filter on one page',
    { view: { ...grouped(['access_date'], READERS), filter: { page_id: 7 } } },
    'limit order group filter extend unique-counts',
  ],
  [
    'page views, with any filter on a dimension',
    { view: { ...grouped(['access_hour']), filter: { os: { neq: 'iOS' } } } },
    'limit order group filter extend unique-counts',
  ],
  [
    'with other aggregates, which are computed from the rows',
    {
      view: grouped(['device_type'], {
        n: 'COUNT(allpv.pv_id)',
        t: 'SUM(allpv.browse_sec)',
        s: SESSIONS,
        r: READERS,
      }),
    },
    `limit order extend join (join (${rows}) (group extend unique-counts)) (group extend unique-counts)`,
  ],
  ['page views', { view: grouped([]) }, `limit order ${counts}`],
  ['the number of rows in a list', { view: LIST, countOnly: true }, counts],
  ['the number of rows in a list, for several sites', { view: LIST, countOnly: true, sites: 2 }, counts],
  ['page views on several sites', { view: grouped(['device_type']), sites: 2 }, byText],
  [
    'page views by two periods',
    { view: grouped(['access_weekday', 'access_hour']) },
    `limit order ${counts}`,
  ],
  [
    'page views by hour, however long visits last',
    { view: grouped(['access_hour']), countedSpread: 2 },
    `limit order ${counts}`,
  ],
  [
    'page views by a day that a clock change splits',
    { view: grouped(['access_date']), ...SPLIT_DAY },
    `limit order ${counts}`,
  ],
  ['distinct page views', { view: grouped([], 'COUNTUNIQUE(allpv.pv_id)') }, `limit order ${counts}`],
  [
    'page views with visits',
    { view: grouped(['device_type'], { n: 'COUNT(allpv.pv_id)', s: SESSIONS }) },
    'limit order extend join (group extend unique-counts) (group extend unique-counts)',
  ],
])('counted in advance: %s', (_title, question, expected) => expect(shape(question, PASSES)).toBe(expected));

const RECUR = 'Some values occur over so long a period that hours or weekdays recur.';
const CLOCK_CHANGE = 'A clock change in the range exceeds an hour or splits a period.';
const NO_QUARTER = 'A clock change in the range is not on a quarter hour.';
const NO_FIELD = 'Values are counted in advance by stored fields and by periods.';
const BY_THESE_KEYS = 'The values are not counted in advance by these keys.';
const WITH_THIS_FILTER = 'The values are not counted in advance with this filter.';
const PAGE_VIEW = [{ left: 'allpv.pv_id', right: 'click_event.pv_id' }];
const ONE_PERIOD = 'Distinct values are counted in advance by one period only.';

test.each<[string, Question, string | undefined]>([
  [
    'a range that does not start on a quarter hour',
    { view: grouped([], SESSIONS), start: '2026-03-01T10:17:00' },
    'The range does not start and end on a quarter hour.',
  ],
  [
    'a column without counts',
    { view: grouped([], 'COUNTUNIQUE(allpv.page_id)') },
    'The values are not counted in advance.',
  ],
  ['by another key', { view: grouped(['source_id'], SESSIONS) }, BY_THESE_KEYS],
  ['by two keys', { view: grouped(['device_type', 'country_code'], SESSIONS) }, BY_THESE_KEYS],
  ['by a flag', { view: grouped(['is_newuser'], SESSIONS) }, NO_FIELD],
  [
    'with a filter that allows several values of a field that is not a key',
    { view: { ...grouped(['country_code'], READERS), filter: { device_type: { in: ['PC', 'SP'] } } } },
    WITH_THIS_FILTER,
  ],
  [
    'with a filter that allows all other values of a field that is not a key',
    { view: { ...grouped([], SESSIONS), filter: { device_type: { neq: 'SP' } } } },
    WITH_THIS_FILTER,
  ],
  [
    'with a filter on one of several texts of a page',
    { view: { ...grouped([], SESSIONS), filter: { title: 'T' } } },
    WITH_THIS_FILTER,
  ],
  [
    'by a string that several ids share',
    { view: grouped(['utm_source'], SESSIONS) },
    'Groups are counted instead of rows.',
  ],
  [
    'joined rows',
    { view: { ...grouped([]), join: { with: 'click_event', on: PAGE_VIEW } } },
    'The rows are joined, numbered or limited first.',
  ],
  ['by two periods', { view: grouped(['access_hour', 'access_date'], SESSIONS) }, ONE_PERIOD],
  [
    'by hour, for values that last for days',
    { view: grouped(['access_hour'], SESSIONS), countedSpread: 1 },
    RECUR,
  ],
  [
    'by weekday, for values that last for weeks',
    { view: grouped(['access_weekday'], SESSIONS), countedSpread: 2 },
    RECUR,
  ],
  [
    'by hour, with a clock change of a whole day',
    {
      view: grouped(['access_hour'], SESSIONS),
      start: '2011-12-01',
      end: '2012-01-31',
      tz: 'Pacific/Apia',
    },
    CLOCK_CHANGE,
  ],
  [
    'by weekday, with clocks that go back three hours',
    {
      view: grouped(['access_weekday'], SESSIONS),
      start: '2012-02-01',
      end: '2012-03-01',
      tz: 'Antarctica/Casey',
    },
    CLOCK_CHANGE,
  ],
  [
    'with a filter on another column',
    { view: { ...grouped(['device_type'], SESSIONS), filter: { country_code: 'JP' } } },
    WITH_THIS_FILTER,
  ],
  [
    'a day that a clock change splits',
    { view: grouped(['access_date'], SESSIONS), ...SPLIT_DAY },
    CLOCK_CHANGE,
  ],
  [
    'days with a clock change that is not on a quarter hour',
    { view: grouped(['access_date'], SESSIONS), ...AT_A_MINUTE },
    NO_QUARTER,
  ],
  ['page views by such days', { view: grouped(['access_date']), ...AT_A_MINUTE }, NO_QUARTER],
  ['page views by another key', { view: grouped(['page_id']) }, BY_THESE_KEYS],
  ['page views by two keys', { view: grouped(['device_type', 'country_code']) }, BY_THESE_KEYS],
  ['visits by two periods', { view: grouped(['access_weekday', 'access_hour'], SESSIONS) }, ONE_PERIOD],
  [
    'page views, if another aggregate needs the rows',
    { view: grouped(['device_type'], { n: 'COUNT(allpv.pv_id)', t: 'SUM(allpv.browse_sec)' }) },
    undefined,
  ],
  [
    'days that do not start on a quarter hour',
    {
      view: grouped(['access_date'], SESSIONS),
      start: '1960-01-01T00:15:30',
      end: '1960-02-01T00:15:30',
      tz: 'Africa/Monrovia',
    },
    NO_QUARTER,
  ],
  [
    'values that are not counted yet',
    { view: grouped([], SESSIONS), countedUntil: Date.parse('2026-05-01T00:00:00Z') / 1000 },
    'The columnar copy has not yet counted the values of the whole range.',
  ],
])('counted from the rows: %s', (_title, question, reason) => {
  const { did, because, root } = planned(question, PASSES);
  expect({ did, because }).toEqual({ did: 'nothing', because: reason === undefined ? [] : [reason] });
  expect(nodesOf(root).some(({ kind }) => kind === 'unique-counts')).toBe(false);
});

test('the values only need to be counted up to the end of the range', () => {
  const countedUntil = Date.parse('2026-06-01T00:00:00Z') / 1000;
  expect(shape({ view: grouped([], SESSIONS), countedUntil }, PASSES)).toBe(`limit order ${counts}`);
});

test('groups with null keys match each other', () => {
  const { root } = planned({ view: grouped(['country_code'], { s: SESSIONS, r: READERS }) }, PASSES);
  expect(nodesOf(root).flatMap((node) => (node.kind === 'join' ? [node.nullsMatch] : []))).toEqual([true]);
});
