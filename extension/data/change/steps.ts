// Runs the statements of a site change, which are in SQL files.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ClientBase } from 'pg';

const STEPS = ['affected', 'keep-order', 'derive', 'apply-new', 'apply-moved', 'settle-moved'] as const;
type Step = (typeof STEPS)[number];

/** The statements in a file; each ends with a semicolon at the end of a line. */
const statementsOf = (name: string): readonly string[] =>
  readFileSync(join(__dirname, `${name}.sql`), 'utf8')
    .split(/;\n/)
    .map((text) => text.replace(/^--.*$/gm, '').trim())
    .filter((text) => text !== '');

const STATEMENTS = new Map<string, readonly string[]>(STEPS.map((name) => [name, statementsOf(name)]));

/** Runs the statements of a step, each with the values that it refers to. Returns their row counts. */
export async function runStep(client: ClientBase, step: Step, values: readonly unknown[]): Promise<number[]> {
  const counts: number[] = [];
  for (const text of STATEMENTS.get(step) ?? []) {
    const used = [...new Set([...text.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number)))];
    const numbered = text.replace(/\$(\d+)/g, (_, number) => `$${used.indexOf(Number(number)) + 1}`);
    const bound = used.map((number) => values[number - 1]);
    counts.push((await client.query(numbered, bound)).rowCount ?? 0);
  }
  return counts;
}
