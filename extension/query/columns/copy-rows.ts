// Rows from PostgreSQL into the copy: COPY writes a file of CSV, DuckDB reads it. Piece by piece, so that a file stays small.
import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Client } from 'pg';
import { copyTo } from '../../../host-shim/extension-api';
import { copyUntilEqual, insertCompared } from './check-copied';
import { quoted } from './column-file';
import { type ComparedRows, inCopy, removal, rowsOfShared, rowsOfSite, type Span } from './compared-rows';
import { epochSeconds, jsonTexts } from './compared-values';
import { type CopiedField, type CopiedTable, DUCKDB_TYPES } from './copied-tables';
import type { RunStatement } from './run-prepared';

/** From a snapshot of PostgreSQL into a transaction of the copy. */
export interface CopyContext {
  readonly client: Client;
  readonly exchangeFolder: string;
  readonly run: RunStatement;
}

/** Replaces what the copy has of a site in a span, or all of it, with what PostgreSQL has; returns the number of rows. */
export function copySpan(
  context: CopyContext,
  table: CopiedTable,
  siteId: number,
  span: Span | undefined,
): Promise<number> {
  const rows = rowsOfSite(table, siteId, span);
  return copyUntilEqual(rows, async () => {
    await context.run(removal(rows));
    return withExport(context, rows, async (file, sent) => ({
      made: sent,
      differing: await insertRows(context, rows, file, sent),
    }));
  });
}

/** Replaces a table that all sites share where its digest is not `known`; returns that of what the copy then has. */
export function copyShared(
  context: CopyContext,
  table: CopiedTable,
  siteId: number | undefined,
  known: string | undefined,
): Promise<string> {
  const rows = rowsOfShared(table, siteId);
  return copyUntilEqual(rows, (isAgain) =>
    withExport(context, rows, async (file, sent) => {
      const digest = createHash('sha256')
        .update(await readFile(file))
        .digest('hex');
      if (digest === known && !isAgain) return { made: digest, differing: [] };
      await context.run(removal(rows));
      return { made: digest, differing: await insertRows(context, rows, file, sent) };
    }),
  );
}

/** The statements that make the tables of an empty copy. */
export const createTables = (tables: readonly CopiedTable[]): readonly string[] =>
  tables.map(({ name, fields }) => {
    const columns = fields.map((field) => `"${field.name}" ${DUCKDB_TYPES[field.kind]}`);
    return `CREATE TABLE analytics.${name} (${columns.join(', ')})`;
  });

/**
 * In bytes. The longest that an import brings is an event of 65,536 characters, nothing but numbers like 9e+307: PostgreSQL
 * writes each with 308 digits, and both cells have them.
 */
const LONGEST_LINE = 8_000_000;

/** A field may need two cells of CSV. */
function cellsOf({ name, kind }: CopiedField): readonly { readonly read: string; readonly type: string }[] {
  switch (kind) {
    case 'timestamp with time zone':
      return [{ read: epochSeconds(name), type: 'BIGINT' }];
    case 'boolean':
      return [{ read: `${name}::int`, type: 'BOOLEAN' }];
    case 'jsonb':
      // The texts are PostgreSQL's own, as ->> returns them, so that both engines answer the same.
      return [
        { read: `${name}::text`, type: 'VARCHAR' },
        { read: `(SELECT json_object_agg(key, value)::text FROM ${jsonTexts(name)})`, type: 'JSON' },
      ];
    case 'smallint':
    case 'integer':
    case 'bigint':
    case 'text':
    case 'date':
    case 'double precision':
      return [{ read: name, type: DUCKDB_TYPES[kind] }];
  }
}

const insertRows = (context: CopyContext, rows: ComparedRows, file: string, sent: number) =>
  insertCompared(context, rows, sent, async () => {
    if (sent === 0) return 0;
    const [[inserted] = []] = await context.run({ text: insertStatement(rows.table, file) });
    return Number(inserted);
  });

/** Writes rows of PostgreSQL into a file of CSV that is there during the work. */
async function withExport<T>(
  { client, exchangeFolder }: CopyContext,
  { table: { name, fields }, stored }: ComparedRows,
  work: (file: string, rowCount: number) => Promise<T>,
): Promise<T> {
  const reads = fields.flatMap(cellsOf).map(({ read }) => read);
  const file = join(exchangeFolder, `${randomUUID()}.csv`);
  try {
    const rowCount = await copyTo(
      client,
      `COPY (SELECT ${reads.join(', ')} FROM analytics.${name} WHERE ${stored}) TO STDOUT (FORMAT csv)`,
      (rows) => pipeline(rows, createWriteStream(file, { mode: 0o600, highWaterMark: 1 << 20 })),
    );
    return await work(file, rowCount);
  } finally {
    await rm(file, { force: true });
  }
}

/** Reads such a file into the copy. */
function insertStatement(table: CopiedTable, file: string): string {
  const { fields, unitField } = table;
  let next = 0;
  const values = fields.map((field) => {
    const names = cellsOf(field).map(() => `c${next++}`);
    return field.kind === 'jsonb'
      ? `{'json': ${names[0]}, 'texts': CAST(${names[1]} AS MAP(VARCHAR, VARCHAR))}`
      : names.join();
  });
  const columns = fields.flatMap(cellsOf).map(({ type }, index) => `'c${index}': '${type}'`);
  const order = fields.indexOf(unitField) + 1;
  // Several threads would look for beginnings of lines, and find them in texts that have lines themselves.
  const isParallel = !fields.some(({ kind }) => kind === 'text' || kind === 'jsonb');
  return `INSERT INTO ${inCopy(table)} SELECT ${values.join(', ')} FROM read_csv(${quoted(file)}, auto_detect = false,
    header = false, delim = ',', new_line = '\\n', quote = '"', escape = '"', nullstr = '', allow_quoted_nulls = false,
    parallel = ${isParallel},
    max_line_size = ${LONGEST_LINE}, buffer_size = ${2 * LONGEST_LINE}, columns = {${columns.join(', ')}}) ORDER BY ${order}`;
}
