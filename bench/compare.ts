// Owns the comparison: every query and range in all forms, by turns within one run, and whether the answers agree.
// Forms in -> medians, and words on every form that answers other rows than the first.
import type { DatabaseShare, Execution, Form, FormName, Rows } from './forms';
import { RANGES } from './queries';
import type { BenchQuery } from './queries/bench-query';
import { median } from './request-cost';

/** The middle and the least of several executions; the least has least of what else the machine did. */
export interface Spread {
  readonly median: number;
  readonly least: number;
}

export interface Times {
  readonly whole: Spread;
  /** With any statement under way, and the longest statement alone; ours alone know them. */
  readonly database: Spread | undefined;
  readonly query: Spread | undefined;
}

export interface Compared {
  readonly query: string;
  readonly days: number;
  readonly rows: number;
  /** Whether nothing that is kept counted can answer it. */
  readonly raw: boolean;
  /** The page views in range, where all of them are counted. */
  readonly views: number | undefined;
  /** A form that took too long has no times. */
  readonly times: ReadonlyMap<FormName, Times | undefined>;
}

/** So often at most. */
const ROUNDS = [7, 5, 3];
/** As often as fits into `roundsMs`; what takes longer than `onceMs` is not asked again: its first execution counts. */
const PATIENCE = { roundsMs: 2_000, onceMs: 5_000 };
/** The plain plan is no rival. */
const PATIENCE_WITH_PLAIN = { roundsMs: 500, onceMs: 1_000 };
/** What takes less is executed once more before: what the other forms left in the caches of the processor is not measured. */
const QUICK_MS = 200;
const SHOWN_ROWS = 3;

interface Runner {
  readonly form: Form;
  readonly rounds: number;
  /** Whether each measured execution follows one that is not. */
  readonly quick: boolean;
  readonly ms: number[];
  readonly database: DatabaseShare[];
}

export interface CompareOptions {
  readonly forms: readonly Form[];
  readonly queries: readonly BenchQuery[];
  /** How many page views are in the range of the query. */
  viewsOf(query: BenchQuery, days: number): Promise<number>;
  /** Hears of each that is done. */
  tell(text: string): void;
}

export interface Comparison {
  readonly compared: readonly Compared[];
  /** Words on the forms that answered other rows than ours. */
  readonly faults: readonly string[];
}

/** Runs all ranges of a query one after the other, in all forms. */
export async function compareForms({ forms, queries, viewsOf, tell }: CompareOptions): Promise<Comparison> {
  const compared: Compared[] = [];
  const faults: string[] = [];
  // Each form reads its data once: what comes from the disk is no measure.
  for (const query of queries.slice(0, 1)) {
    for (const form of forms) await form.run(query, Math.max(...RANGES));
  }
  for (const query of queries) {
    // What takes too long for a range takes too long for a longer one.
    const over = new Set<FormName>();
    for (const days of RANGES) {
      const answers = new Map<FormName, Rows>();
      const runners: Runner[] = [];
      // The first execution warms up, is checked, and tells how many more there may be.
      for (const form of forms.filter(({ name }) => !over.has(name))) {
        const first = await form.run(query, days);
        if (first === undefined) {
          over.add(form.name);
          continue;
        }
        answers.set(form.name, first.rows());
        runners.push(runnerOf(form, first));
      }
      const what = `${query.name}, ${days} days`;
      const found = differences(what, answers);
      for (const fault of found) tell(`NOT THE SAME: ${fault}`);
      faults.push(...found);
      await runByTurns(runners, query, days);
      const times = new Map(
        forms.map(({ name }) => {
          const runner = runners.find(({ form }) => form.name === name);
          return [name, runner && timesOf(runner)] as const;
        }),
      );
      compared.push({
        query: query.name,
        days,
        rows: [...answers.values()][0]?.length ?? 0,
        raw: query.raw === true,
        views: query.everyView === true ? await viewsOf(query, days) : undefined,
        times,
      });
      tell(
        `${what}: ${[...times].map(([name, one]) => `${name} ${one?.whole.median.toFixed(1) ?? 'over'}`).join(', ')}`,
      );
    }
  }
  return { compared, faults };
}

function runnerOf(form: Form, { ms, database }: Execution): Runner {
  const { roundsMs, onceMs } = form.name === 'without passes' ? PATIENCE_WITH_PLAIN : PATIENCE;
  const quick = ms <= QUICK_MS;
  if (ms > onceMs)
    return { form, rounds: 0, quick, ms: [ms], database: database === undefined ? [] : [database] };
  return { form, rounds: ROUNDS.find((rounds) => rounds * ms <= roundsMs) ?? 1, quick, ms: [], database: [] };
}

async function runByTurns(runners: readonly Runner[], query: BenchQuery, days: number): Promise<void> {
  for (let round = 0; runners.some(({ rounds }) => round < rounds); round += 1) {
    // Another one begins in each round, so that none always follows the same.
    const first = round % runners.length;
    for (const runner of [...runners.slice(first), ...runners.slice(0, first)]) {
      if (round >= runner.rounds) continue;
      if (runner.quick) await runner.form.run(query, days);
      const execution = await runner.form.run(query, days);
      if (execution === undefined) continue;
      runner.ms.push(execution.ms);
      if (execution.database !== undefined) runner.database.push(execution.database);
    }
  }
}

const timesOf = ({ ms, database }: Runner): Times => ({
  whole: spreadOf(ms),
  database: database.length === 0 ? undefined : spreadOf(database.map(({ allMs }) => allMs)),
  query: database.length === 0 ? undefined : spreadOf(database.map(({ queryMs }) => queryMs)),
});

const spreadOf = (values: readonly number[]): Spread => ({
  median: median(values),
  least: Math.min(...values),
});

/** Words for each form whose rows are not those of the first; the order counts, all forms have one. */
function differences(what: string, answers: ReadonlyMap<FormName, Rows>): readonly string[] {
  const [first, ...others] = [...answers].map(([name, rows]) => ({ name, rows: rows.map(plainRow) }));
  if (first === undefined) return [`${what}: no form came to an end`];
  const same = (one: readonly string[]) =>
    one.length === first.rows.length && one.every((row, place) => row === first.rows[place]);
  return others
    .filter(({ rows }) => !same(rows))
    .map(({ name, rows }) => {
      const place = rows.findIndex((row, index) => row !== first.rows[index]);
      const shown = (from: readonly string[]) => from.slice(Math.max(0, place), place + SHOWN_ROWS).join(' ');
      return `${what}: ${name} has ${rows.length} rows, ${first.name} ${first.rows.length}; from row ${place}: ${shown(rows)} instead of ${shown(first.rows)}`;
    });
}

/** Whole numbers come as bigint from DuckDB. */
const plainRow = (row: readonly unknown[]): string =>
  JSON.stringify(row.map((value) => (typeof value === 'bigint' ? Number(value) : value)));
