// Everything that identifies a visitor: all their reader ids, and all the ids they have in files.
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

/** The readers and names that belong together. PostgreSQL pushes conditions on them into each part of the union. */
const NAMED = `(
SELECT reader_id, original_id AS name FROM analytics.reader WHERE site_id = $1
UNION SELECT v.reader_id, s.original_id FROM analytics.page_view v JOIN analytics.reader_state s USING (site_id, reader_state_id)
       WHERE v.site_id = $1
UNION SELECT id, given FROM analytics.given_id WHERE site_id = $1 AND kind = 'reader_id') n`;

const OWNERS = `SELECT name, reader_id::float8 AS found FROM ${NAMED} WHERE name = ANY($2::text[])`;
const NAMES = `SELECT DISTINCT name AS found FROM ${NAMED} WHERE reader_id = ANY($2::bigint[])`;

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
SELECT FROM analytics.reader WHERE site_id = $1 AND reader_id = $2
UNION ALL (SELECT FROM analytics.page_view WHERE site_id = $1 AND reader_id = $2 LIMIT 1)
UNION ALL (SELECT FROM analytics.waiting_row WHERE site_id = $1 AND row_id IS NULL AND reader_id = $2 LIMIT 1)`;

/** The visitor with their names, even if no rows are stored; undefined for a generated number that no visitor has. */
export async function findVisitor(
  client: ClientBase,
  siteId: number,
  visitor: Visitor,
): Promise<VisitorIds | undefined> {
  const { readerId = 0 } = visitor;
  const isKnown = async () => (await client.query(KNOWN, [siteId, readerId])).rows.length > 0;
  if (readerId >= FIRST_MAPPED_ID && !(await isKnown())) return undefined;
  return findVisitors(client, siteId, [visitor]);
}

interface Found<T> {
  readonly found: T;
  /** The name that a reader was found by. */
  readonly name?: string;
}

/** Everything that identifies any of these visitors. The number of queries does not depend on the number of visitors. */
export async function findVisitors(
  client: ClientBase,
  siteId: number,
  visitors: readonly Visitor[],
): Promise<VisitorIds> {
  const rowsOf = async <T>(sql: string, of: readonly (number | string)[]): Promise<readonly Found<T>[]> =>
    of.length === 0 ? [] : (await client.query<Found<T>>(sql, [siteId, of])).rows;
  const find = async <T>(sql: string, of: readonly (number | string)[]): Promise<readonly T[]> =>
    (await rowsOf<T>(sql, of)).map(({ found }) => found);
  const givenNames = visitors.flatMap(({ originalId }) => originalId ?? []);
  const givenIds = visitors.flatMap(({ readerId }) => readerId ?? []);
  const owners = await rowsOf<number>(OWNERS, givenNames);
  // A current name is not looked up among the corrected ones.
  const current = new Set(owners.map(({ name }) => name));
  const earlier = await find<number>(
    EARLIER_OWNERS,
    givenNames.filter((name) => !current.has(name)),
  );
  let readerIds: readonly number[] = [
    ...new Set([...givenIds, ...owners.map(({ found }) => found), ...earlier]),
  ];
  // One person may have several ids, linked by names: looks up both until there are no new ones.
  for (;;) {
    const names = [...new Set([...givenNames, ...(await find<string>(NAMES, readerIds))])];
    const all = [...new Set([...readerIds, ...(await find<number>(OWNERS, names))])];
    if (all.length === readerIds.length)
      return { readerIds, names, earlierNames: await find<string>(EARLIER_NAMES, readerIds) };
    readerIds = all;
  }
}
