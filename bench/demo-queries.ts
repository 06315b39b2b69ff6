// Owns the questions that the benchmark asks of the demo site, over its 90 days.

export interface DemoQuery {
  readonly name: string;
  readonly view: object;
  readonly result?: object;
}

const views = { views: 'COUNT(allpv.pv_id)' };
const byViews = { by: 'views', order: 'desc', top: 10 };

export const DEMO_QUERIES: readonly DemoQuery[] = [
  { name: 'top pages', view: { from: ['allpv'], keep: ['allpv.url'], calc: views, sort: byViews } },
  {
    name: 'top pages with titles',
    view: { from: ['allpv'], keep: ['allpv.url', 'allpv.title'], calc: views, sort: byViews },
  },
  { name: 'countries', view: { from: ['allpv'], keep: ['allpv.country_code'], calc: views, sort: byViews } },
  { name: 'sources', view: { from: ['allpv'], keep: ['allpv.utm_source'], calc: views, sort: byViews } },
  { name: 'daily trend', view: { from: ['allpv'], keep: ['allpv.access_date'], calc: views } },
  {
    name: 'visits and visitors by device',
    view: {
      from: ['allpv'],
      keep: ['allpv.device_type'],
      calc: { visits: 'COUNTUNIQUE(allpv.session_id)', visitors: 'COUNTUNIQUE(allpv.reader_id)' },
    },
  },
  {
    name: 'rage clicks by page',
    view: {
      from: ['allpv'],
      keep: ['allpv.url'],
      filter: { irritation_click_count: { gt: 0 } },
      calc: { clicks: 'SUM(allpv.irritation_click_count)' },
      sort: { by: 'clicks', order: 'desc', top: 10 },
    },
  },
  {
    name: 'list of 1000 rows',
    view: {
      from: ['allpv'],
      keep: ['allpv.access_time', 'allpv.url', 'allpv.title', 'allpv.device_type', 'allpv.country_code'],
    },
  },
  {
    name: 'count_only',
    view: { from: ['allpv'], keep: ['allpv.pv_id'] },
    result: { use: 'v', count_only: true },
  },
];

/** The body of a query over the 90 days before `now`. */
export function bodyOf({ view, result = { use: 'v' } }: DemoQuery, now: Date): string {
  const day = (ms: number) => `${new Date(ms).toISOString().slice(0, 10)}T00:00:00`;
  const start = day(now.getTime() - 90 * 86_400_000);
  return JSON.stringify({
    tracking_id: 'demo',
    materials: [{ name: 'allpv' }],
    time: { start, end: day(now.getTime() + 86_400_000), tz: 'Europe/Berlin' },
    make: { v: view },
    result,
  });
}
