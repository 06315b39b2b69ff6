// Which rows of a batch a table holds already, asked for the whole batch at once.
import { ANY_SITE } from '../storage/planner';
import type { LoaderContext } from './loader-context';

/** Of these ids those that are stored for the site. */
export const storedIds = async (
  context: LoaderContext,
  table: string,
  column: string,
  ids: readonly number[],
): Promise<ReadonlySet<number>> =>
  new Set((await storedKeys<number>(context, table, column, column, ids, 'bigint', 'float8')).keys());

/** The numbers of the rows that are stored for the site with these fingerprints, as `fingerprintText` gives them. */
export const storedFingerprints = (
  context: LoaderContext,
  table: string,
  rowId: string,
  prints: readonly string[],
): Promise<ReadonlyMap<string, number>> =>
  storedKeys(context, table, rowId, 'fingerprint', prints, 'uuid', 'text');

async function storedKeys<T>(
  { client, siteId }: LoaderContext,
  table: string,
  rowId: string,
  column: string,
  keys: readonly T[],
  type: string,
  answerType: string,
): Promise<ReadonlyMap<T, number>> {
  if (keys.length === 0) return new Map();
  const answer = await client.query<{ key: T; id: number }>(
    `SELECT k::${answerType} AS key, v.id FROM unnest($2::${type}[]) k,
       LATERAL (SELECT ${rowId}::float8 AS id FROM analytics.${table} WHERE site_id = ${ANY_SITE} AND ${column} = k LIMIT 1) v`,
    [siteId, keys],
  );
  return new Map(answer.rows.map(({ key, id }) => [key, id]));
}
