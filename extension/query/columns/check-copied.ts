// Compares copied rows with the rows in PostgreSQL. Reads the originals in the snapshot that they were copied from, and the
// copies in the transaction that wrote them.
import type { ClientBase } from 'pg';
import { z } from 'zod';
import { type ComparedRows, inCopy } from './compared-rows';
import { comparedSums } from './compared-values';
import type { RunStatement } from './run-prepared';

export const ROWS = 'number of rows';

export interface Difference {
  readonly table: string;
  readonly span: string;
  /** Column names, or ROWS if the number of rows differs. */
  readonly columns: readonly string[];
}

export const differenceInWords = ({ table, span, columns }: Difference): string =>
  `${columns.join(', ')} of ${table} (${span})`;

/** Rows still differ after they were copied again. */
export class CopyDiffers extends Error {
  override readonly name = 'CopyDiffers';

  constructor(readonly difference: Difference) {
    super(`The columnar copy differs from PostgreSQL in ${differenceInWords(difference)}.`);
  }
}

/** Copies rows, and copies them again if columns differ. Throws CopyDiffers if they still differ. */
export async function copyUntilEqual<Copied>(
  { table, title }: ComparedRows,
  copy: (isAgain: boolean) => Promise<{ readonly copied: Copied; readonly differing: readonly string[] }>,
): Promise<Copied> {
  const first = await copy(false);
  if (first.differing.length === 0) return first.copied;
  const { copied, differing } = await copy(true);
  if (differing.length === 0) return copied;
  throw new CopyDiffers({ table: table.name, span: title, columns: differing });
}

/** Inserts the rows from PostgreSQL, and returns the columns that differ. PostgreSQL computes its sums while DuckDB inserts. */
export async function insertCompared(
  { client, run }: { readonly client: ClientBase; readonly run: RunStatement },
  rows: ComparedRows,
  sent: number,
  insert: () => Promise<number>,
): Promise<readonly string[]> {
  const [stored, inserted] = await both(storedSums(client, rows), insert());
  const copied = await copiedSums(run, rows);
  // If rows are missing, most columns also differ, and listing them would only hide the cause.
  if (String(sent) !== stored[0] || inserted !== sent || copied[0] !== stored[0]) return [ROWS];
  const columns = comparedSums(rows.table, 'duckdb').map(({ column }) => column);
  return [...new Set(columns.filter((_column, index) => stored[index] !== copied[index]))];
}

/** Waits for both even if one fails, so that neither is still running when its transaction ends. */
async function both<One, Other>(one: Promise<One>, other: Promise<Other>): Promise<[One, Other]> {
  await Promise.allSettled([one, other]);
  return Promise.all([one, other]);
}

const storedRows = z.tuple([z.array(z.string().nullable())]);
const copiedRows = z.tuple([z.tuple([z.string()])]);

async function storedSums(client: ClientBase, { table, stored }: ComparedRows) {
  const sums = comparedSums(table, 'postgresql').map(({ expression }) => `(${expression})::text`);
  const text = `SELECT ${sums.join(', ')} FROM analytics.${table.name} WHERE ${stored}`;
  const { rows } = await client.query({ text, rowMode: 'array' });
  return storedRows.parse(rows)[0];
}

async function copiedSums(run: RunStatement, { table, copied: { text, bindings } }: ComparedRows) {
  const sums = comparedSums(table, 'duckdb').map(({ expression }) => expression);
  // All sums become one string, such as `(3, 21, NULL)`: casting each separately takes DuckDB 50% longer.
  const rows = await run({
    text: `SELECT row(${sums.join(', ')})::text FROM ${inCopy(table)} WHERE ${text}`,
    bindings,
  });
  const [[values]] = copiedRows.parse(rows);
  return values
    .slice(1, -1)
    .split(', ')
    .map((value) => (value === 'NULL' ? null : value));
}
