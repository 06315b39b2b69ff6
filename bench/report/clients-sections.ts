// Words and tables on many clients at once, on what a request costs, and on cached results.
import type { NamedTimes } from '../http-client';
import { table } from '../page';
import type { RequestCost } from '../request-cost';
import { DASHBOARD, type Throughput } from '../throughput';

/** Clients, requests and latencies; then the costs, and results from the cache. */
export function clientsSections(
  all: readonly Throughput[],
  costs: readonly RequestCost[],
  cached: readonly NamedTimes[],
): readonly string[] {
  const rows = all.map(({ clients, requestsPerSecond, p50, p99, requests, errors }) => [
    String(clients),
    ...[requestsPerSecond, p50, p99].map((number) => number.toFixed(1)),
    String(requests),
    String(errors),
  ]);
  return [
    `### Clients at once\n\nOver HTTP, each client one query of the dashboard after the other, over 30 days: ${DASHBOARD.join(', ')}. The clients run in a process of their own on the same machine. Milliseconds; no result cache.`,
    table(['clients', 'requests/s', 'p50', 'p99', 'requests', 'errors'], rows),
    ...costSections(costs),
    '### From the result cache\n\nOver HTTP; milliseconds at the client. Only *first* runs a statement.',
    timesTable('query', cached, 2),
  ];
}

/** What requests cost besides the database. */
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

/** A table of first and usual times, which are medians of 20. */
export const timesTable = (what: string, all: readonly NamedTimes[], digits = 1): string =>
  table(
    [what, 'first', 'p50 of 20'],
    all.map(({ name, firstMs, usualMs }) => [name, firstMs.toFixed(digits), usualMs.toFixed(digits)]),
  );
