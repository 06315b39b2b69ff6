// An id may represent several strings. If a row contains only some of them, the row that it updates keeps the others.
import type { DimensionIds } from './dimensions';
import type { Texts } from './find-ids';
import type { LoaderContext } from './loader-context';

interface IdPair {
  readonly given: number;
  readonly before: number;
}

/** For each pair, returns the id of the given strings, with missing ones filled in from the earlier strings. */
export async function mergedIds(
  { client, siteId }: LoaderContext,
  dimension: DimensionIds,
  pairs: readonly IdPair[],
): Promise<readonly number[]> {
  if (pairs.length === 0) return [];
  const { table, id, identity } = dimension;
  const { rows } = await client.query<{ id: number; texts: Texts }>(
    `SELECT ${id}::float8 AS id, ARRAY[${identity.map((name) => `${name}::text`).join(', ')}] AS texts
       FROM analytics.${table} WHERE site_id = $1 AND ${id} = ANY($2::bigint[])`,
    [siteId, [...new Set(pairs.flatMap(({ given, before }) => [given, before]))]],
  );
  const textsOf = new Map(rows.map((row) => [row.id, row.texts]));
  return dimension.find(
    client,
    pairs.map(({ given, before }) =>
      identity.map((_, place) => textsOf.get(given)?.[place] ?? textsOf.get(before)?.[place] ?? null),
    ),
  );
}
