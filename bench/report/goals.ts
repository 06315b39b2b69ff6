// Owns the goals of the benchmark and whether a run reaches them: computed from its numbers, never written by hand.
import type { Compared } from '../compare';
import type { LoadCost } from '../data/load';
import { table } from '../page';
import type { RequestCost } from '../request-cost';
import type { Throughput } from '../throughput';
import { ofMaterial } from './load-sections';
import { geometricMean, leastRatio, RATIOS, type Ratio, rawStatement } from './ratios';

export interface Run {
  readonly compared: readonly Compared[];
  readonly throughput: readonly Throughput[];
  readonly costs: readonly RequestCost[];
  readonly loads: readonly LoadCost[];
}

interface Goal {
  readonly goal: string;
  readonly measured: string;
  readonly reached: boolean;
}

/** Ours may take so much longer than the SQL by hand, */
const MOST_OVER_HAND = 1.05;
/** and so long for each page view in range, in the mean of the questions that count all of them. */
const MOST_ROW_NS = 100;
const MOST_OWN_MS = 1;
const QUERY_ROUTE = 'POST /query';
const LEAST_ROWS_PER_SECOND = 60_000;
/** Memory is flat when all of a file takes so much more than its first quarter at most. */
const MOST_GROWTH = 1.25;
const MOST_P99 = 10;

const DIMENSIONS = ['by country', 'by utm_source', 'by device', 'by browser', 'daily trend'];
const ONCE = ['sessions by device', 'sessions by country', 'readers by device', 'readers by country'];
const LISTS = ['list of 1000 rows, of how many', 'count_only'];
const JOINS = ['clicks per selector (pv_id)', 'views x clicks by page (page_id, N:M)'];

/** The table of goals for the data of one run; undefined without DuckDB, which most of them name. */
export function goalsSection(run: Run): string | undefined {
  const [, same, best] = RATIOS;
  if (same === undefined || best === undefined || !run.compared.some(({ times }) => times.has('DuckDB best')))
    return undefined;
  const goals: readonly Goal[] = [
    against(
      run,
      'top pages over 30, 90, 365 days, with the number of all: as quick as DuckDB best',
      best,
      ['top pages, of how many'],
      1,
    ),
    against(run, 'a small dimension, daily trend: 5 times as quick as DuckDB best', best, DIMENSIONS, 5),
    against(
      run,
      'sessions and readers by a dimension: 3 times as quick as DuckDB best',
      best,
      ONCE,
      3,
      [30, 365],
    ),
    against(
      run,
      'list of 1000 rows with the number of all, count_only: 3 times as quick as DuckDB best',
      best,
      LISTS,
      3,
    ),
    against(run, 'clicks per selector, N:M joins: as quick as DuckDB same', same, JOINS, 1),
    fromRows(run.compared),
    beside(run.costs),
    loading(run.loads),
    crowd(run.throughput),
  ];
  return table(
    ['goal', 'measured', 'reached'],
    goals.map(({ goal, measured, reached }) => [goal, measured, reached ? 'yes' : '**no**']),
  );
}

function against(
  { compared }: Run,
  goal: string,
  ratio: Ratio,
  names: readonly string[],
  wanted: number,
  ranges: readonly number[] = [30, 90, 365],
): Goal {
  const all = compared.flatMap((one) => {
    if (!names.includes(one.query) || !ranges.includes(one.days)) return [];
    const value = leastRatio(one, ratio);
    return value === undefined ? [] : [{ value, what: `${one.query}, ${one.days} days` }];
  });
  const [least] = [...all].sort((a, b) => a.value - b.value);
  const complete = names.length * ranges.length;
  if (least === undefined) return { goal, measured: 'nothing', reached: false };
  const met = all.filter(({ value }) => value >= wanted).length;
  const mean = geometricMean(all.map(({ value }) => value));
  return {
    goal,
    measured: `${met} of ${complete}; mean ${mean.toFixed(2)}, least ${least.value.toFixed(2)} (${least.what})`,
    reached: met === complete,
  };
}

function fromRows(compared: readonly Compared[]): Goal {
  const all = compared.flatMap((one) => {
    const statement = rawStatement(one);
    const hand = one.times.get('by hand')?.whole.median;
    return statement === undefined || hand === undefined ? [] : [{ value: statement / hand, one, statement }];
  });
  const [most] = [...all].sort((a, b) => b.value - a.value);
  const goal = `from rows: at most ${MOST_OVER_HAND} times the SQL by hand, ${MOST_ROW_NS} ns per row in range`;
  if (most === undefined) return { goal, measured: 'nothing', reached: false };
  const met = all.filter(({ value }) => value <= MOST_OVER_HAND).length;
  const perRow = all.flatMap(({ one: { views }, statement }) =>
    views === undefined || views === 0 ? [] : [(statement * 1e6) / views],
  );
  const mean = geometricMean(all.map(({ value }) => value));
  const rowNs = geometricMean(perRow);
  return {
    goal,
    // A question whose statement was given up is one that does not reach it.
    measured: `${met} of ${compared.length}; mean ${mean.toFixed(2)}, most ${most.value.toFixed(2)} (${most.one.query}, ${most.one.days} days); ${rowNs.toFixed(0)} ns per row in the mean`,
    reached: met === compared.length && rowNs <= MOST_ROW_NS,
  };
}

function beside(costs: readonly RequestCost[]): Goal {
  const [most] = costs.filter(({ kind }) => kind.startsWith(QUERY_ROUTE)).sort((a, b) => b.ownMs - a.ownMs);
  return {
    goal: `our time around the database: at most ${MOST_OWN_MS} ms p50 for small answers`,
    measured: most === undefined ? 'nothing' : `${most.ownMs.toFixed(2)} ms (${most.kind})`,
    reached: most !== undefined && most.ownMs <= MOST_OWN_MS,
  };
}

function loading(loads: readonly LoadCost[]): Goal {
  const goal = `loader with rollups: ${LEAST_ROWS_PER_SECOND.toLocaleString('en')} page views per second, flat memory`;
  const cost = ofMaterial(loads, 'allpv');
  if (cost === undefined) return { goal, measured: 'nothing', reached: false };
  const { rows, seconds, earlyMegabytes, peakMegabytes } = cost;
  const speed = rows / seconds;
  return {
    goal,
    measured: `${Math.round(speed).toLocaleString('en')} rows/s; ${peakMegabytes.toFixed(0)} MB, ${earlyMegabytes.toFixed(0)} MB in the first quarter`,
    reached: speed >= LEAST_ROWS_PER_SECOND && peakMegabytes <= earlyMegabytes * MOST_GROWTH,
  };
}

function crowd(all: readonly Throughput[]): Goal {
  const one = all.find(({ clients }) => clients === 1);
  const many = all.find(({ clients }) => clients === 16);
  const goal = `16 clients on the dashboard: no error, p99 below ${MOST_P99} times the p50 of one client`;
  if (one === undefined || many === undefined) return { goal, measured: 'nothing', reached: false };
  const times = many.p99 / one.p50;
  return {
    goal,
    measured: `${many.errors} errors, ${times.toFixed(1)} times (${many.p99.toFixed(1)} ms and ${one.p50.toFixed(1)} ms)`,
    reached: many.errors === 0 && times < MOST_P99,
  };
}
