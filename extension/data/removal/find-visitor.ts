// Everything that identifies a visitor: all their numbers, and all their names in files.
import type { ClientBase } from 'pg';
import { FIRST_MAPPED_ID } from '../rows/generated-ids';

/** Whether a string is a number that can be a reader_id. */
export const isReaderId = (text: string): boolean => /^\d{1,16}$/.test(text);

export interface Visitor {
  /** The site's id for the visitor, or a reader_id that is text in files. */
  readonly originalId?: string;
  readonly readerId?: number;
}

/** Everything that identifies a visitor, or several who are erased together. */
export interface VisitorIds {
  readonly readerIds: readonly number[];
  /** The site's ids, and reader_ids that are text in files. */
  readonly names: readonly string[];
  /** Names that the visitor had before a correction, and that no other visitor has. */
  readonly earlierNames: readonly string[];
}

export const idsOfAll = (visitors: readonly VisitorIds[]): VisitorIds => ({
  readerIds: [...new Set(visitors.flatMap(({ readerIds }) => readerIds))],
  names: [...new Set(visitors.flatMap(({ names }) => names))],
  earlierNames: [...new Set(visitors.flatMap(({ earlierNames }) => earlierNames))],
});

/** Names -> readers. */
const OWNERS = `
SELECT reader_id::float8 AS found FROM analytics.reader WHERE site_id = $1 AND original_id = ANY($2::text[])
UNION SELECT v.reader_id FROM analytics.page_view v JOIN analytics.reader_state s USING (site_id, reader_state_id)
       WHERE v.site_id = $1 AND s.original_id = ANY($2::text[])
UNION SELECT id FROM analytics.given_id WHERE site_id = $1 AND kind = 'reader_id' AND given = ANY($2::text[])`;

/** Readers -> names. */
const NAMES = `
SELECT original_id AS found FROM analytics.reader WHERE site_id = $1 AND reader_id = ANY($2::bigint[])
UNION SELECT s.original_id FROM analytics.page_view v JOIN analytics.reader_state s USING (site_id, reader_state_id)
       WHERE v.site_id = $1 AND v.reader_id = ANY($2::bigint[])
UNION SELECT given FROM analytics.given_id WHERE site_id = $1 AND kind = 'reader_id' AND id = ANY($2::bigint[])`;

/** The readers and names that views had before an import replaced them. */
const REPLACED = `
SELECT coalesce((r.old ->> 'reader_id')::bigint, v.reader_id)::float8 AS reader_id, s.original_id
  FROM analytics.import_record r JOIN analytics.page_view v ON v.site_id = r.site_id AND v.pv_id = r.row_id
  JOIN analytics.reader_state s ON s.site_id = r.site_id AND s.reader_state_id = (r.old ->> 'reader_state_id')::integer
 WHERE r.site_id = $1 AND r.table_name = 'page_view'`;

const EARLIER_OWNERS = `SELECT DISTINCT reader_id AS found FROM (${REPLACED}) e WHERE original_id = ANY($2::text[])`;

const EARLIER_NAMES = `
SELECT DISTINCT original_id AS found FROM (${REPLACED}) e WHERE reader_id = ANY($2::bigint[])
   AND NOT EXISTS (SELECT FROM analytics.reader o
                    WHERE o.site_id = $1 AND o.original_id = e.original_id AND o.reader_id <> ALL($2::bigint[]))`;

const KNOWN = `
SELECT reader_id::float8 AS found FROM analytics.reader WHERE site_id = $1 AND reader_id = ANY($2::bigint[])
UNION SELECT reader_id FROM analytics.page_view WHERE site_id = $1 AND reader_id = ANY($2::bigint[])
UNION SELECT reader_id FROM analytics.waiting_row WHERE site_id = $1 AND row_id IS NULL AND reader_id = ANY($2::bigint[])`;

/** The visitor with their names, even if no rows are stored; undefined for a generated number that no visitor has. */
export async function findVisitor(
  client: ClientBase,
  siteId: number,
  { originalId, readerId }: Visitor,
): Promise<VisitorIds | undefined> {
  const find = async <T>(sql: string, of: readonly (number | string)[]): Promise<readonly T[]> =>
    (await client.query<{ found: T }>(sql, [siteId, of])).rows.map(({ found }) => found);
  const givenNames = originalId === undefined ? [] : [originalId];
  let readerIds =
    readerId === undefined ? await find<number>(OWNERS, givenNames) : await find<number>(KNOWN, [readerId]);
  // Earlier names are searched only if no visitor currently has the name.
  if (readerIds.length === 0) readerIds = await find<number>(EARLIER_OWNERS, givenNames);
  if (readerIds.length === 0 && readerId !== undefined) {
    if (readerId >= FIRST_MAPPED_ID) return undefined;
    readerIds = [readerId];
  }
  // One person may have several numbers, linked by names: looks up both until there are no new ones.
  for (;;) {
    const names = [...new Set([...givenNames, ...(await find<string>(NAMES, readerIds))])];
    const all = [...new Set([...readerIds, ...(await find<number>(OWNERS, names))])];
    if (all.length === readerIds.length)
      return { readerIds, names, earlierNames: await find<string>(EARLIER_NAMES, readerIds) };
    readerIds = all;
  }
}
