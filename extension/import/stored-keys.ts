// Which keys of a batch a table holds already, asked for the whole batch at once.
import { ANY_SITE } from '../storage/planner';
import type { LoaderContext } from './loader-context';

/** The ids in a column that are stored for the site. */
export const storedIds = (
  context: LoaderContext,
  table: string,
  column: string,
  ids: readonly number[],
): Promise<ReadonlySet<number>> => storedKeys(context, table, column, ids, 'bigint', 'float8');

/** The fingerprints, as `fingerprintText` gives them, that are stored for the site. */
export const storedFingerprints = (
  context: LoaderContext,
  table: string,
  prints: readonly string[],
): Promise<ReadonlySet<string>> => storedKeys(context, table, 'fingerprint', prints, 'uuid', 'text');

async function storedKeys<T>(
  { client, siteId }: LoaderContext,
  table: string,
  column: string,
  keys: readonly T[],
  type: string,
  answerType: string,
): Promise<ReadonlySet<T>> {
  if (keys.length === 0) return new Set();
  const answer = await client.query<{ key: T }>(
    `SELECT k::${answerType} AS key FROM unnest($2::${type}[]) k,
       LATERAL (SELECT FROM analytics.${table} WHERE site_id = ${ANY_SITE} AND ${column} = k LIMIT 1) v`,
    [siteId, keys],
  );
  return new Set(answer.rows.map((row) => row.key));
}
