// A backup is gzipped text: a header line of JSON; for each table, a line of JSON, the rows in PostgreSQL's COPY format, and
// `\.`; and a last line of JSON with the SHA-256 of all preceding lines.
import { z } from 'zod';
import type { Queryable } from '../connection-pool';
import { type BackupQuestion, UNFINISHED_RESTORE } from '../migrate';

/** Incremented when the format changes in a way that older programs cannot read. */
export const FORMAT = 1;

export const KIND = 'qal backup';

/** The line after a table's rows. No row can look like this. */
export const END_OF_ROWS = '\\.';

/** Text that is safe to print on a terminal. */
const plain = z.string().regex(/^[ -~]{0,200}$/);
const migration = z.string().regex(/^[\w-]{1,100}$/);
const name = z.string().regex(/^\w{1,63}$/);
/** The name of a schema that is not PostgreSQL's own. */
const schema = z.string().regex(/^(?!pg_|information_schema$)\w{1,63}$/);

export const formatSchema = z.object({
  file: z.literal(KIND),
  format: z.int().min(1),
  program: plain,
});

export const headerSchema = z
  .strictObject({
    ...formatSchema.shape,
    postgresql: plain,
    createdAt: z.iso.datetime(),
    /** The migrations of each schema, in the order in which they were applied. */
    migrations: z.record(schema, z.array(migration)),
    sequences: z.array(
      z.strictObject({ schema, name, last: z.string().regex(/^-?\d{1,19}$/), isCalled: z.boolean() }),
    ),
    /** The answers by question and site, from the same snapshot as the rows. */
    answers: z.record(plain, z.record(plain, plain)).default({}),
  })
  .refine(({ migrations }) => Object.values(migrations).some((names) => names.length > 0))
  .refine(({ migrations, sequences }) => sequences.every((one) => Object.hasOwn(migrations, one.schema)));
export type BackupHeader = z.infer<typeof headerSchema>;

export const tableSchema = z.strictObject({ schema, table: name, columns: z.array(name).min(1) });
export type BackupTable = z.infer<typeof tableSchema>;

export const endSchema = z.strictObject({
  /** The number of rows in each table, in the order of the tables in the file. Early versions may have written 0 for tables with rows. */
  rows: z.array(z.int().min(0)),
  sha256: z.string(),
});
export type BackupEnd = z.infer<typeof endSchema>;

export class BackupError extends Error {
  override readonly name = 'BackupError';
}

/** The answers are in the header, which is a single line of limited length. */
const MAX_SITES = 500;

/** Answers each question for at most MAX_SITES sites. */
export async function answersTo(
  client: Queryable,
  questions: readonly BackupQuestion[],
): Promise<BackupHeader['answers']> {
  const answers: Record<string, Record<string, string>> = {};
  for (const { name, sql } of questions) {
    const { rows } = await client.query<{ site: string; answer: string }>(
      `SELECT site, answer FROM (${sql}) t WHERE length(site) <= 200 ORDER BY site COLLATE "C" LIMIT ${MAX_SITES}`,
    );
    answers[name] = Object.fromEntries(rows.map(({ site, answer }) => [site, answer]));
  }
  return answers;
}

export interface TableToCopy {
  readonly schema: string;
  readonly name: string;
  readonly columns: readonly string[];
  readonly quotedName: string;
  readonly quotedColumns: readonly string[];
}

interface FoundTable extends TableToCopy {
  readonly oid: number;
  readonly needs: readonly number[];
}

const TABLES = `
SELECT c.oid, n.nspname AS schema, c.relname AS name, format('%I.%I', n.nspname, c.relname) AS "quotedName",
       array_agg(a.attname::text ORDER BY a.attnum) AS columns,
       array_agg(quote_ident(a.attname) ORDER BY a.attnum) AS "quotedColumns",
       ARRAY(SELECT confrelid FROM pg_constraint f
              WHERE f.contype = 'f' AND f.conrelid = c.oid AND f.confrelid <> c.oid)::oid[]::int8[] AS needs
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
 WHERE c.relkind = 'r' AND n.nspname IN (SELECT schema FROM migrations.applied_file)
 GROUP BY c.oid, n.nspname, c.relname ORDER BY n.nspname, c.relname`;

const ANY_TABLE = `
SELECT format('%I.%I', n.nspname, c.relname) AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
 WHERE c.relkind IN ('r', 'v', 'm', 'p', 'f') AND n.nspname <> 'information_schema' AND n.nspname !~ '^pg_'
   AND format('%I.%I', n.nspname, c.relname) <> $1
   AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')
 ORDER BY 1 LIMIT 1`;

/** Finds any table or view, except those of PostgreSQL extensions and the marker of an unfinished restore. */
export async function findAnyTable(client: Queryable): Promise<string | undefined> {
  const { rows } = await client.query<{ name: string }>(ANY_TABLE, [UNFINISHED_RESTORE]);
  return rows[0]?.name;
}

export async function describeTables(client: Queryable): Promise<readonly TableToCopy[]> {
  const { rows } = await client.query<FoundTable>(TABLES);
  const ordered = new Set<FoundTable>();
  const add = (table: FoundTable, waiting: ReadonlySet<FoundTable>): void => {
    if (ordered.has(table) || waiting.has(table)) return;
    for (const needed of rows)
      if (table.needs.map(Number).includes(Number(needed.oid))) add(needed, new Set([...waiting, table]));
    ordered.add(table);
  };
  for (const table of rows) add(table, new Set());
  return [...ordered];
}
