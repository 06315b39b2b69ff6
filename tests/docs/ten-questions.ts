// Ten common questions about a site, each with the `make` of a single query that answers it. The result is the last view.

const countOf = (name: string) => ({ [name]: 'COUNT(allpv.pv_id)' });

/** The time of each visit's first view of a page whose URL contains `part`. */
const stepOf = (part: string, name: string) => ({
  from: ['allpv'],
  filter: { url: { contains: part } },
  keep: ['allpv.session_id'],
  calc: { [name]: 'MIN(allpv.access_time)' },
});

const onVisit = (view: string) => ({
  with: view,
  on: [{ left: 'allpv.session_id', right: `${view}.session_id` }],
  'if not match': 'drop',
});

const SEPTEMBER = { start: '2026-09-01T00:00:00', end: '2026-10-01T00:00:00' };
const DECEMBER = { start: '2026-12-01T00:00:00', end: '2027-01-01T00:00:00' };

const clicksOf = (name: string, more: object = {}) => ({
  from: ['gsc'],
  keep: ['gsc.keyword'],
  calc: { [name]: 'SUM(gsc.clicks)' },
  ...more,
});

export const TEN_QUESTIONS: Readonly<Record<string, object>> = {
  'How does the number of visits change from week to week?': {
    weeks: {
      from: ['allpv'],
      keep: ['allpv.access_week'],
      calc: { visits: 'COUNTUNIQUE(allpv.session_id)' },
      sort: { by: 'access_week', order: 'asc' },
    },
  },
  'Which pages load slowly, by their 95th percentile?': {
    slow: {
      from: ['allpv'],
      keep: ['allpv.url'],
      calc: { p95: 'PERCENTILE(allpv.speed_msec, 95)' },
      sort: { by: 'p95', order: 'desc', top: 10 },
    },
  },
  'How many visits include the front page, then a product, then the journal?': {
    first: stepOf('demo.example', 'at_1'),
    second: stepOf('/products/', 'at_2'),
    third: stepOf('/journal/', 'at_3'),
    two: {
      from: ['first'],
      join: onVisit('second'),
      keep: ['first.session_id', 'first.at_1', 'second.at_2'],
    },
    three: {
      from: ['two'],
      filter: { at_1: { lte: { column: 'at_2' } } },
      join: onVisit('third'),
      keep: ['two.session_id', 'two.at_2', 'third.at_3'],
    },
    done: {
      from: ['three'],
      filter: { at_2: { lt: { column: 'at_3' } } },
      keep: [],
      calc: { visits: 'COUNT(three.session_id)' },
    },
  },
  'Which search keywords brought clicks earlier, but none in December?': {
    now: clicksOf('clicks_now', { time: DECEMBER }),
    before: clicksOf('clicks_before'),
    both: {
      from: ['before'],
      join: { with: 'now', on: [{ left: 'gsc.keyword', right: 'now.keyword' }] },
      keep: ['before.keyword', 'before.clicks_before', 'now.clicks_now'],
    },
    lost: { from: ['both'], filter: { clicks_now: null }, keep: ['both.keyword', 'both.clicks_before'] },
  },
  'What is the conversion rate of each campaign?': {
    campaigns: {
      from: ['allpv'],
      filter: { pv: 1 },
      keep: ['allpv.utm_campaign'],
      calc: { rate: 'SUM(allpv.is_goal_1) / COUNT(allpv.pv_id)' },
    },
  },
  'What is the bounce rate of landing pages?': {
    landings: {
      from: ['allpv'],
      filter: { pv: 1 },
      keep: ['allpv.url'],
      calc: { visits: 'COUNT(allpv.pv_id)', bounce_rate: 'SUM(allpv.is_last) / COUNT(allpv.pv_id)' },
      sort: { by: 'visits', order: 'desc', top: 20 },
    },
  },
  'How many pages are viewed per visit, by device?': {
    devices: {
      from: ['allpv'],
      keep: ['allpv.device_type'],
      calc: { pages_per_visit: 'COUNT(allpv.pv_id) / COUNTUNIQUE(allpv.session_id)' },
    },
  },
  'How do page views compare with the previous month, by page?': {
    before: { from: ['allpv'], time: SEPTEMBER, keep: ['allpv.url'], calc: countOf('views_before') },
    now: { from: ['allpv'], keep: ['allpv.url'], calc: countOf('views_now') },
    both: {
      from: ['now'],
      join: { with: 'before', on: [{ left: 'allpv.url', right: 'before.url' }], fill: 0 },
      keep: ['now.url', 'now.views_now', 'before.views_before'],
      sort: { by: 'views_now', order: 'desc' },
    },
  },
  'What are the three most viewed pages in each country?': {
    top: {
      from: ['allpv'],
      keep: ['allpv.country_code', 'allpv.url'],
      calc: countOf('views'),
      sort: { by: 'views', order: 'desc', top: 3, per: ['country_code'] },
    },
  },
  'On which weekdays, and at which hours, do people visit?': {
    hours: {
      from: ['allpv'],
      keep: ['allpv.access_weekday', 'allpv.access_hour'],
      calc: { visitors: 'COUNTUNIQUE(allpv.reader_id)' },
    },
  },
};
