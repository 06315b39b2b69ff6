// Ids that a transaction notes in a staging table for a later step, by kind.
import type { ClientBase } from 'pg';
import { openStaging } from './steps';

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

/** Which of these kinds have noted ids. */
export async function notedKinds(client: ClientBase, kinds: readonly string[]): Promise<ReadonlySet<string>> {
  const { rows } = await client.query<{ kind: string }>(
    'SELECT u.kind FROM unnest($1::text[]) u (kind), LATERAL (SELECT FROM noted WHERE kind = u.kind LIMIT 1) n',
    [kinds],
  );
  return new Set(rows.map(({ kind }) => kind));
}

export const forget = (client: ClientBase, kind: string): Promise<unknown> =>
  client.query('DELETE FROM noted WHERE kind = $1', [kind]);
