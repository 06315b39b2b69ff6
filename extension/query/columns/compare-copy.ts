// Compares the copy with PostgreSQL by hashing every row.
import type { Knex } from 'knex';
import { z } from 'zod';
import { forCopy } from '../../data/storage/in-transaction';
import { ROWS } from './check-copied';
import type { ColumnFile } from './column-file';
import { type ComparedRows, inCopy } from './compared-rows';
import { type ComparedEngine, rowHash } from './compared-values';
import type { CopiedTable } from './copied-tables';

interface ComparedCopy {
  readonly write: Knex;
  readonly file: ColumnFile;
  readonly tables: readonly CopiedTable[];
  readonly guard?: AbortSignal | undefined;
}

/** Reported if every column matches, but the rows do not. */
const PAIRS = 'values of a row';

/**
 * Returns the columns that differ, or ROWS or PAIRS. Additional or missing rows in a dimension are ignored if nothing refers to
 * them. But an id that occurs twice in the copy is reported as ROWS, because it would duplicate the rows that refer to it.
 */
export async function differingColumns(copy: ComparedCopy, rows: ComparedRows): Promise<readonly string[]> {
  const [stored, copied] = await inBoth(copy, rows, (table, engine) => [
    `count(*)::text, sum(${rowHash(table, engine)})::text`,
  ]);
  if (same(stored[0], copied[0])) return [];
  if (rows.table.unit !== 'day') return differingInDimension(copy, rows);
  return stored[0]?.[0] === copied[0]?.[0] ? columnsOf(copy, rows) : [ROWS];
}

/** Returns the columns that differ, given that both engines have the same number of rows. */
async function columnsOf(copy: ComparedCopy, rows: ComparedRows): Promise<readonly string[]> {
  const { fields } = rows.table;
  const [stored, copied] = await inBoth(copy, rows, (table, engine) =>
    fields.map((field) => `sum(${rowHash({ ...table, fields: [field] }, engine)})::text`),
  );
  const differing = fields.filter((_field, index) => stored[0]?.[index] !== copied[0]?.[index]);
  return differing.length === 0 ? [PAIRS] : differing.map(({ name }) => name);
}

async function differingInDimension(copy: ComparedCopy, rows: ComparedRows): Promise<readonly string[]> {
  const { table } = rows;
  const id = table.unitField.name;
  const [stored, copied] = await inBoth(copy, rows, (_table, engine) => [
    `"${id}"::text, (${rowHash(table, engine)})::text`,
  ]);
  const hashes = new Map(copied.map(([key, hash]) => [key, hash]));
  if (hashes.size < copied.length) return [ROWS];
  const differing = stored.flatMap(([key, hash]) => {
    const copiedHash = key === null || key === undefined ? undefined : hashes.get(key);
    return copiedHash !== undefined && copiedHash !== hash ? [key] : [];
  });
  if (differing.length > 0) {
    const among = `"${id}" IN (${differing.join(', ')})`;
    const { text, bindings } = rows.copied;
    return columnsOf(copy, {
      ...rows,
      stored: `${rows.stored} AND ${among}`,
      copied: { text: `${text} AND ${among}`, bindings },
    });
  }
  const present = new Set(stored.map(([key]) => key));
  const unmatched = [
    ...[...present].filter((key) => !hashes.has(key)),
    ...[...hashes.keys()].filter((key) => !present.has(key)),
  ].filter((key) => typeof key === 'string');
  return (await isReferredTo(copy, rows, unmatched)) ? [ROWS] : [];
}

async function isReferredTo(
  { file, tables }: ComparedCopy,
  { table, copied }: ComparedRows,
  ids: readonly string[],
): Promise<boolean> {
  const { name } = table.unitField;
  const referring = tables.filter((it) => it !== table && it.fields.some((field) => field.name === name));
  if (ids.length === 0 || referring.length === 0) return false;
  const [siteId] = copied.bindings;
  const ofSite = siteId === undefined ? '' : 'site_id = $1 AND ';
  const found = referring.map(
    (it) => `EXISTS (SELECT 1 FROM ${inCopy(it)} WHERE ${ofSite}"${name}" IN (${ids.join(', ')}))`,
  );
  const bindings = siteId === undefined ? [] : [siteId];
  const [[isFound] = []] = await file.read({ text: `SELECT (${found.join(' OR ')})::int`, bindings });
  return isFound === 1;
}

type Texts = readonly (readonly (string | null)[])[];
const textRows = z.array(z.array(z.string().nullable()));

async function inBoth(
  { write, file, guard }: ComparedCopy,
  { table, stored, copied }: ComparedRows,
  expressions: (table: CopiedTable, engine: ComparedEngine) => readonly string[],
): Promise<readonly [stored: Texts, copied: Texts]> {
  const read = (engine: ComparedEngine, condition: string) =>
    `SELECT ${expressions(table, engine).join(', ')} FROM ${inCopy(table)} WHERE ${condition}`;
  const { rows } = await forCopy(
    write,
    (client) => client.query({ text: read('postgresql', stored), rowMode: 'array' }),
    guard,
  );
  const found = await file.read({ text: read('duckdb', copied.text), bindings: copied.bindings });
  return [textRows.parse(rows), textRows.parse(found)];
}

const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);
