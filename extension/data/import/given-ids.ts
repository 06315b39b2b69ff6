// Replaces ids that are strings in a file, or numbers out of range, with numbers from a separate range.

import { countAfter, FIRST_MAPPED_ID, LAST_GIVEN_ID } from '../rows/generated-ids';
import { cachedIds, type DimensionIds } from './dimensions';
import { siteIds } from './find-ids';
import type { LoaderContext } from './loader-context';

/** A visitor may be identified by reader_id or by original_id, whose placeholders must not collide. */
const FIRST_PLACEHOLDER = -(2 ** 52);

/** For each field, the table with the most ids of its kind. */
const TABLES = {
  pv_id: 'page_view',
  session_id: 'page_view',
  reader_id: 'page_view',
  version_id: 'page_version',
} as const;
export type GivenIdField = keyof typeof TABLES;

export const isGivenIdField = (name: string): name is GivenIdField => Object.hasOwn(TABLES, name);

/** Maps strings in these fields to ids. */
export const openGivenIds = (
  { siteId, limits }: LoaderContext,
  fields: readonly GivenIdField[],
): ReadonlyMap<string, DimensionIds> =>
  new Map(
    fields.map((field) => {
      const findIds = siteIds(siteId, {
        table: 'given_id',
        id: 'id',
        texts: ['given'],
        kind: field,
        among: `kind = '${field}'`,
        async openCounter(client) {
          // A file, such as another installation's export, may itself contain numbers in this range.
          const { rows } = await client.query<{ last: number }>(
            `SELECT greatest($3::bigint - 1,
                      (SELECT max(id) FROM analytics.given_id WHERE site_id = $1 AND kind = $2),
                      (SELECT max(${field}) FROM analytics.${TABLES[field]}
                        WHERE site_id = $1 AND ${field} BETWEEN $3::bigint AND $4::bigint))::float8 AS last`,
            [siteId, field, FIRST_MAPPED_ID, LAST_GIVEN_ID],
          );
          return countAfter(rows[0]?.last ?? FIRST_MAPPED_ID - 1);
        },
      });
      const table = { table: 'given_id', id: 'id' };
      return [field, cachedIds(table, [field], limits, findIds, FIRST_PLACEHOLDER)] as const;
    }),
  );
