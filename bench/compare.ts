// The comparison: every question and range in all forms, by turns within one run, and whether their rows agree.
import type { Execution, Form, FormName, Rows } from './forms';
import { RANGES } from './queries';
import type { BenchQuery } from './queries/bench-query';
import { median } from './statistics';
import type { DatabaseShare } from './watch-driver';

/** Of several executions; the least suffers least from whatever else the machine did. */
export interface Spread {
  readonly median: number;
  readonly least: number;
}

export interface Times {
  readonly whole: Spread;
  /** With any statement under way, and the longest statement alone; only our own forms know them. */
  readonly database: Spread | undefined;
  readonly query: Spread | undefined;
}

export interface Compared {
  readonly query: string;
  readonly days: number;
  readonly rows: number;
  /** The page views in range, where all of them are counted. */
  readonly views: number | undefined;
  /** A form that took too long has no times. */
  readonly times: ReadonlyMap<FormName, Times | undefined>;
}

/** Executions at most. */
const ROUNDS = [7, 5, 3];
/** As many as fit into `roundsMs`. What takes longer than `onceMs` is not repeated: its first execution counts. */
const PATIENCE = { roundsMs: 2_000, onceMs: 5_000 };
/** The plain plan is no rival. */
const PATIENCE_WITH_PLAIN = { roundsMs: 500, onceMs: 1_000 };
/** What takes less runs once more before each measured execution, so that the processor's caches are warm. */
const QUICK_MS = 200;
const SHOWN_ROWS = 3;

interface Runner {
  readonly form: Form;
  readonly rounds: number;
  readonly isQuick: boolean;
  readonly ms: number[];
  readonly database: DatabaseShare[];
}

export interface CompareOptions {
  readonly forms: readonly Form[];
  readonly queries: readonly BenchQuery[];
  /** The number of page views in the range of the query. */
  viewsOf(query: BenchQuery, days: number): Promise<number>;
  /** Reports progress. */
  tell(text: string): void;
}

export interface Comparison {
  readonly compared: readonly Compared[];
  /** A sentence for each form whose rows differ from ours. */
  readonly faults: readonly string[];
}

/** Runs all ranges of a question one after the other, in all forms. */
export async function compareForms({ forms, queries, viewsOf, tell }: CompareOptions): Promise<Comparison> {
  const compared: Compared[] = [];
  const faults: string[] = [];
  // Each form reads its data once, so that reading from disk is not measured.
  for (const query of queries.slice(0, 1)) {
    for (const form of forms) await form.run(query, Math.max(...RANGES));
  }
  for (const query of queries) {
    // A form that takes too long for a range takes too long for a longer one.
    const tooSlow = new Set<FormName>();
    for (const days of RANGES) {
      const answers = new Map<FormName, Rows>();
      const runners: Runner[] = [];
      // The first execution warms up, is checked, and decides how many more there may be.
      for (const form of forms.filter(({ name }) => !tooSlow.has(name))) {
        const first = await form.run(query, days);
        if (first === undefined) {
          tooSlow.add(form.name);
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
      const measured = new Map(runners.map((runner) => [runner.form.name, timesOf(runner)]));
      const times = new Map(forms.map(({ name }) => [name, measured.get(name)]));
      compared.push({
        query: query.name,
        days,
        rows: [...answers.values()][0]?.length ?? 0,
        views: query.everyView === true ? await viewsOf(query, days) : undefined,
        times,
      });
      tell(
        `${what}: ${[...times].map(([name, one]) => `${name} ${one?.whole.median.toFixed(1) ?? 'too slow'}`).join(', ')}`,
      );
    }
  }
  return { compared, faults };
}

function runnerOf(form: Form, { ms, database }: Execution): Runner {
  const { roundsMs, onceMs } = form.name === 'without passes' ? PATIENCE_WITH_PLAIN : PATIENCE;
  const isQuick = ms <= QUICK_MS;
  if (ms > onceMs)
    return { form, rounds: 0, isQuick, ms: [ms], database: database === undefined ? [] : [database] };
  const rounds = ROUNDS.find((count) => count * ms <= roundsMs) ?? 1;
  return { form, rounds, isQuick, ms: [], database: [] };
}

async function runByTurns(runners: readonly Runner[], query: BenchQuery, days: number): Promise<void> {
  for (let round = 0; runners.some(({ rounds }) => round < rounds); round += 1) {
    // Each round starts with another form, so that none always follows the same.
    const first = round % runners.length;
    for (const runner of [...runners.slice(first), ...runners.slice(0, first)]) {
      if (round >= runner.rounds) continue;
      if (runner.isQuick) await runner.form.run(query, days);
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

/** A sentence for each form whose rows are not those of the first, in the same order. */
function differences(what: string, answers: ReadonlyMap<FormName, Rows>): readonly string[] {
  const [first, ...others] = [...answers].map(([name, rows]) => ({ name, rows: rows.map(plainRow) }));
  if (first === undefined) return [`${what}: no form finished`];
  return others.flatMap(({ name, rows }) => {
    const length = Math.max(rows.length, first.rows.length);
    const place = Array.from({ length }, (_, index) => index).find((at) => rows[at] !== first.rows[at]);
    if (place === undefined) return [];
    const shown = (all: readonly string[]) => all.slice(place, place + SHOWN_ROWS).join(' ');
    return [
      `${what}: ${name} has ${rows.length} rows, ${first.name} ${first.rows.length}; from row ${place}: ${shown(rows)} instead of ${shown(first.rows)}`,
    ];
  });
}

/** DuckDB gives whole numbers as bigint. */
const plainRow = (row: readonly unknown[]): string =>
  JSON.stringify(row.map((value) => (typeof value === 'bigint' ? Number(value) : value)));
