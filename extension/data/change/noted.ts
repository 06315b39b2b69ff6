// The staging tables of a connection, and the ids noted in one of them.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ClientBase } from 'pg';

const STAGING = readFileSync(join(__dirname, 'staging.sql'), 'utf8');

/** Creates the staging tables, once per connection. */
export async function openStaging(client: ClientBase): Promise<void> {
  const { rows } = await client.query<{ found: boolean }>(
    `SELECT to_regclass('pg_temp.staged') IS NOT NULL AS found`,
  );
  if (rows[0]?.found !== true) await client.query(STAGING);
}

/** Notes the ids that a query with one column returns, and returns how many are new. */
export async function note(
  client: ClientBase,
  kind: string,
  sql: string,
  bindings: readonly unknown[] = [],
): Promise<number> {
  await openStaging(client);
  const { rowCount } = await client.query(
    `INSERT INTO noted SELECT '${kind}', n.* FROM (${sql}) n ON CONFLICT DO NOTHING`,
    [...bindings],
  );
  return rowCount ?? 0;
}

/** A query for the noted ids of a kind. */
export const noted = (kind: string): string => `SELECT id FROM noted WHERE kind = '${kind}'`;

export const forget = (client: ClientBase, kind: string): Promise<unknown> =>
  client.query('DELETE FROM noted WHERE kind = $1', [kind]);
