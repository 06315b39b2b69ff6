// Ids that are strings in a file, or numbers that do not fit, become numbers in a separate range.

import { FIRST_MAPPED_ID, LAST_GIVEN_ID } from '../rows/generated-ids';
import { ANY_SITE } from '../storage/planner';
import { cachedIds, type DimensionIds } from './dimensions';
import { byKey, type FindIds, type FoundRow } from './find-ids';
import type { LoaderContext } from './loader-context';

/** A visitor may be named by reader_id or by original_id: their placeholders must not collide. */
const FIRST_PLACEHOLDER = -(2 ** 52);

/** Field -> the table that has the most ids of it. */
const TABLES = {
  pv_id: 'page_view',
  session_id: 'page_view',
  reader_id: 'page_view',
  version_id: 'page_version',
} as const;
export type GivenIdField = keyof typeof TABLES;

export const isGivenIdField = (name: string): name is GivenIdField => Object.hasOwn(TABLES, name);

/** The ids of the texts that files give in these fields. */
export const openGivenIds = (
  context: LoaderContext,
  fields: readonly GivenIdField[],
): ReadonlyMap<string, DimensionIds> =>
  new Map(
    fields.map((field) => [
      field,
      cachedIds(
        { table: 'given_id', id: 'id' },
        [field],
        context.limits,
        findIds(context, field),
        FIRST_PLACEHOLDER,
      ),
    ]),
  );

function findIds({ siteId }: LoaderContext, field: GivenIdField): FindIds {
  let last: number | undefined;
  return async (client, asked) => {
    const answer = await client.query<FoundRow>(
      `SELECT text_key AS key, id::float8 AS id FROM analytics.given_id
        WHERE site_id = ${ANY_SITE} AND kind = $2 AND text_key = ANY($3::uuid[])`,
      [siteId, field, [...asked.keys()]],
    );
    const found = byKey(answer.rows);
    const missing = [...asked].filter(([key]) => !found.has(key));
    if (missing.length === 0) return found;
    if (last === undefined) {
      // A file may give numbers of the range itself, such as an export of another installation.
      const largest = await client.query<{ last: number }>(
        `SELECT greatest($3::bigint - 1,
                  (SELECT max(id) FROM analytics.given_id WHERE site_id = $1 AND kind = $2),
                  (SELECT max(${field}) FROM analytics.${TABLES[field]}
                    WHERE site_id = $1 AND ${field} BETWEEN $3::bigint AND $4::bigint))::float8 AS last`,
        [siteId, field, FIRST_MAPPED_ID, LAST_GIVEN_ID],
      );
      last = largest.rows[0]?.last ?? FIRST_MAPPED_ID - 1;
    }
    for (const [key] of missing) {
      last += 1;
      found.set(key, last);
    }
    await client.query(
      `INSERT INTO analytics.given_id (site_id, kind, text_key, id, given)
       SELECT $1, $2, k, i, t FROM unnest($3::uuid[], $4::bigint[], $5::text[]) AS u(k, i, t)`,
      [
        ...[siteId, field, missing.map(([key]) => key), missing.map(([key]) => found.get(key))],
        missing.map(([, { texts }]) => texts[0]),
      ],
    );
    return found;
  };
}
