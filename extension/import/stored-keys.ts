// Owns the question which keys of a batch a table has already, and the text of a fingerprint in it.
// Keys of one column in -> those that are stored. Asked for a whole batch at once.
import type { ClientBase } from 'pg';
import { ANY_SITE } from '../storage/planner';
import type { RowBatch } from './row-batch';

/** Ids of rows, asked as numbers. */
export async function storedIds(
  client: ClientBase,
  siteId: number,
  table: string,
  column: string,
  ids: readonly number[],
): Promise<ReadonlySet<number>> {
  return stored<number>(client, siteId, { table, column, type: 'bigint', answerType: 'float8' }, ids);
}

/** Fingerprints of rows, as `printOf` writes them. */
export async function storedPrints(
  client: ClientBase,
  siteId: number,
  table: string,
  prints: readonly string[],
): Promise<ReadonlySet<string>> {
  const asked = { table, column: 'fingerprint', type: 'uuid', answerType: 'text' };
  return stored<string>(client, siteId, asked, prints);
}

/** The fingerprint of a row as PostgreSQL writes a uuid. */
export function printOf(batch: RowBatch, row: number): string {
  const hex = Buffer.from(batch.fingerprints.buffer, row * 16, 16).toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

interface Asked {
  readonly table: string;
  readonly column: string;
  readonly type: string;
  readonly answerType: string;
}

async function stored<T>(
  client: ClientBase,
  siteId: number,
  { table, column, type, answerType }: Asked,
  keys: readonly T[],
): Promise<ReadonlySet<T>> {
  if (keys.length === 0) return new Set();
  const answer = await client.query<{ key: T }>(
    `SELECT k::${answerType} AS key FROM unnest($2::${type}[]) k,
       LATERAL (SELECT FROM analytics.${table} WHERE site_id = ${ANY_SITE} AND ${column} = k LIMIT 1) v`,
    [siteId, keys],
  );
  return new Set(answer.rows.map((row) => row.key));
}
