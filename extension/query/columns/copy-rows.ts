// Copies rows from PostgreSQL: COPY writes a CSV file, and DuckDB reads it. Each piece is in a separate file, so that files
// stay small.
import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Client } from 'pg';
import { z } from 'zod';
import { copyTo } from '../../../host-shim/extension-api';
import { microsField, NO_MICROS } from '../../language/types/micros';
import { copyUntilEqual, insertCompared } from './check-copied';
import { quoted } from './column-file';
import { type ComparedRows, inCopy, removal, rowsOfShared, rowsOfSite, type Span } from './compared-rows';
import { epochSeconds, jsonTexts } from './compared-values';
import { type CopiedField, type CopiedTable, DUCKDB_TYPES } from './copied-tables';
import type { RunStatement } from './run-prepared';
import { columnsOfViews, type ViewValues } from './view-values';

export interface CopyContext {
  /** A connection with a snapshot. */
  readonly client: Client;
  readonly exchangeFolder: string;
  /** Runs statements in a transaction on the copy. */
  readonly run: RunStatement;
}

/** Replaces a site's copied rows in a span, or all of them. With `isEmpty`, there are no rows to remove. Returns the number of rows. */
export const copySpan = (
  context: CopyContext,
  table: CopiedTable,
  siteId: number,
  span: Span | undefined,
  isEmpty: boolean,
): Promise<number> => copyRows(context, rowsOfSite(table, siteId, span), isEmpty);

/** Replaces a table that all sites share unless its digest is `known`. Returns the digest. */
export async function copyShared(
  context: CopyContext,
  table: CopiedTable,
  siteId: number | undefined,
  known: string | undefined,
): Promise<string> {
  const rows = rowsOfShared(table, siteId);
  const digest = await digestOf(context.client, rows);
  if (digest !== known) await copyRows(context, rows, false);
  return digest;
}

function copyRows(context: CopyContext, rows: ComparedRows, isEmpty: boolean): Promise<number> {
  return copyUntilEqual(rows, async (isAgain) => {
    if (isAgain || !isEmpty) await context.run(removal(rows));
    return withExport(context, rows, async (file, sent) => ({
      copied: sent,
      differing: await insertRows(context, rows, file, sent),
    }));
  });
}

const digestRow = z.object({ digest: z.string() });

/** PostgreSQL computes the digest, because transferring a table with thousands of sites would take longer. */
async function digestOf(client: Client, { table, stored }: ComparedRows): Promise<string> {
  const { rows } = await client.query(
    `SELECT concat(count(*), ' ', sum(hash_record_extended(ROW(${readsOf(table).join(', ')}), 0))) AS digest
       FROM analytics.${table.name} WHERE ${stored}`,
  );
  return digestRow.parse(rows[0]).digest;
}

const readsOf = ({ fields }: CopiedTable): readonly string[] =>
  fields.flatMap(cellsOf).map(({ read }) => read);

export const createTables = (
  tables: readonly CopiedTable[],
  values: readonly ViewValues[],
): readonly string[] =>
  tables.map(({ name, fields }) => {
    const columns = [
      ...fields.map((field) => `"${field.name}" ${DUCKDB_TYPES[field.kind]}`),
      ...fields.filter(hasMicros).flatMap((field) => {
        const [units, unit] = unitFieldsOf(field);
        const micros = `"${microsField(field.name)}" BIGINT GENERATED ALWAYS AS (${units} * ${unit}) VIRTUAL`;
        return [`${units} BIGINT`, `${unit} INTEGER`, micros];
      }),
      ...values.filter(({ source }) => source === name).flatMap((it) => columnsOfViews(it, tables)),
    ];
    return `CREATE TABLE analytics.${name} (${columns.join(', ')})`;
  });

const hasMicros = ({ kind }: CopiedField): boolean => kind === 'double precision';

const unitFieldsOf = ({ name }: CopiedField) => [`"${name}_units"`, `"${name}_unit"`] as const;

/** The millionths of a number with at most nine digits before the decimal point and six after it; a double keeps 15 digits. */
const microsOf = (number: string): string =>
  `CASE WHEN abs(${number}) < 1e9 AND round(${number} * 1e6) / 1e6 = ${number} THEN round(${number} * 1e6)::BIGINT
        WHEN ${number} IS NOT NULL THEN ${NO_MICROS} END`;

