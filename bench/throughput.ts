// Owns the measurement of many clients at once: a dashboard's queries over HTTP, each client one after the other.
// A running host in -> requests per second and latencies for each number of clients.
import { fork } from 'node:child_process';
import { dashboardPanels } from '../extension/admin/dashboard-queries';
import type { ClientsAnswer, ClientsWish } from './clients';
import { LARGE_SITE, SITE_TIMEZONE } from './data/shape';
import type { BenchHost } from './host';
import { dayBefore } from './queries';

export interface Throughput {
  readonly clients: number;
  readonly requestsPerSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly requests: number;
  readonly errors: number;
}

export const CLIENTS = [1, 4, 16] as const;
const WARM_UP_MS = 2_000;
const MEASURED_MS = 10_000;
const DAYS = 30;
/** What the first page of the program asks, as it asks it. */
const PANELS = dashboardPanels(
  { trackingId: LARGE_SITE, timezone: SITE_TIMEZONE },
  { first: dayBefore(DAYS), last: dayBefore(1) },
);
/** The titles of its panels. */
export const DASHBOARD = PANELS.map(({ title }) => title);

/** Latency and throughput for each number of clients. */
export async function measureThroughput(host: BenchHost): Promise<readonly Throughput[]> {
  const targets = PANELS.map(({ query }) => host.target(JSON.stringify(query)));
  const all: Throughput[] = [];
  for (const clients of CLIENTS) {
    const wish = { targets, clients, warmUpMs: WARM_UP_MS, measuredMs: MEASURED_MS };
    all.push({ clients, ...shown(await playClients(wish)) });
  }
  return all;
}

function playClients(wish: ClientsWish): Promise<ClientsAnswer> {
  const child = fork(require.resolve('./clients'));
  return new Promise((resolve, reject) => {
    child.once('message', (answer: ClientsAnswer) => resolve(answer));
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`The clients ended with ${code} and said nothing.`)));
    child.send(wish);
  });
}

function shown({ times, errors, seconds }: ClientsAnswer): Omit<Throughput, 'clients'> {
  const sorted = [...times].sort((a, b) => a - b);
  const at = (share: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
  const requests = times.length;
  return { requestsPerSecond: requests / seconds, p50: at(0.5), p99: at(0.99), requests, errors };
}
