// The statements of a site change, which are in SQL files.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ClientBase } from 'pg';
import { FIRST_GENERATED_ID, givenVisit, NAMED_BY, SESSION_BASE } from '../rows/generated-ids';
import { loadViewColumns, withColumns } from './view-columns';

/** A longer gap between two views by a visitor begins a new visit. */
export const VISIT_PAUSE_SECONDS = 1800;
/** The same, as SQL. */
export const PAUSE = `interval '${VISIT_PAUSE_SECONDS} seconds'`;

const STEPS = ['keep-order', 'derive', 'apply-new', 'apply-moved', 'settle-moved'] as const;
type Step = (typeof STEPS)[number];

/** The touched views in a part; if there is only one part, the planner drops the condition. */
const TOUCHED = '(SELECT * FROM touched WHERE $2::bigint = 1 OR reader_id % $2::bigint = $3::bigint)';

/** The statements in a file; each ends with a semicolon at the end of a line. */
const statementsOf = (name: string): readonly string[] =>
  readFileSync(join(__dirname, `${name}.sql`), 'utf8')
    .replaceAll(':pause', PAUSE)
    .replaceAll(':given_visit', givenVisit('v'))
    .replaceAll(':generated', String(FIRST_GENERATED_ID))
    .replaceAll(':visit_base', String(SESSION_BASE))
    .replaceAll(':nothing', String(NAMED_BY.nothing))
    .replaceAll(':touched', TOUCHED)
    .replace(/^\s*--.*$/gm, '')
    .split(/;\n/)
    .map((text) => text.trim())
    .filter((text) => text !== '');

const DERIVE = statementsOf('derive').at(-1) ?? '';
const STATEMENTS = new Map<string, readonly string[]>(
  STEPS.map((name) => [
    name,
    statementsOf(name).map((text) => (text === DERIVE ? `INSERT INTO derived ${text}` : text)),
  ]),
);
/** Creates the staging tables. */
export const STAGING_TABLES = statementsOf('staging')
  .map((text) => text.replace(':derive', DERIVE.replaceAll('$1', 'NULL')))
  .join(';\n');

/** Runs the statements of a step, each with the values that it uses. Returns their row counts. */
export async function runStep(client: ClientBase, step: Step, values: readonly unknown[]): Promise<number[]> {
  const columns = await loadViewColumns(client);
  const counts: number[] = [];
  for (const text of STATEMENTS.get(step) ?? []) {
    const statement = withColumns(text, columns);
    const used = [...new Set([...statement.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number)))];
    const numbered = statement.replace(/\$(\d+)/g, (_, number) => `$${used.indexOf(Number(number)) + 1}`);
    const bound = used.map((number) => values[number - 1]);
    counts.push((await client.query(numbered, bound)).rowCount ?? 0);
  }
  return counts;
}
