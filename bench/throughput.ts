// Owns the measurement of many clients at once: a dashboard's queries over HTTP, each client one after the other.
// The clients live in the measured process; their share of its time is part of what is measured.
import http from 'node:http';
import { post } from './forms';
import type { BenchHost } from './host';
import { BENCH_QUERIES, bodyOf } from './queries';

export interface Throughput {
  readonly clients: number;
  readonly requestsPerSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly requests: number;
  readonly errors: number;
}

const CLIENTS = [1, 4, 16];
const WARM_UP_MS = 2_000;
const MEASURED_MS = 10_000;
const DAYS = 30;
/** What the first page of a dashboard asks. */
export const DASHBOARD = [
  'count_only',
  'daily trend',
  'top pages',
  'by country',
  'by utm_source',
  'by device',
  'sessions by device',
  'landing pages',
];

/** Latency and throughput for each number of clients. */
export async function measureThroughput(host: BenchHost): Promise<readonly Throughput[]> {
  const bodies = DASHBOARD.map((name) => {
    const query = BENCH_QUERIES.find((one) => one.name === name);
    if (query === undefined) throw new Error(`There is no query ${name}.`);
    return bodyOf(query, DAYS);
  });
  const all: Throughput[] = [];
  for (const clients of CLIENTS) all.push(await measureClients(host, bodies, clients));
  return all;
}

async function measureClients(
  host: BenchHost,
  bodies: readonly string[],
  clients: number,
): Promise<Throughput> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: clients });
  const times: number[] = [];
  let errors = 0;
  const begin = performance.now() + WARM_UP_MS;
  const end = begin + MEASURED_MS;
  const client = async (number: number): Promise<void> => {
    for (let turn = number; performance.now() < end; turn += 1) {
      const started = performance.now();
      const { status } = await post(host.target(bodies[turn % bodies.length] ?? ''), agent);
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
  const seconds = (performance.now() - begin) / 1000;
  const sorted = times.sort((a, b) => a - b);
  const at = (share: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
  return {
    clients,
    requestsPerSecond: times.length / seconds,
    p50: at(0.5),
    p99: at(0.99),
    requests: times.length,
    errors,
  };
}
