// Owns the words and tables on what a request costs and on many clients at once.
import { table } from '../page';
import type { RequestCost } from '../request-cost';
import { DASHBOARD, type Throughput } from '../throughput';

export interface CachedTime {
  readonly query: string;
  readonly firstMs: number;
  readonly usualMs: number;
}

/** Clients, requests and latencies; then the costs, and answers out of the cache. */
export function clientsSections(
  all: readonly Throughput[],
  costs: readonly RequestCost[],
  cached: readonly CachedTime[],
): readonly string[] {
  const rows = all.map(({ clients, requestsPerSecond, p50, p99, requests, errors }) => [
    String(clients),
    requestsPerSecond.toFixed(1),
    p50.toFixed(1),
    p99.toFixed(1),
    String(requests),
    String(errors),
  ]);
  return [
    `### Clients at once\n\nOver HTTP, each client one query of the dashboard after the other, over 30 days: ${DASHBOARD.join(', ')}. The clients run in a process of their own on the same machine. Milliseconds; no cache of answers.`,
    table(['clients', 'requests/s', 'p50', 'p99', 'requests', 'errors'], rows),
    ...costSections(costs),
    '### Out of the cache of answers\n\nOver HTTP; milliseconds at the client. *first* is computed, the others are not.',
    table(
      ['query', 'first', 'p50 of 20'],
      cached.map(({ query, firstMs, usualMs }) => [query, firstMs.toFixed(2), usualMs.toFixed(2)]),
    ),
  ];
}

/** What requests cost beside the database. */
export const costSections = (costs: readonly RequestCost[]): readonly string[] => [
  '### What a request costs\n\nMilliseconds, p50 of 1000, one request at a time, in turns. "own" is the request without the time in which a statement was under way: HTTP, authentication, parsing, resolving, planning, compiling, shaping.',
  table(
    ['request', 'whole', 'database', 'own'],
    costs.map(({ kind, totalMs, databaseMs, ownMs }) => [
      kind,
      ...[totalMs, databaseMs, ownMs].map((ms) => ms.toFixed(2)),
    ]),
  ),
];
