// Measures the server under concurrent clients, each of which sends the dashboard's queries over HTTP one at a time. When
// run as a program, this file runs the clients.
import http from 'node:http';
import { LARGE_SITE, SITE_TIMEZONE } from './data/shape';
import type { BenchHost } from './host';
import { send, type Target } from './http-client';
import { openingQueries } from './opening-queries';
import { dayBefore } from './queries';
import { runSeparately, workAlone } from './separately';
import { quantile } from './statistics';

/** Latencies in milliseconds. */
export interface Throughput {
  readonly clients: number;
  readonly requestsPerSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly requests: number;
  readonly errors: number;
}

interface ClientsTask {
  readonly targets: readonly Target[];
  readonly clients: number;
}

interface ClientsResult {
  readonly times: readonly number[];
  readonly errors: number;
  readonly seconds: number;
}

const CLIENTS = [1, 4, 16];
const WARM_UP_MS = 2_000;
const MEASURED_MS = 10_000;
const DAYS = 30;
const QUERIES = openingQueries({
  site: { trackingId: LARGE_SITE, timezone: SITE_TIMEZONE },
  range: { first: dayBefore(DAYS), last: dayBefore(1) },
  filters: [],
});

export const dashboardTargets = (host: BenchHost, url: string): readonly Target[] =>
  QUERIES.map(({ query }) => host.target(JSON.stringify(query), '', url));

/** Measures latency and throughput for each number of clients. */
export async function measureThroughput(targets: readonly Target[]): Promise<readonly Throughput[]> {
  const all: Throughput[] = [];
  for (const clients of CLIENTS) {
    const { times, errors, seconds } = await runSeparately<ClientsTask, ClientsResult>(__filename, {
      targets,
      clients,
    });
    const requests = times.length;
    const latencies = { p50: quantile(times, 0.5), p99: quantile(times, 0.99) };
    all.push({ clients, requestsPerSecond: requests / seconds, ...latencies, requests, errors });
  }
  return all;
}

async function runClients({ targets, clients }: ClientsTask): Promise<ClientsResult> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: clients });
  const times: number[] = [];
  let errors = 0;
  const begin = performance.now() + WARM_UP_MS;
  const end = begin + MEASURED_MS;
  const client = async (number: number): Promise<void> => {
    for (let turn = number; performance.now() < end; turn += 1) {
      const target = targets[turn % targets.length];
      if (target === undefined) return;
      const started = performance.now();
      const { status } = await send(target, agent);
      if (started < begin) continue;
      if (status === 200) times.push(performance.now() - started);
      else errors += 1;
    }
  };
  try {
    await Promise.all(Array.from({ length: clients }, (_, number) => client(number)));
  } finally {
    agent.destroy();
  }
  return { times, errors, seconds: (performance.now() - begin) / 1000 };
}

if (require.main === module) workAlone(runClients);
