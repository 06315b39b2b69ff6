// Owns the words and tables of the comparison in docs/performance.md.
import type { Compared, Spread } from './compare';
import type { LoadCost } from './data/load';
import type { FormName } from './forms';
import { table } from './page';
import { RANGES } from './queries';
import { DASHBOARD, type Throughput } from './throughput';

const ABOUT = `Milliseconds, medians of 7 executions (3 of what takes more than a second), all forms of a question by turns in one
run and warm; all answered the same rows in the same order. *ours* is the whole request over HTTP with authentication
and JSON, *database* the part of it in which any statement was under way, *query* its longest statement. The others have
no HTTP: *without passes* is our plain plan in the process, *by hand* the best SQL that we know for our tables over the
same driver and settings, DuckDB a sorted native file in the process, *same* as one would write it (joined to texts,
grouped by texts), *best* by ids first. Ratios are the other's time divided by ours, so above 1 ours is the faster.`;

/** Tables by range, then what follows from them. */
export function comparisonSections(all: readonly Compared[], limitMs: number): readonly string[] {
  return [
    ABOUT,
    ...RANGES.flatMap((days) => [
      `### ${days} days`,
      rangeTable(
        all.filter((one) => one.days === days),
        limitMs,
      ),
    ]),
    '### Geometric means of the ratios',
    meansTable(all),
  ];
}

const HEAD = [
  'query',
  'rows',
  'ours',
  'database',
  'query',
  'without passes',
  'by hand',
  'DuckDB same',
  'DuckDB best',
  'hand : query',
  'DuckDB same : ours',
  'DuckDB best : ours',
];

function rangeTable(compared: readonly Compared[], limitMs: number): string {
  const ms = (spread: Spread | undefined) => spread?.median.toFixed(1) ?? `over ${limitMs / 1000} s`;
  const rows = compared.map((one) => {
    const ours = one.times.get('ours');
    return [
      one.query,
      String(one.rows),
      ms(ours?.whole),
      ...[ours?.database, ours?.query].map((spread) => spread?.median.toFixed(1) ?? ''),
      ...OTHERS.map((name) => ms(one.times.get(name)?.whole)),
      ...RATIOS.map((ratio) => shownRatio(one, ratio, limitMs)),
    ];
  });
  return table(HEAD, rows);
}

const OTHERS = ['without passes', 'by hand', 'DuckDB same', 'DuckDB best'] as const;

interface Ratio {
  readonly name: string;
  readonly other: FormName;
  /** What of ours it is held against. */
  readonly ours: 'whole' | 'query';
}

const RATIOS: readonly Ratio[] = [
  { name: 'hand : query', other: 'by hand', ours: 'query' },
  { name: 'DuckDB same : ours', other: 'DuckDB same', ours: 'whole' },
  { name: 'DuckDB best : ours', other: 'DuckDB best', ours: 'whole' },
];

/** What took too long has a least ratio at any rate. */
function shownRatio(one: Compared, ratio: Ratio, limitMs: number): string {
  const known = ratioOf(one, ratio, 'median');
  const ours = one.times.get('ours')?.[ratio.ours]?.median;
  if (known !== undefined) return known.toFixed(2);
  return ours === undefined ? '' : `over ${(limitMs / ours).toFixed(0)}`;
}

function ratioOf({ times }: Compared, ratio: Ratio, which: keyof Spread): number | undefined {
  const other = times.get(ratio.other)?.whole[which];
  const ours = times.get('ours')?.[ratio.ours]?.[which];
  return other === undefined || ours === undefined ? undefined : other / ours;
}

function meansTable(all: readonly Compared[]): string {
  const kinds = { median: 'medians', least: 'quickest executions' } as const;
  const rows = RANGES.flatMap((days) =>
    (['median', 'least'] as const).map((which) => [
      `${days} days, ${kinds[which]}`,
      ...RATIOS.map((ratio) => {
        const own = all.filter((one) => one.days === days);
        return geometricMean(own.flatMap((one) => ratioOf(one, ratio, which) ?? [])).toFixed(2);
      }),
    ]),
  );
  return table(['range', ...RATIOS.map(({ name }) => name)], rows);
}

const geometricMean = (values: readonly number[]): number =>
  Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length);

/** Rows per second and memory of each material. */
export function loadSections(costs: readonly LoadCost[] | undefined, makeSeconds: number): readonly string[] {
  if (costs === undefined) return ['The data was there from an earlier run.'];
  const rows = costs.map(({ material, rows: count, seconds, cpuSeconds, peakMegabytes }) => [
    material,
    count.toLocaleString('en'),
    seconds.toFixed(1),
    Math.round(count / seconds).toLocaleString('en'),
    ((cpuSeconds / count) * 1e6).toFixed(1),
    peakMegabytes.toFixed(0),
  ]);
  return [
    `### Load\n\nThrough the importers, rows made on the way in the same process: to make a million page views and write them as JSON takes ${makeSeconds.toFixed(1)} s of it. MB is the whole process at its highest.`,
    table(['material', 'rows', 'seconds', 'rows/s', 'µs of CPU in Node per row', 'MB'], rows),
  ];
}

/** Clients, requests and latencies. */
export function throughputSections(all: readonly Throughput[]): readonly string[] {
  const rows = all.map(({ clients, requestsPerSecond, p50, p99, requests, errors }) => [
    String(clients),
    requestsPerSecond.toFixed(1),
    p50.toFixed(1),
    p99.toFixed(1),
    String(requests),
    String(errors),
  ]);
  return [
    `### Clients at once\n\nOver HTTP, each client one query after the other, 30 days of ${DASHBOARD.join(', ')}. The clients run in the measured process. Milliseconds.`,
    table(['clients', 'requests/s', 'p50', 'p99', 'requests', 'errors'], rows),
  ];
}
