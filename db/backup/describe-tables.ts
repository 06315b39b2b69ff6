// The tables of the migrated schemas in backup order: referenced tables come first.
import type { Queryable } from '../connection-pool';
import { UNFINISHED_RESTORE } from '../migrate';

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
   AND format('%I.%I', n.nspname, c.relname) <> $1 ORDER BY 1 LIMIT 1`;

/** The name of any table or view, whichever program created it. Ignores the marker of an unfinished restore. */
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
