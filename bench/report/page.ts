// The main report page: goals, all questions, growth, memory and disk, loader, clients.
import type { Compared } from '../compare';
import type { Size } from '../data/shape';
import { LIMIT_MS } from '../forms';
import { CONNECTIONS } from '../full-house';
import { GROWTH_QUERIES } from '../measure-size';
import { RANGES } from '../queries';
import type { Results } from '../results';
import { geometricMean } from '../statistics';
import { goalsTable } from './goals';
import { msOf, timesAsFast } from './ratios';
import { loadOf, type Run, speedOf } from './run';
import { short, table, whole } from './table';

/** The sections that have measurements. */
export function pageSections(run: Run): readonly string[] {
  return [
    run.about,
    describeData(run.results),
    `## Goals`,
    goalsTable(run),
    ...questionSections(run.results),
    ...growthSections(run),
    ...loaderSections(run),
    ...serverSections(run.results),
    ...fullHouseSections(run.results),
  ];
}

function describeData({ stored, duck }: Results): string {
  if (stored === undefined) return 'No data has been loaded.';
  const { views, sessions, readers, pages, clicks, searches } = stored.counts;
  const duckNote = duck === undefined ? '' : ` DuckDB ${duck.version} with a sorted native file.`;
  return `${whole(views)} page views from one year on three sites (80%, 15% and 5%), ${whole(sessions)} visits by ${whole(readers)} readers to ${whole(pages)} pages, ${whole(clicks)} clicks, ${whole(searches)} search rows; questions are about the largest site unless they say all sites. PostgreSQL ${stored.version}, shared_buffers ${stored.sharedBuffers}.${duckNote}`;
}

const QUESTIONS = `## Questions

*ms* is the whole request over HTTP with authentication and JSON, answered from the columnar copy: the median of up to seven
executions, warm, without the result cache. The ratios show how many times as long other forms take for the same rows in the
same order: *best* is optimized SQL in DuckDB (ids first), *same* straightforward SQL in DuckDB, *hand* the best SQL we know for
PostgreSQL, all without HTTP, authentication or JSON. Above 1, we are faster. \`>\` marks forms that timed out after ${LIMIT_MS / 1000} s.`;

const OTHERS = { best: 'DuckDB best', same: 'DuckDB same', hand: 'by hand' } as const;

function questionSections({ questions }: Results): readonly string[] {
  const all = Object.values(questions).flat();
  if (all.length === 0) return [];
  const others = Object.entries(OTHERS);
  const rows = Object.entries(questions).map(([name, ranges]) => [
    name,
    ...RANGES.flatMap((days) => {
      const one = ranges.find((each) => each.days === days);
      if (one === undefined) return ['', ...others.map(() => '')];
      const ours = msOf(one, 'columns');
      return [ours === undefined ? '' : short(ours), ...others.map(([, form]) => shownRatio(one, form))];
    }),
  ]);
  const means = RANGES.flatMap((days) => {
    const inRange = all.filter((one) => one.days === days);
    return ['', ...others.map(([, form]) => meanOf(inRange.map((one) => timesAsFast(one, form))))];
  });
  const head = RANGES.flatMap((days) => [`${days} days, ms`, ...others.map(([name]) => name)]);
  return [QUESTIONS, table(['question', ...head], [...rows, ['**geometric mean**', ...means]])];
}

function shownRatio(one: Compared, form: (typeof OTHERS)[keyof typeof OTHERS]): string {
  const ratio = timesAsFast(one, form);
  if (ratio === undefined) return '';
  return msOf(one, form) === undefined ? `> ${whole(ratio)}` : short(ratio);
}

function meanOf(ratios: readonly (number | undefined)[]): string {
  const known = ratios.filter((ratio) => ratio !== undefined);
  return known.length === 0 ? '' : short(geometricMean(known));
}

const SIZES: readonly Size[] = ['1m', '3m', '10m', '50m'];

