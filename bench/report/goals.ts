// The performance goals, and whether a run meets them.
import type { Compared } from '../compare';
import type { Outcomes } from '../full-house';
import { RANGES } from '../queries';
import { BARE_ROUTE } from '../request-cost';
import { geometricMean } from '../statistics';
import { columnsOverBest, msOf, rowsOverHand, timesAsFast } from './ratios';
import { clientsRatio, loadOf, type Run, speedOf } from './run';
import { short, table, whole } from './table';

/** The measurement as text, and whether it meets the goal. */
interface Outcome {
  readonly measured: string;
  readonly isReached: boolean;
}
type Goal = (run: Run) => Outcome | undefined;

/** Unique readers and visits by small dimensions and by page. */
const UNIQUE_COUNTS = [
  'sessions by device',
  'sessions by country',
  'sessions by url',
  'readers by device',
  'readers by country',
  'readers by language',
];
const YEAR = Math.max(...RANGES);

const allOf = ({ results }: Run): readonly Compared[] => Object.values(results.questions).flat();
const nameOf = ({ query, days }: Compared): string => `${query}, ${days} days`;

/** Counts the values that meet a goal, and finds the worst one. */
function countReached(
  values: readonly { readonly one: Compared; readonly value: number }[],
  limit: number,
  better: 'less' | 'more',
  unit: string,
): Outcome | undefined {
  const sign = better === 'less' ? 1 : -1;
  const [worst] = [...values].sort((a, b) => sign * (b.value - a.value));
  if (worst === undefined) return undefined;
  const reached = values.filter(({ value }) => sign * value <= sign * limit).length;
  return {
    measured: `${reached} of ${values.length}; worst ${short(worst.value)}${unit} (${nameOf(worst.one)})`,
    isReached: reached === values.length,
  };
}

const valuesOf = (compared: readonly Compared[], measure: (one: Compared) => number | undefined) =>
  compared.flatMap((one) => {
    const value = measure(one);
    return value === undefined ? [] : [{ one, value }];
  });

/** Undefined if there are no measurements. */
function withinMs(
  outcomes: Outcomes | undefined,
  measure: (outcomes: Outcomes) => number | undefined,
  limitMs: number,
): Outcome | undefined {
  const ms = outcomes && measure(outcomes);
  if (outcomes === undefined || ms === undefined) return undefined;
  const failed = outcomes.failed?.requests ?? 0;
  return { measured: `${short(ms)} ms, ${failed} failed`, isReached: ms < limitMs && failed === 0 };
}

