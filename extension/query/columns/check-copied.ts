// Compares rows that were copied with PostgreSQL's, in the snapshot that they come from and the transaction that has them.
import type { ClientBase } from 'pg';
import { z } from 'zod';
import { type ComparedRows, inCopy } from './compared-rows';
import { comparedSums } from './compared-values';
import type { RunStatement } from './run-prepared';

/** What differs where there are more or fewer rows. */
export const ROWS = 'number of rows';

/** Where the copy is not what PostgreSQL has. */
export interface Difference {
  readonly table: string;
  /** Which rows, in words. */
  readonly span: string;
  /** Names of columns; `number of rows` where that differs. */
  readonly columns: readonly string[];
}

export const differenceInWords = ({ table, span, columns }: Difference): string =>
  `${columns.join(', ')} of ${table} (${span})`;

/** Rows were copied twice, and differ. */
export class CopyDiffers extends Error {
  override readonly name = 'CopyDiffers';

  constructor(readonly difference: Difference) {
    super(`The column copy differs from PostgreSQL in ${differenceInWords(difference)}.`);
  }
}

/** What was made of a copy, and in which columns it differs. */
interface Compared<Made> {
  readonly made: Made;
  readonly differing: readonly string[];
}

/** Copies rows, and once more where they differ. Throws CopyDiffers when they differ again. */
export async function copyUntilEqual<Made>(
  { table, title }: ComparedRows,
  copy: (isAgain: boolean) => Promise<Compared<Made>>,
): Promise<Made> {
  const first = await copy(false);
  if (first.differing.length === 0) return first.made;
  const { made, differing } = await copy(true);
  if (differing.length === 0) return made;
  throw new CopyDiffers({ table: table.name, span: title, columns: differing });
}

interface Engines {
  readonly client: ClientBase;
  readonly run: RunStatement;
}

/**
 * Inserts rows of which PostgreSQL sent a number, and returns the names of what differs then. PostgreSQL adds up while the copy
 * takes them in.
 */
export async function insertCompared(
  { client, run }: Engines,
  rows: ComparedRows,
  sent: number,
  insert: () => Promise<number>,
): Promise<readonly string[]> {
  const [stored, inserted] = await both(storedSums(client, rows), insert());
  const copied = await copiedSums(run, rows);
  // Then every sum differs.
  if (String(sent) !== stored[0] || inserted !== sent || copied[0] !== stored[0]) return [ROWS];
  const columns = comparedSums(rows.table, 'duckdb').map(({ column }) => column);
  return [...new Set(columns.filter((_column, index) => stored[index] !== copied[index]))];
}

/** Waits for both even if one fails, so that neither still runs when its transaction ends. */
async function both<One, Other>(one: Promise<One>, other: Promise<Other>): Promise<[One, Other]> {
  await Promise.allSettled([one, other]);
  return Promise.all([one, other]);
}

const sumsRows = z.tuple([z.array(z.string().nullable())]);

async function storedSums(client: ClientBase, { table, stored }: ComparedRows) {
  const sums = comparedSums(table, 'postgresql').map(({ expression }) => expression);
  const text = `SELECT ${sums.join(', ')} FROM analytics.${table.name} WHERE ${stored}`;
  const { rows } = await client.query({ text, rowMode: 'array' });
  return sumsRows.parse(rows)[0];
}

async function copiedSums(run: RunStatement, { table, copied: { text, bindings } }: ComparedRows) {
  const sums = comparedSums(table, 'duckdb').map(({ expression }) => expression);
  const rows = await run({ text: `SELECT ${sums.join(', ')} FROM ${inCopy(table)} WHERE ${text}`, bindings });
  return sumsRows.parse(rows)[0];
}
