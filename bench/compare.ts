// Owns the comparison: every query and range in all forms, by turns within one run, and whether the answers agree.
// Forms in -> medians; throws when two forms of a query answer other rows.
import { type DatabaseShare, FORM_NAMES, type Form, type FormName, type Rows } from './forms';
import { BENCH_QUERIES, RANGES } from './queries';
import { median } from './request-cost';

/** The middle and the least of several executions; the least has least of what else the machine did. */
export interface Spread {
  readonly median: number;
  readonly least: number;
}

export interface Times {
  readonly whole: Spread;
  /** With any statement under way, and the longest statement alone; ours over HTTP alone knows them. */
  readonly database: Spread | undefined;
  readonly query: Spread | undefined;
}

export interface Compared {
  readonly query: string;
  readonly days: number;
  readonly rows: number;
  /** A form that took too long has no times. */
  readonly times: ReadonlyMap<FormName, Times | undefined>;
}

const ROUNDS = 7;
const SLOW_ROUNDS = 3;
const SLOW_MS = 1_000;
const SHOWN_ROWS = 3;

interface Runner {
  readonly form: Form;
  readonly rounds: number;
  readonly ms: number[];
  readonly database: DatabaseShare[];
}

/** Runs those whose name has the word in it; `tell` hears of each that is done. */
export async function compareForms(
  forms: readonly Form[],
  tell: (text: string) => void,
  match = '',
): Promise<readonly Compared[]> {
  const all: Compared[] = [];
  const faults: string[] = [];
  for (const query of BENCH_QUERIES.filter(({ name }) => name.includes(match))) {
    for (const days of RANGES) {
      const answers = new Map<FormName, Rows>();
      const runners: Runner[] = [];
      // The first execution warms up, is checked, and tells how many more there may be.
      for (const form of forms) {
        const first = await form.run(query, days);
        if (first === undefined) continue;
        answers.set(form.name, first.rows());
        const rounds = first.ms > SLOW_MS ? SLOW_ROUNDS : ROUNDS;
        runners.push({ form, rounds, ms: [], database: [] });
      }
      const what = `${query.name}, ${days} days`;
      faults.push(...differences(what, answers));
      for (let round = 0; round < ROUNDS; round += 1) {
        // Another one begins in each round, so that none always follows the same.
        for (const runner of [
          ...runners.slice(round % runners.length),
          ...runners.slice(0, round % runners.length),
        ]) {
          if (round >= runner.rounds) continue;
          const execution = await runner.form.run(query, days);
          if (execution === undefined) continue;
          runner.ms.push(execution.ms);
          if (execution.database !== undefined) runner.database.push(execution.database);
        }
      }
      const times = new Map(
        FORM_NAMES.map((name) => {
          const runner = runners.find(({ form }) => form.name === name);
          return [name, runner && timesOf(runner)] as const;
        }),
      );
      const rows = [...answers.values()][0]?.length ?? 0;
      all.push({ query: query.name, days, rows, times });
      tell(
        `${what}: ${[...times].map(([name, one]) => `${name} ${one?.whole.median.toFixed(1) ?? 'over'}`).join(', ')}`,
      );
    }
  }
  if (faults.length > 0) throw new Error(`The forms do not agree:\n${faults.join('\n')}`);
  return all;
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
