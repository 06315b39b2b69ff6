// The goals of the benchmark, and whether a run reaches them: computed from its numbers, never written by hand.
import type { Compared } from '../compare';
import type { LoadCost } from '../data/load';
import { table } from '../page';
import type { RequestCost } from '../request-cost';
import { geometricMean } from '../statistics';
import type { Throughput } from '../throughput';
import { ofMaterial } from './load-sections';
import { leastRatio, RATIOS, type Ratio, statementMs } from './ratios';

export interface Run {
  readonly compared: readonly Compared[];
  readonly throughput: readonly Throughput[];
  readonly costs: readonly RequestCost[];
  readonly loads: readonly LoadCost[];
}

interface Outcome {
  readonly measured: string;
  readonly isReached: boolean;
}

const NOTHING: Outcome = { measured: 'nothing', isReached: false };

/** Our statements over rows may take so much longer than the SQL by hand. */
const MOST_OVER_HAND = 1.05;
/** Nanoseconds for each page view in range, in the mean of the questions that count all of them. */
const MOST_ROW_NS = 100;
const MOST_OWN_MS = 1;
const LEAST_ROWS_PER_SECOND = 60_000;
/** Memory is flat when the whole file takes at most so much more than its first quarter. */
const MOST_GROWTH = 1.25;
const MOST_P99 = 10;

const DIMENSIONS = ['by country', 'by utm_source', 'by device', 'by browser', 'daily trend'];
const ONCE = ['sessions by device', 'sessions by country', 'readers by device', 'readers by country'];
const LISTS = ['list of 1000 rows, of how many', 'count_only'];
const JOINS = ['clicks per selector (pv_id)', 'views x clicks by page (page_id, N:M)'];

/** The table of goals for the data of one run; undefined without DuckDB, which most of them name. */
export function goalsSection({ compared, throughput, costs, loads }: Run): string | undefined {
  const [, same, best] = RATIOS;
  if (same === undefined || best === undefined || !compared.some(({ times }) => times.has('DuckDB best')))
    return undefined;
  const against = (ratio: Ratio, wanted: number, names: readonly string[], ranges = [30, 90, 365]): Outcome =>
    ratioOutcome(compared, ratio, wanted, names, ranges);
  const goals: Readonly<Record<string, Outcome>> = {
    'top pages over 30, 90, 365 days, with the number of all: as quick as DuckDB best': against(best, 1, [
      'top pages, of how many',
    ]),
    'a small dimension, daily trend: 5 times as quick as DuckDB best': against(best, 5, DIMENSIONS),
    'sessions and readers by a dimension: 3 times as quick as DuckDB best': against(best, 3, ONCE, [30, 365]),
    'list of 1000 rows with the number of all, count_only: 3 times as quick as DuckDB best': against(
      best,
      3,
      LISTS,
    ),
    'clicks per selector, N:M joins: as quick as DuckDB same': against(same, 1, JOINS),
    [`from rows: at most ${MOST_OVER_HAND} times the SQL by hand, ${MOST_ROW_NS} ns per row in range`]:
      rowsOutcome(compared),
    [`our time around the database: at most ${MOST_OWN_MS} ms p50 for small answers`]: costOutcome(costs),
    [`loader: ${LEAST_ROWS_PER_SECOND.toLocaleString('en')} page views per second, flat memory`]:
      loadOutcome(loads),
    [`16 clients on the dashboard: no error, p99 below ${MOST_P99} times the p50 of one client`]:
      clientsOutcome(throughput),
  };
  return table(
    ['goal', 'measured', 'reached'],
    Object.entries(goals).map(([goal, { measured, isReached }]) => [
      goal,
      measured,
      isReached ? 'yes' : '**no**',
    ]),
  );
}

function ratioOutcome(
  compared: readonly Compared[],
  ratio: Ratio,
  wanted: number,
  names: readonly string[],
  ranges: readonly number[],
): Outcome {
  const all = compared.flatMap((one) => {
    if (!names.includes(one.query) || !ranges.includes(one.days)) return [];
    const value = leastRatio(one, ratio);
    return value === undefined ? [] : [{ value, what: `${one.query}, ${one.days} days` }];
  });
  const [least] = [...all].sort((a, b) => a.value - b.value);
  if (least === undefined) return NOTHING;
  const complete = names.length * ranges.length;
  const met = all.filter(({ value }) => value >= wanted).length;
  const mean = geometricMean(all.map(({ value }) => value));
  return {
    measured: `${met} of ${complete}; mean ${mean.toFixed(2)}, least ${least.value.toFixed(2)} (${least.what})`,
    isReached: met === complete,
  };
}

function rowsOutcome(compared: readonly Compared[]): Outcome {
  const all = compared.flatMap((one) => {
    const statement = statementMs(one);
    const hand = one.times.get('by hand')?.whole.median;
    return statement === undefined || hand === undefined ? [] : [{ value: statement / hand, one, statement }];
  });
  const [most] = [...all].sort((a, b) => b.value - a.value);
  if (most === undefined) return NOTHING;
  const met = all.filter(({ value }) => value <= MOST_OVER_HAND).length;
  const perRow = all.flatMap(({ one: { views }, statement }) =>
    views === undefined || views === 0 ? [] : [(statement * 1e6) / views],
  );
  const mean = geometricMean(all.map(({ value }) => value));
  const rowNs = geometricMean(perRow);
  return {
    // A question whose statement was given up does not reach the goal.
    measured: `${met} of ${compared.length}; mean ${mean.toFixed(2)}, most ${most.value.toFixed(2)} (${most.one.query}, ${most.one.days} days); ${rowNs.toFixed(0)} ns per row in the mean`,
    isReached: met === compared.length && rowNs <= MOST_ROW_NS,
  };
}

function costOutcome(costs: readonly RequestCost[]): Outcome {
  const queries = costs.filter(({ kind }) => kind.startsWith('POST /query'));
  const [most] = queries.sort((a, b) => b.ownMs - a.ownMs);
  if (most === undefined) return NOTHING;
  return { measured: `${most.ownMs.toFixed(2)} ms (${most.kind})`, isReached: most.ownMs <= MOST_OWN_MS };
}

function loadOutcome(loads: readonly LoadCost[]): Outcome {
  const cost = ofMaterial(loads, 'allpv');
  if (cost === undefined) return NOTHING;
  const { rows, seconds, earlyMegabytes, peakMegabytes } = cost;
  const speed = rows / seconds;
  return {
    measured: `${Math.round(speed).toLocaleString('en')} rows/s; ${peakMegabytes.toFixed(0)} MB, ${earlyMegabytes.toFixed(0)} MB in the first quarter`,
    isReached: speed >= LEAST_ROWS_PER_SECOND && peakMegabytes <= earlyMegabytes * MOST_GROWTH,
  };
}

function clientsOutcome(all: readonly Throughput[]): Outcome {
  const one = all.find(({ clients }) => clients === 1);
  const many = all.find(({ clients }) => clients === 16);
  if (one === undefined || many === undefined) return NOTHING;
  const times = many.p99 / one.p50;
  return {
    measured: `${many.errors} errors, ${times.toFixed(1)} times (${many.p99.toFixed(1)} ms and ${one.p50.toFixed(1)} ms)`,
    isReached: many.errors === 0 && times < MOST_P99,
  };
}