function growthSections({ size, results, growth }: Run): readonly string[] {
  const all: Readonly<Partial<Record<Size, Results>>> = { ...growth, [size]: results };
  const sizes = SIZES.flatMap((name) => {
    const one = all[name];
    return one?.stored === undefined
      ? []
      : [{ name, one, views: one.stored.counts.views, bytes: one.stored.bytes }];
  });
  if (sizes.length < 2) return [];
  const line = (what: string, of: (entry: (typeof sizes)[number]) => number | undefined) => [
    what,
    ...sizes.map((entry) => {
      const value = of(entry);
      return value === undefined ? '' : short(value);
    }),
  ];
  const clients = (one: Results, count: number) =>
    one.served?.throughput.find((each) => each.clients === count);
  return [
    '## Growth with the amount of data',
    table(
      ['', ...sizes.map(({ name }) => name)],
      [
        ...GROWTH_QUERIES.map((name) =>
          line(`${name}, a year, ms`, ({ one }) => {
            const year = one.questions[name]?.find(({ days }) => days === Math.max(...RANGES));
            return year && msOf(year, 'columns');
          }),
        ),
        line('PostgreSQL, bytes per view', ({ bytes, views }) => bytes / views),
        line('columnar copy, bytes per view', ({ one, views }) => one.fill && one.fill.bytes / views),
        line('first fill of the copy, s', ({ one }) => one.fill?.seconds),
        line('unique counts precomputed, s', ({ one }) => one.fill?.countedSeconds),
        line("a day's import visible, s", ({ one }) => one.served && one.served.refresh.visibleMs / 1000),
        line('loader, page views per second', ({ one }) => {
          const cost = loadOf(one, 'allpv');
          return cost && speedOf(cost);
        }),
        line('loader, peak MB', ({ one }) => loadOf(one, 'allpv')?.peakMegabytes),
        line('server after startup, MB', ({ one }) => one.served?.startedMegabytes),
        line('server, peak MB', ({ one }) => one.served?.peakMegabytes),
        line('16 clients, requests per second', ({ one }) => clients(one, 16)?.requestsPerSecond),
        line('16 clients, p99, ms', ({ one }) => clients(one, 16)?.p99),
        line('1 client, p50, ms', ({ one }) => clients(one, 1)?.p50),
      ],
    ),
  ];
}

function loaderSections({ results, loader }: Run): readonly string[] {
  const costs = {
    'the load above: page views with ids': loadOf(results, 'allpv'),
    'the load above: clicks': loadOf(results, 'click_event'),
    'the load above: searches': loadOf(results, 'gsc'),
    'page views with ids': loader?.given,
    'the same file again': loader?.again,
    'page views, with generated ids and visits': loader?.generated,
  };
  const rows = Object.entries(costs).flatMap(([what, cost]) =>
    cost === undefined ? [] : [[what, whole(cost.rows), whole(speedOf(cost)), whole(cost.peakMegabytes)]],
  );
  if (rows.length === 0) return [];
  return [
    '## Loader\n\n`qal import` of NDJSON, as reported by the command, with its peak memory.',
    table(['', 'rows', 'rows per second', 'MB'], rows),
  ];
}

function serverSections({ served, costs }: Results): readonly string[] {
  const clients = served?.throughput.map(({ clients, requestsPerSecond, p50, p99, requests, errors }) => [
    String(clients),
    ...[requestsPerSecond, p50, p99].map(short),
    whole(requests),
    String(errors),
  ]);
  return [
    ...(clients === undefined
      ? []
      : [
          "## Concurrent clients\n\nEach client sends the dashboard's queries over 30 days one after the other, from a separate process on the same machine. In milliseconds, without the result cache.",
          table(['clients', 'requests per second', 'p50', 'p99', 'requests', 'errors'], clients),
        ]),
    ...(costs === undefined
      ? []
      : [
          '## What a request costs\n\nIn milliseconds, p50 of 1000 requests of each kind, sent alternately, one at a time. *own* is the total without the statement on the copy; it includes PostgreSQL (user, data versions).',
          table(
            ['request', 'total', 'columnar copy', 'PostgreSQL', 'own'],
            costs.map(({ kind, totalMs, engineMs, postgresMs, ownMs }) => [
              kind,
              ...[totalMs, engineMs, postgresMs, ownMs].map((ms) => ms.toFixed(2)),
            ]),
          ),
        ]),
  ];
}

const FULL_HOUSE = `## A thousand connections

${whole(CONNECTIONS)} connections of two users send the dashboard's queries over 30 days for ten seconds; each waits as long as a refusal asks it to.
Meanwhile, one more client of one of these users sends a query every 50 ms, \`/healthz\` is requested every 50 ms on either port, and a third user sends
\`count_only\` every 250 ms, each from a separate process, on new connections, whether or not earlier requests are answered. In milliseconds, without the result cache. All clients share the
cores with the server; the crowd runs at a lower priority, so its times include its own wait for a core.`;

const PARTS = [
  ['crowd', 'the crowd'],
  ['newcomer', 'one more client in the crowd'],
  ['healthPort', '`/healthz` on `HEALTH_PORT`'],
  ['mainPort', '`/healthz` on `PORT`'],
  ['thirdUser', 'the third user'],
] as const;
const OUTCOMES = [
  ['answered', 'answered'],
  ['shed', 'refused by load shedding'],
  ['busy', 'refused by the query queue'],
  ['failed', 'failed'],
] as const;

function fullHouseSections({ fullHouse }: Results): readonly string[] {
  if (fullHouse === undefined) return [];
  const rows = PARTS.flatMap(([part, name]) => {
    const measured = fullHouse[part];
    if (measured === undefined) return [[`${name}: not measured (\`${part}\`)`, '', '', '', '']];
    return OUTCOMES.flatMap(([outcome, what]) => {
      const times = measured[outcome];
      if (times === undefined) return [];
      return [[`${name}, ${what}`, whole(times.requests), ...[times.p50, times.p99, times.most].map(short)]];
    });
  });
  return [FULL_HOUSE, table(['', 'requests', 'p50', 'p99', 'slowest'], rows)];
}
