// If a stored view has a reader_id from a file, another file may identify its visitor only by original_id. Both ids then refer
// to the same reader.
import { rowStaging } from '../../change/staging';
import { FIRST_GENERATED_ID } from '../../rows/generated-ids';
import { ANY_SITE } from '../../storage/planner';
import type { DimensionIds } from '../dimensions';
import type { LoaderContext } from '../loader-context';

const MATCHED_ROW = rowStaging('met', 'page_view');
const OF_GIVEN_READERS = `
  FROM ${MATCHED_ROW} m JOIN analytics.page_view t ON t.site_id = ${ANY_SITE} AND t.pv_id = m.pv_id
  JOIN analytics.reader r ON r.site_id = t.site_id AND r.reader_id = m.reader_id
 WHERE m.reader_id >= ${FIRST_GENERATED_ID} AND t.reader_id < ${FIRST_GENERATED_ID}`;

/**
 * Gives these readers the names in the file. `leave` receives SQL, as `collect` does, for the readers that lose rows of the file this
 * way. Returns whether any reader was named.
 */
export async function nameGivenReaders(
  { client, siteId }: LoaderContext,
  readerState: DimensionIds,
  leave: (from: string) => Promise<void>,
): Promise<boolean> {
  const found = await client.query<{ place: number; name: string }>(
    `SELECT m.place, r.original_id AS name ${OF_GIVEN_READERS}`,
    [siteId],
  );
  if (found.rows.length === 0) return false;
  await leave(
    `FROM (SELECT t.page_id, m.reader_id, t.at, NULL::integer AS page_state_id ${OF_GIVEN_READERS}) v`,
  );
  const names = found.rows.map(({ name }) => [name]);
  await client.query(
    `UPDATE ${MATCHED_ROW} m SET reader_id = NULL, reader_state_id = u.id
       FROM unnest($1::integer[], $2::bigint[]) AS u(place, id) WHERE m.place = u.place`,
    [found.rows.map(({ place }) => place), await readerState.find(client, names)],
  );
  return true;
}
