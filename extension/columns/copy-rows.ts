// Rows from PostgreSQL into the copy: COPY writes a file of CSV, DuckDB reads it. Piece by piece, so that a file stays small.
import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Client } from 'pg';
import { copyTo } from '../../host-shim/extension-api';
import { quoted } from './column-file';
import { type CopiedField, type CopiedTable, DUCKDB_TYPES } from './copied-tables';
import type { ColumnStatement } from './run-prepared';

/** From a snapshot of PostgreSQL into a transaction of the copy. */
export interface CopyContext {
  readonly client: Client;
  readonly exchangeFolder: string;
  run(statement: ColumnStatement): Promise<void>;
}

/** A span of a table's units, both ends included: UTC days since 1970-01-01, or ids. */
export interface Span {
  readonly low: number;
  readonly high: number;
}

/**
 * Replaces what the copy has of a site in a span with what PostgreSQL has, and gives the number of its rows. Without a span
 * the copy must have nothing of the site.
 */
export async function copySpan(
  context: CopyContext,
  table: CopiedTable,
  siteId: number,
  span: Span | undefined,
): Promise<number> {
  if (span === undefined) return insertRows(context, table, `site_id = ${siteId}`);
  const { low, high } = unitBounds(table, span);
  await context.run({
    text: `DELETE FROM ${inCopy(table)} WHERE site_id = $1 AND ${inCopyUnit(table)} BETWEEN $2 AND $3`,
    bindings: [siteId, low, high],
  });
  return insertRows(context, table, `site_id = ${siteId} AND ${unitCondition(table, span)}`);
}

/**
 * Replaces a table that all sites share where its digest is not `known`; gives that of what the copy then has. It is read where the
 * rows of the site are, so that it is as new as they are.
 */
export const copyShared = (
  context: CopyContext,
  table: CopiedTable,
  siteId: number | undefined,
  known: string | undefined,
): Promise<string> =>
  withExport(context, table, siteId === undefined ? 'true' : besideSite(siteId), async (file) => {
    const digest = createHash('sha256')
      .update(await readFile(file))
      .digest('hex');
    if (digest === known) return digest;
    await context.run({ text: `DELETE FROM ${inCopy(table)}` });
    await context.run({ text: insertStatement(table, file) });
    return digest;
  });

const besideSite = (siteId: number): string =>
  `EXISTS (SELECT FROM analytics.site_version v WHERE v.site_id = ${siteId})`;

/** The statements that make the tables of an empty copy. */
export const createTables = (tables: readonly CopiedTable[]): readonly string[] =>
  tables.map(({ name, fields }) => {
    const columns = fields.map((field) => `"${field.name}" ${DUCKDB_TYPES[field.kind]}`);
    return `CREATE TABLE analytics.${name} (${columns.join(', ')})`;
  });

const inCopy = ({ name }: CopiedTable): string => `analytics.${name}`;

const DAY = 86_400;

/** The unit field of a copied row as a number that spans compare with: instants stay seconds, which zone maps know. */
const inCopyUnit = ({ unitField: { name, kind } }: CopiedTable): string =>
  kind === 'date' ? `("${name}" - DATE '1970-01-01')` : `"${name}"`;

const unitBounds = ({ unitField }: CopiedTable, { low, high }: Span): Span =>
  unitField.kind === 'timestamp with time zone'
    ? { low: low * DAY, high: (high + 1) * DAY - 1 }
    : { low, high };

/** The same in PostgreSQL, so that its indexes serve. Spans are whole numbers of ours. */
function unitCondition({ unitField: { name, kind } }: CopiedTable, span: Span): string {
  const { low, high } = { low: Math.trunc(span.low), high: Math.trunc(span.high) };
  switch (kind) {
    case 'timestamp with time zone':
      return `${name} >= to_timestamp(${low * DAY}) AND ${name} < to_timestamp(${(high + 1) * DAY})`;
    case 'date':
      return `${name} BETWEEN DATE '1970-01-01' + ${low} AND DATE '1970-01-01' + ${high}`;
    case 'smallint':
    case 'integer':
    case 'bigint':
      return `${name} BETWEEN ${low} AND ${high}`;
    case 'boolean':
    case 'text':
    case 'double precision':
    case 'jsonb':
      throw new Error(`Changes cannot be told by ${name}, which is ${kind}.`);
  }
}

/**
 * In bytes. The longest that an import brings is an event of 65,536 characters, nothing but numbers like 9e+307: PostgreSQL
 * writes each with 308 digits, and both cells have them.
 */
const LONGEST_LINE = 8_000_000;

/** A field may need two cells of CSV. */
function cellsOf({ name, kind }: CopiedField): readonly { readonly read: string; readonly type: string }[] {
  switch (kind) {
    case 'timestamp with time zone':
      // Cut off, so that a fraction written by hand stays within the day that its change names.
      return [{ read: `floor(extract(epoch FROM ${name}))::bigint`, type: 'BIGINT' }];
    case 'boolean':
      return [{ read: `${name}::int`, type: 'BOOLEAN' }];
    case 'jsonb':
      // The texts are PostgreSQL's own, as ->> gives them, so that both engines answer the same.
      return [
        { read: `${name}::text`, type: 'VARCHAR' },
        { read: `(SELECT json_object_agg(key, value)::text FROM jsonb_each_text(${name}))`, type: 'JSON' },
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

const insertRows = (context: CopyContext, table: CopiedTable, condition: string): Promise<number> =>
  withExport(context, table, condition, async (file, rowCount) => {
    if (rowCount > 0) await context.run({ text: insertStatement(table, file) });
    return rowCount;
  });

/** Writes rows of PostgreSQL into a file of CSV that is there during the work. */
async function withExport<T>(
  { client, exchangeFolder }: CopyContext,
  { name, fields }: CopiedTable,
  condition: string,
  work: (file: string, rowCount: number) => Promise<T>,
): Promise<T> {
  const reads = fields.flatMap(cellsOf).map(({ read }) => read);
  const file = join(exchangeFolder, `${randomUUID()}.csv`);
  try {
    const rowCount = await copyTo(
      client,
      `COPY (SELECT ${reads.join(', ')} FROM analytics.${name} WHERE ${condition}) TO STDOUT (FORMAT csv)`,
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