const GOALS: Readonly<Record<string, Goal>> = {
  "every question over HTTP: at most DuckDB's best time + 3 ms": (run) =>
    countReached(
      valuesOf(allOf(run), (one) => {
        const [ours, best] = [msOf(one, 'columns'), msOf(one, 'DuckDB best')];
        return ours === undefined || best === undefined ? undefined : ours - best;
      }),
      3,
      'less',
      ' ms more',
    ),
  "the statement on the copy: at most two thirds of DuckDB's best time (geometric mean of each range)": (
    run,
  ) => {
    const means = RANGES.map((days) =>
      valuesOf(allOf(run), (one) => (one.days === days ? columnsOverBest(one) : undefined)),
    ).map((values) => geometricMean(values.map(({ value }) => value)));
    if (means.some(Number.isNaN)) return undefined;
    return {
      measured: RANGES.map((days, range) => `${short(means[range] ?? 0)} (${days} days)`).join(', '),
      isReached: means.every((mean) => mean <= 2 / 3),
    };
  },
  'every question over a year: at most 120 ms': (run) =>
    countReached(
      valuesOf(allOf(run), (one) => (one.days === YEAR ? msOf(one, 'columns') : undefined)),
      120,
      'less',
      ' ms',
    ),
  'unique readers and visits over a year: at least 5 times as fast as DuckDB best': (run) =>
    countReached(
      valuesOf(allOf(run), (one) =>
        one.days === YEAR && UNIQUE_COUNTS.includes(one.query) ? timesAsFast(one, 'DuckDB best') : undefined,
      ),
      5,
      'more',
      ' times',
    ),
  'at least 2 times as fast as straightforward SQL in DuckDB (geometric mean)': (run) => {
    const values = valuesOf(allOf(run), (one) => timesAsFast(one, 'DuckDB same')).map(({ value }) => value);
    if (values.length === 0) return undefined;
    const mean = geometricMean(values);
    return { measured: `${short(mean)} times`, isReached: mean >= 2 };
  },
  'rows engine: at most 1.1 times the hand-written SQL (geometric mean)': (run) => {
    const values = valuesOf(allOf(run), rowsOverHand).map(({ value }) => value);
    if (values.length === 0) return undefined;
    const mean = geometricMean(values);
    const reached = values.filter((value) => value <= 1.1).length;
    return {
      measured: `${short(mean)} times; ${reached} of ${values.length} questions; worst ${short(Math.max(...values))}`,
      isReached: mean <= 1.1,
    };
  },
  'loader, with ids: 60,000 page views per second, at most 250 MB': ({ results }) => {
    const cost = loadOf(results, 'allpv');
    if (cost === undefined) return undefined;
    const isReached = speedOf(cost) >= 60_000 && cost.peakMegabytes <= 250;
    return { measured: `${whole(speedOf(cost))} rows/s, ${whole(cost.peakMegabytes)} MB`, isReached };
  },
  'loader, ids generated: 45,000 page views per second, at most 250 MB': ({ loader }) => {
    if (loader === undefined) return undefined;
    const { generated } = loader;
    const isReached = speedOf(generated) >= 45_000 && generated.peakMegabytes <= 250;
    return {
      measured: `${whole(speedOf(generated))} rows/s, ${whole(generated.peakMegabytes)} MB`,
      isReached,
    };
  },
  'first fill of the copy: under 90 s, while queries are answered': ({ results: { fill } }) => {
    if (fill === undefined) return undefined;
    const { requests, errors, most } = fill.meanwhile;
    return {
      measured: `${short(fill.seconds)} s, unique counts precomputed after ${short(fill.countedSeconds)} s; ${requests} queries answered, ${errors} failed, the slowest in ${short(most)} ms`,
      isReached: fill.seconds < 90 && errors === 0 && requests > 0,
    };
  },
  "a day's import of 30,000 views: visible in columns within 2 s": ({ results: { served } }) =>
    served && {
      measured: `${short(served.refresh.visibleMs / 1000)} s`,
      isReached: served.refresh.visibleMs <= 2_000,
    },
  'on disk: PostgreSQL at most 350 bytes per view': ({ results: { stored } }) => {
    if (stored === undefined) return undefined;
    const { views } = stored.counts;
    const ofViews = stored.relations.filter((one) => one.table === 'page_view');
    const bytesPerView = ofViews.reduce((sum, { bytes }) => sum + bytes, 0) / views;
    return {
      measured: `${whole(stored.bytes / views)} with clicks and searches; ${whole(bytesPerView)} for page views alone`,
      isReached: stored.bytes / views <= 350,
    };
  },
  'on disk: the copy at most 30 bytes per view': ({ results: { stored, fill } }) => {
    if (stored === undefined || fill === undefined) return undefined;
    const bytes = fill.bytes / stored.counts.views;
    return { measured: short(bytes), isReached: bytes <= 30 };
  },
  'overhead outside the engine: at most 1 ms p50 above a bare route': ({ results: { costs = [] } }) => {
    const bare = costs.find(({ kind }) => kind === BARE_ROUTE)?.totalMs ?? 0;
    const own = costs.flatMap(({ kind, ownMs }) => (kind === BARE_ROUTE ? [] : [ownMs - bare]));
    if (own.length === 0) return undefined;
    return { measured: `${Math.max(...own).toFixed(2)} ms`, isReached: Math.max(...own) <= 1 };
  },
  '16 clients on the dashboard: no errors, p99 at most 20 times the p50 of one client': ({ results }) => {
    const outcome = clientsRatio(results);
    return (
      outcome && {
        measured: `${outcome.errors} errors, ${short(outcome.ratio)} times`,
        isReached: outcome.errors === 0 && outcome.ratio <= 20,
      }
    );
  },
  'a thousand connections: health checks on a separate port, p99 under 100 ms': ({
    results: { fullHouse },
  }) => withinMs(fullHouse?.healthPort, ({ answered }) => answered?.p99, 100),
  'a thousand connections: refusals by load shedding, p99 under 20 ms': ({ results: { fullHouse } }) =>
    withinMs(fullHouse?.newcomer, ({ shed }) => shed?.p99, 20),
  'a thousand connections: every cheap question from a third user under 2 s': ({ results: { fullHouse } }) =>
    withinMs(fullHouse?.thirdUser, ({ answered }) => answered?.most, 2_000),
};

/** The table of goals, including those that have not been measured. */
export const goalsTable = (run: Run): string =>
  table(
    ['goal', 'measured', 'met'],
    Object.entries(GOALS).map(([goal, outcomeOf]) => {
      const outcome = outcomeOf(run);
      if (outcome === undefined) return [goal, 'not measured', ''];
      return [goal, outcome.measured, outcome.isReached ? 'yes' : '**no**'];
    }),
  );
