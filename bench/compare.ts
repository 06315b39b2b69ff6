// Compares all forms of a query over every range: measures their times and checks that they return the same rows.
import type { Execution, Form, FormName, Rows } from './forms';
import { RANGES } from './queries';
import type { BenchQuery } from './queries/bench-query';
import { median } from './statistics';

/** Statistics over several executions; the minimum is least affected by other work on the machine. */
interface Spread {
  readonly median: number;
  readonly least: number;
}

interface Times {
  readonly whole: Spread;
  /** The time spent on the engine's statement; known only for `columns` and `rows`. */
  readonly statement?: Spread;
}

/** The measurements of all forms of a query over one range. */
export interface Compared {
  readonly query: string;
  readonly days: number;
  readonly rows: number;
  /** The number of page views in the range, if the query counts all of them. */
  readonly views?: number;
  /** Null for a form that timed out. */
  readonly times: Readonly<Partial<Record<FormName, Times | null>>>;
}

/** The maximum number and total time of a form's repeated executions. A form whose first execution takes longer is not repeated. */
const MAX_ROUNDS = 7;
const MAX_ROUNDS_MS = 1_000;
/** A form that is faster than this also runs once before each measured execution, so that the CPU caches are warm. */
const QUICK_MS = 200;
const SHOWN_ROWS = 3;
const MEAN_DIGITS = 12;

interface Runner {
  readonly form: Form;
  readonly rounds: number;
  readonly isQuick: boolean;
  readonly ms: number[];
  readonly statement: number[];
}

interface CompareOptions {
  readonly forms: readonly Form[];
  readonly query: BenchQuery;
  /** The number of page views in the query's range. */
  viewsOf(query: BenchQuery, days: number): Promise<number>;
  log(text: string): void;
}

/** Throws if a form's rows differ from those of the first form. */
export async function compareForms({
  forms,
  query,
  viewsOf,
  log,
}: CompareOptions): Promise<readonly Compared[]> {
  const compared: Compared[] = [];
  // A form that times out for a range would also time out for a longer one.
  const tooSlow = new Set<FormName>();
  for (const days of RANGES) {
    const answers = new Map<FormName, Rows>();
    const runners: Runner[] = [];
    // The first execution is a warm-up. Its rows are checked, and its time determines how many more executions fit in the time limit.
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
    checkSame(what, answers);
    await runInterleaved(runners, query, days);
    const measured = new Map(runners.map((runner) => [runner.form.name, timesOf(runner)]));
    compared.push({
      query: query.name,
      days,
      rows: [...answers.values()][0]?.length ?? 0,
      ...(query.everyView === true && { views: await viewsOf(query, days) }),
      times: Object.fromEntries(forms.map(({ name }) => [name, measured.get(name) ?? null])),
    });
    const shown = forms.map(
      ({ name }) => `${name} ${measured.get(name)?.whole.median.toFixed(1) ?? 'too slow'}`,
    );
    log(`${what}: ${shown.join(', ')}`);
  }
  return compared;
}

function runnerOf(form: Form, { ms, share }: Execution): Runner {
  const isQuick = ms <= QUICK_MS;
  const rounds = Math.min(MAX_ROUNDS, Math.floor(MAX_ROUNDS_MS / ms));
  // The first execution is recorded only if the form is not repeated.
  const runner: Runner = { form, rounds, isQuick, ms: [], statement: [] };
  if (rounds === 0) record(runner, { ms, ...(share !== undefined && { share }) });
  return runner;
}

function record({ form, ms, statement }: Runner, execution: Pick<Execution, 'ms' | 'share'>): void {
  ms.push(execution.ms);
  if (execution.share === undefined) return;
  statement.push(form.name === 'columns' ? execution.share.columnsMs : execution.share.rowsMs);
}

async function runInterleaved(runners: readonly Runner[], query: BenchQuery, days: number): Promise<void> {
  for (let round = 0; runners.some(({ rounds }) => round < rounds); round += 1) {
    // Each round starts with a different form, so that no form always runs after the same one.
    const first = round % runners.length;
    for (const runner of [...runners.slice(first), ...runners.slice(0, first)]) {
      if (round >= runner.rounds) continue;
      if (runner.isQuick) await runner.form.run(query, days);
      const execution = await runner.form.run(query, days);
      if (execution === undefined) continue;
      record(runner, execution);
    }
  }
}

const timesOf = ({ ms, statement }: Runner): Times => ({
  whole: spreadOf(ms),
  ...(statement.length > 0 && { statement: spreadOf(statement) }),
});

const spreadOf = (values: readonly number[]): Spread => ({
  median: median(values),
  least: Math.min(...values),
});

/** Throws unless all forms return the same rows in the same order. */
function checkSame(what: string, answers: ReadonlyMap<FormName, Rows>): void {
  const [first, ...others] = [...answers].map(([name, rows]) => ({ name, rows: rows.map(plainRow) }));
  if (first === undefined) throw new Error(`${what}: no form finished in time.`);
  for (const { name, rows } of others) {
    const length = Math.max(rows.length, first.rows.length);
    const place = Array.from({ length }, (_, index) => index).find((at) => rows[at] !== first.rows[at]);
    if (place === undefined) continue;
    const shown = (all: readonly string[]) => all.slice(place, place + SHOWN_ROWS).join(' ');
    throw new Error(
      `${what}: ${name} has ${rows.length} rows, ${first.name} ${first.rows.length}; from row ${place}: ${shown(rows)} instead of ${shown(first.rows)}`,
    );
  }
}

/** Makes rows comparable: DuckDB returns integers as bigint, and the engines' means differ in the last digits. */
const plainRow = (row: readonly unknown[]): string =>
  JSON.stringify(
    row.map((value) => {
      if (typeof value === 'bigint') return Number(value);
      return typeof value === 'number' ? Number(value.toPrecision(MEAN_DIGITS)) : value;
    }),
  );
