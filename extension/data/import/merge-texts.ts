// An id may represent several strings. If a row contains only some of them, the row that it updates keeps the others.
import type { DimensionIds } from './dimensions';
import type { Texts } from './find-ids';
import type { LoaderContext } from './loader-context';

interface IdPair {
  readonly given: number;
  readonly before: number;
}

/** The strings that ids represent, in the order of the dimension's identifying fields. */
export async function textsOf(
  { client, siteId }: LoaderContext,
  { table, id, identity }: DimensionIds,
  ids: Iterable<number>,
): Promise<ReadonlyMap<number, Texts>> {
  const { rows } = await client.query<{ id: number; texts: Texts }>(
    `SELECT ${id}::float8 AS id, ARRAY[${identity.map((name) => `${name}::text`).join(', ')}] AS texts
       FROM analytics.${table} WHERE site_id = $1 AND ${id} = ANY($2::bigint[])`,
    [siteId, [...new Set(ids)]],
  );
  return new Map(rows.map((row) => [row.id, row.texts]));
}

/** For each pair, returns the id of the given strings, with missing ones filled in from the earlier strings. */
export async function mergedIds(
  context: LoaderContext,
  dimension: DimensionIds,
  pairs: readonly IdPair[],
): Promise<readonly number[]> {
  if (pairs.length === 0) return [];
  const ids = pairs.flatMap(({ given, before }) => [given, before]);
  const texts = await textsOf(context, dimension, ids);
  const merged = pairs.map(({ given, before }) =>
    dimension.identity.map((_, place) => texts.get(given)?.[place] ?? texts.get(before)?.[place] ?? null),
  );
  return dimension.find(context.client, merged);
}
