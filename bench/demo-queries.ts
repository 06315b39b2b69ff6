// Owns the questions that the benchmark asks of the demo site, over its 90 days.

export interface DemoQuery {
  readonly name: string;
  readonly view: object;
  /** allpv unless said. */
  readonly materials?: readonly string[];
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
  {
    name: 'clicks by page (join)',
    materials: ['allpv', 'click_event'],
    view: {
      from: ['allpv'],
      keep: ['allpv.url'],
      join: { with: 'click_event', on: [{ left: 'allpv.pv_id', right: 'click_event.pv_id' }] },
      calc: { clicks: 'COUNT(click_event.pv_id)' },
      sort: { by: 'clicks', order: 'desc', top: 10 },
    },
  },
  {
    name: 'revenue by campaign (join)',
    materials: ['allpv', 'events.purchase'],
    view: {
      from: ['events.purchase'],
      keep: ['allpv.utm_campaign'],
      join: { with: 'allpv', on: [{ left: 'events.purchase.pv_id', right: 'allpv.pv_id' }] },
      calc: { revenue: 'SUM(events.purchase.value)' },
    },
  },
  {
    name: 'conversions by source',
    view: {
      from: ['allpv'],
      keep: ['allpv.utm_source'],
      filter: { pv: 1 },
      calc: { visits: 'COUNT(allpv.pv_id)', conversions: 'SUM(allpv.is_goal_1)' },
    },
  },
  {
    name: 'conversions by day',
    materials: ['goal_1'],
    view: { from: ['goal_1'], keep: ['goal_1.access_date'], calc: { conversions: 'COUNT(goal_1.pv_id)' } },
  },
  {
    name: 'search keywords',
    materials: ['gsc'],
    view: {
      from: ['gsc'],
      keep: ['gsc.keyword'],
      calc: { clicks: 'SUM(gsc.clicks)', impressions: 'SUM(gsc.impressions)' },
      sort: { by: 'clicks', order: 'desc', top: 10 },
    },
  },
  {
    name: 'summary of landing pages',
    materials: ['summary_landingpage'],
    view: {
      from: ['summary_landingpage'],
      keep: ['summary_landingpage.url'],
      calc: {
        visits: 'SUM(summary_landingpage.session_count)',
        bounces: 'SUM(summary_landingpage.bounce_count)',
      },
      sort: { by: 'visits', order: 'desc', top: 10 },
    },
  },
];

/** The body of a query over the 90 days before `now`. */
export function bodyOf({ view, materials = ['allpv'], result = { use: 'v' } }: DemoQuery, now: Date): string {
  const day = (ms: number) => `${new Date(ms).toISOString().slice(0, 10)}T00:00:00`;
  const start = day(now.getTime() - 90 * 86_400_000);
  return JSON.stringify({
    tracking_id: 'demo',
    materials: materials.map((name) => ({ name })),
    time: { start, end: day(now.getTime() + 86_400_000), tz: 'Europe/Berlin' },
    make: { v: view },
    result,
  });
}
