// The demo site: its load, each query's first and usual time at the client, what a request costs, and the pages.
import { loadDemo } from '../extension/demo/load-demo';
import type { BenchHost } from './host';
import { type NamedTimes, timeRequest } from './http-client';
import { measureDashboard, measurePages } from './page-times';
import { BENCH_QUERIES, queryBody } from './queries';
import { type BenchQuery, viewOf } from './queries/bench-query';
import { costSections, timesTable } from './report/clients-sections';
import { measureRequestCosts } from './request-cost';

type DemoQuery = Pick<BenchQuery, 'name' | 'materials' | 'view' | 'result'>;

const ROUNDS = 20;
const DAY_MS = 86_400_000;

/** Questions of the comparison that the demo site can be asked too. */
const SHARED = [
  ...['top pages', 'by country', 'by utm_source', 'daily trend', 'sessions by device', 'rage pages'],
  ...['list of 1000 rows', 'count_only', 'search keywords'],
];

/** Questions about what only the demo site has, or about more of it. */
const OWN: readonly DemoQuery[] = [
  {
    name: 'clicks by page (join)',
    materials: ['allpv', 'click_event'],
    view: viewOf(['allpv.url'], {
      join: { with: 'click_event', on: [{ left: 'allpv.pv_id', right: 'click_event.pv_id' }] },
      calc: { clicks: 'COUNT(click_event.pv_id)' },
      sort: { by: 'clicks', order: 'desc', top: 10 },
    }),
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
    view: viewOf(['allpv.utm_source'], {
      filter: { pv: 1 },
      calc: { visits: 'COUNT(allpv.pv_id)', conversions: 'SUM(allpv.is_goal_1)' },
    }),
  },
  {
    name: 'conversions by day',
    materials: ['goal_1'],
    view: viewOf(['goal_1.access_date'], { calc: { conversions: 'COUNT(goal_1.pv_id)' } }),
  },
  {
    name: 'summary of landing pages',
    materials: ['summary_landingpage'],
    view: viewOf(['summary_landingpage.url'], {
      calc: {
        visits: 'SUM(summary_landingpage.session_count)',
        bounces: 'SUM(summary_landingpage.bounce_count)',
      },
      sort: { by: 'visits', order: 'desc', top: 10 },
    }),
  },
];

const SMALL: DemoQuery = {
  name: 'small answer',
  view: viewOf(['allpv.url'], { filter: { pv_id: 1 } }),
  result: { use: 'v', count_only: true },
};

/** The sections about the demo site, measured in this order. */
export async function measureDemo(host: BenchHost): Promise<readonly string[]> {
  const { installation, url, login, loginPassword } = host;
  const now = new Date();
  const loading = performance.now();
  await loadDemo(installation.database.write, { now, onProgress: () => {} });
  const loadSeconds = (performance.now() - loading) / 1000;
  const target = (query: DemoQuery) => host.target(bodyOf(query, now));
  const queries: NamedTimes[] = [];
  for (const query of [...BENCH_QUERIES.filter(({ name }) => SHARED.includes(name)), ...OWN]) {
    queries.push({ name: query.name, ...(await timeRequest(target(query), ROUNDS)) });
  }
  const costs = await measureRequestCosts({ 'POST /query, small answer': target(SMALL) });
  const dashboard = await measureDashboard(url, login, loginPassword);
  const pages = await measurePages(url, login, loginPassword);
  return [
    `Demo site loaded (200,000 page views, sessions and all): ${loadSeconds.toFixed(1)} s.`,
    '### Queries over the 90 days of the demo\n\nMilliseconds at the client, over HTTP with authentication.',
    timesTable('query', queries),
    ...costSections(costs),
    '### Pages\n\nMilliseconds at the client. The dashboard is also measured in a Chromium, where there is one, until the last of its eight queries of 30 days is drawn.',
    timesTable('page', [...pages, ...(dashboard === undefined ? [] : [dashboard])]),
  ];
}

/** The body of a query over the 90 days before `now`. */
function bodyOf(query: DemoQuery, now: Date): string {
  const midnight = (ms: number) => `${new Date(ms).toISOString().slice(0, 10)}T00:00:00`;
  const start = midnight(now.getTime() - 90 * DAY_MS);
  return queryBody(query, 'demo', { start, end: midnight(now.getTime() + DAY_MS), tz: 'Europe/Berlin' });
}
