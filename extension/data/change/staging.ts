// Opens the temporary tables of a site change. Only the files in this folder name those of staging.sql.
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

/** Opens an empty staging table for rows of a stored table. Its column `place` numbers them. */
export async function openRowStaging(client: Client, name: string, layout: TableLayout) {
  await client.query(
    (await isOpen(client, name))
      ? `TRUNCATE ${name} RESTART IDENTITY`
      : `CREATE TEMPORARY TABLE ${name} ON COMMIT DELETE ROWS AS SELECT * FROM analytics.${layout.table} WHERE false;
         ALTER TABLE ${name} ADD place integer GENERATED ALWAYS AS IDENTITY`,
  );
  return {
    add: (batch: RowBatch, rows: Uint32Array): Promise<void> => stageRows(client, layout, batch, rows, name),
  };
}