/**
 * Millionths are stored as a unit and a multiple of it. The decimals in a column usually have the same number of places, so
 * the multiples compress to half the size of the millionths, and the units to almost nothing.
 */
const unitOf = (micros: string): string =>
  `CASE WHEN ${micros} IS NULL OR ${micros} % 100000 = 0 THEN 100000 WHEN ${micros} % 1000 = 0 THEN 1000 ELSE 1 END`;

/**
 * The longest line is for an event with 65,536 characters of numbers like 9e+307: PostgreSQL writes each number as 308 digits, in
 * two cells.
 */
const MAX_LINE_BYTES = 8_000_000;

/** The CSV cells for a field. JSON needs two. */
function cellsOf({
  name,
  kind,
  computed,
}: CopiedField): readonly { readonly read: string; readonly type: string }[] {
  switch (kind) {
    case 'timestamp with time zone':
      return [{ read: epochSeconds(name), type: 'BIGINT' }];
    case 'boolean':
      return [{ read: `${name}::int`, type: 'BOOLEAN' }];
    case 'jsonb':
      // PostgreSQL computes the text values, so that both engines return the same ones.
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
      return [{ read: computed ?? name, type: DUCKDB_TYPES[kind] }];
  }
}

const insertRows = (context: CopyContext, rows: ComparedRows, file: string, sent: number) =>
  insertCompared(context, rows, sent, async () => {
    if (sent === 0) return 0;
    const [[inserted] = []] = await context.run({ text: insertStatement(rows.table, file) });
    return Number(inserted);
  });

/** Writes rows from PostgreSQL to a CSV file, which is removed when `work` finishes. */
async function withExport<T>(
  { client, exchangeFolder }: CopyContext,
  { table, stored }: ComparedRows,
  work: (file: string, rowCount: number) => Promise<T>,
): Promise<T> {
  const file = join(exchangeFolder, `${randomUUID()}.csv`);
  try {
    const rowCount = await copyTo(
      client,
      `COPY (SELECT ${readsOf(table).join(', ')} FROM analytics.${table.name} WHERE ${stored}) TO STDOUT (FORMAT csv)`,
      (rows) => pipeline(rows, createWriteStream(file, { mode: 0o600, highWaterMark: 1 << 20 })),
    );
    return await work(file, rowCount);
  } finally {
    await rm(file, { force: true });
  }
}

function insertStatement(table: CopiedTable, file: string): string {
  const { fields, unitField } = table;
  let next = 0;
  const numbers: string[] = [];
  const values = fields.map((field) => {
    const names = cellsOf(field).map(() => `c${next++}`);
    if (hasMicros(field)) numbers.push(names.join());
    return field.kind === 'jsonb'
      ? `{'json': ${names[0]}, 'texts': CAST(${names[1]} AS MAP(VARCHAR, VARCHAR))}`
      : names.join();
  });
  const columns = fields.flatMap(cellsOf).map(({ type }, index) => `'c${index}': '${type}'`);
  const order = fields.indexOf(unitField) + 1;
  // With several threads, DuckDB would mistake line breaks in strings for the ends of rows.
  const isParallel = !fields.some(({ kind }) => kind === 'text' || kind === 'jsonb');
  const rows = `read_csv(${quoted(file)}, auto_detect = false,
    header = false, delim = ',', new_line = '\\n', quote = '"', escape = '"', nullstr = '', allow_quoted_nulls = false,
    parallel = ${isParallel},
    max_line_size = ${MAX_LINE_BYTES}, buffer_size = ${2 * MAX_LINE_BYTES}, columns = {${columns.join(', ')}})`;
  // Nested, because DuckDB plans each use of an expression separately.
  const withMicros = ['*', ...numbers.map((name) => `${microsOf(name)} AS micros_${name}`)];
  const withUnits = ['*', ...numbers.map((name) => `${unitOf(`micros_${name}`)} AS unit_${name}`)];
  const units = numbers.flatMap((name) => [`micros_${name} // unit_${name}`, `unit_${name}`]);
  const named = [...fields.map(({ name }) => `"${name}"`), ...fields.filter(hasMicros).flatMap(unitFieldsOf)];
  return `INSERT INTO ${inCopy(table)} (${named.join(', ')}) SELECT ${[...values, ...units].join(', ')} FROM (
    SELECT ${withUnits.join(', ')} FROM (SELECT ${withMicros.join(', ')} FROM ${rows})) ORDER BY ${order}`;
}
