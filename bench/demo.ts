// Measures the demo site: its load, each query's first and usual time at the client, and what a request costs beside
// the database. A host in -> sections of the report.
import { loadDemo } from '../extension/demo/load-demo';
import { bodyOf, DEMO_QUERIES } from './demo-queries';
import type { BenchHost } from './host';
import { table } from './page';
import { measureDashboard, measurePages } from './page-times';
import { costSections } from './report/clients-sections';
import { measureRequestCosts, median } from './request-cost';
import { timeRequest } from './time-request';

const ROUNDS = 21;

/** The sections about the demo site, measured in this order. */
export async function measureDemo(host: BenchHost): Promise<readonly string[]> {
  const { installation, target, url, login, loginPassword } = host;
  const now = new Date();
  const loading = performance.now();
  await loadDemo(installation.database.write, { now, onProgress: () => {} });
  const loadSeconds = (performance.now() - loading) / 1000;
  const rows: string[][] = [];
  for (const query of DEMO_QUERIES) {
    const times: number[] = [];
    for (let round = 0; round < ROUNDS; round++) times.push(await timeRequest(target(bodyOf(query, now))));
    rows.push([query.name, (times[0] ?? 0).toFixed(1), median(times.slice(1)).toFixed(1)]);
  }
  const small = DEMO_QUERIES.find(({ name }) => name === 'count_only');
  if (small === undefined) throw new Error('The small query is gone.');
  const lastHour = { ...small, view: { from: ['allpv'], keep: ['allpv.url'], filter: { pv_id: 1 } } };
  const costs = await measureRequestCosts({ 'POST /query, small answer': target(bodyOf(lastHour, now)) });
  const dashboard = await measureDashboard(url, login, loginPassword);
  const pages = await measurePages(url, login, loginPassword);
  return [
    `Demo site loaded (200,000 page views, sessions and all): ${loadSeconds.toFixed(1)} s.`,
    '### Queries over the 90 days of the demo\n\nMilliseconds at the client, over HTTP with authentication.',
    table(['query', 'first', 'p50 of 20'], rows),
    ...costSections(costs),
    '### Pages\n\nMilliseconds at the client. The dashboard is also measured in a Chromium, where there is one, until the last of its eight queries of 30 days is drawn.',
    table(
      ['page', 'first', 'p50 of 20'],
      [...pages, ...(dashboard === undefined ? [] : [dashboard])].map(({ address, firstMs, usualMs }) => [
        address,
        firstMs.toFixed(1),
        usualMs.toFixed(1),
      ]),
    ),
  ];
}
