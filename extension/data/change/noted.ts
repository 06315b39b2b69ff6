// Ids that a transaction notes in a staging table for a later step, by kind.
import type { ClientBase } from 'pg';
import { openStaging } from './staging';

/** SQL that notes the kinds and ids that a query returns, and line numbers if it returns them. The staging tables must exist. */
export const noting = (query: string): string => `INSERT INTO noted ${query} ON CONFLICT DO NOTHING`;

/** Notes the ids that a query with one column returns, and returns how many are new. */
export async function note(
  client: ClientBase,
  kind: string,
  sql: string,
  bindings: readonly unknown[] = [],
): Promise<number> {
  await openStaging(client);
  const { rowCount } = await client.query(noting(`SELECT '${kind}', n.* FROM (${sql}) n`), [...bindings]);
  return rowCount ?? 0;
}

/** A query for the noted ids of a kind. */
export const noted = (kind: string): string => `SELECT id FROM noted WHERE kind = '${kind}'`;

/** A query for the noted ids and line numbers of the kinds that meet a condition. */
export const notedLines = (condition: string): string =>
  `SELECT kind, id AS row_id, line FROM noted WHERE kind ${condition}`;

/** Which of these kinds have noted ids. */
export async function notedKinds(client: ClientBase, kinds: readonly string[]): Promise<ReadonlySet<string>> {
  const { rows } = await client.query<{ kind: string }>(
    'SELECT u.kind FROM unnest($1::text[]) u (kind), LATERAL (SELECT FROM noted WHERE kind = u.kind LIMIT 1) n',
    [kinds],
  );
  return new Set(rows.map(({ kind }) => kind));
}

/** Updates the planner's statistics about the noted ids. */
export const countNoted = (client: ClientBase): Promise<unknown> => client.query('ANALYZE noted');

export const forget = (client: ClientBase, ...kinds: readonly string[]): Promise<unknown> =>
  client.query('DELETE FROM noted WHERE kind = ANY($1::text[])', [kinds]);

/** Forgets the kinds and ids that a query on site `$1` returns. */
export const forgetFound = (client: ClientBase, siteId: number, sql: string): Promise<unknown> =>
  client.query(
    `WITH found AS MATERIALIZED (${sql}) DELETE FROM noted n USING found f (kind, id) WHERE n.kind = f.kind AND n.id = f.id`,
    [siteId],
  );
