// Creates the temporary tables of a site change. Only the files in this folder name the tables in staging.sql.
import type { Client, ClientBase } from 'pg';
import { stageRows } from '../rows/copy-rows';
import type { RowBatch } from '../rows/row-batch';
import type { TableLayout } from '../rows/table-layout';
import { STAGING_TABLES } from './steps';

/** SQL: the facts of new views. */
export const STAGED = 'staged';

async function isOpen(client: ClientBase, table: string): Promise<boolean> {
  const { rows } = await client.query(`SELECT FROM to_regclass('pg_temp.${table}') t WHERE t IS NOT NULL`);
  return rows.length > 0;
}

/** Creates the staging tables, once per connection. */
export async function openStaging(client: ClientBase): Promise<void> {
  if (!(await isOpen(client, 'staged'))) await client.query(STAGING_TABLES);
}

/** Why rows of a batch are staged: they are already stored, or will be added up. */
type Purpose = 'met' | 'summed';

/** SQL: the staging table for rows of a table. `place` numbers them; values that the file does not contain are null. */
export const rowStaging = (purpose: Purpose, table: string): string => `${purpose}_${table}`;

/** Creates an empty staging table for rows of a table, or empties the existing one. */
export async function openRowStaging(client: Client, purpose: Purpose, layout: TableLayout) {
  const name = rowStaging(purpose, layout.table);
  await client.query(
    (await isOpen(client, name))
      ? `TRUNCATE ${name} RESTART IDENTITY`
      : `CREATE TEMPORARY TABLE ${name} ON COMMIT DELETE ROWS AS SELECT * FROM analytics.${layout.table} WHERE false;
         ALTER TABLE ${name} ADD place integer GENERATED ALWAYS AS IDENTITY, ALTER site_id SET STATISTICS 1`,
  );
  return {
    add: (batch: RowBatch, rows: Uint32Array): Promise<void> => stageRows(client, layout, batch, rows, name),
  };
}
