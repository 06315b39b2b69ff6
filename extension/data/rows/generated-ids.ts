// The ids of page views, sessions and readers: numbers from a file, numbers mapped from strings in a file, numbers from a
// counter, or numbers derived from another id. All are below 2^53.
import { hash } from 'node:crypto';
import type { ClientBase } from 'pg';

/** The largest id that a file may contain. */
export const LAST_GIVEN_ID = 3_999_999_999_999_999;
/** The first of the numbers that replace given ids that are text or too large. They count up within each site. */
export const FIRST_MAPPED_ID = 3_000_000_000_000_001;
/** The first generated id. Generated ids of page views and readers count up within each site. */
export const FIRST_GENERATED_ID = 4_000_000_000_000_001;
/** Whether an id is missing or was generated. */
export const isGenerated = (id: number): boolean => !(id < FIRST_GENERATED_ID);
/** SQL: whether an id is from a file. */
export const isGivenId = (id: string): string => `${id} < ${FIRST_GENERATED_ID}`;
/** SQL: the id of a row's visit if it is from a file, or else null. */
export const givenVisit = (row: string): string =>
  `CASE WHEN ${isGivenId(`${row}.session_id`)} THEN ${row}.session_id END`;
/** The id of a reader identified only by a given session is this plus the session's id. */
export const SESSION_READER_BASE = 5_000_000_000_000_000;
/** The id of a generated session whose first view has a given id is that id plus this. */
export const SESSION_BASE = 5_000_000_000_000_000;

/** The values of page_view.named_by: how the visitor was identified. A visitor without any identification has only one view. */
export const NAMED_BY = { number: 1, text: 2, original: 3, address: 4, visit: 5, nothing: 6 } as const;

/** 52 bits as hexadecimal digits. */
const ID_DIGITS = 13;

/** An id derived from a string, within the range of given ids. `hash` is much faster than a Hash object. */
export const idOfText = (text: string): number =>
  (Number.parseInt(hash('sha256', text, 'hex').slice(0, ID_DIGITS), 16) % LAST_GIVEN_ID) + 1;

export type IdCounters = Awaited<ReturnType<typeof loadIdCounters>>;

interface Largest {
  readonly empty: boolean;
  readonly view: number | null;
  readonly reader: number | null;
}

/** Counters that continue from the ids generated so far. The caller must hold the site's lock. */
export async function loadIdCounters(client: ClientBase, siteId: number) {
  const answer = await client.query<Largest>(
    `SELECT (SELECT min(at) FROM analytics.page_view WHERE site_id = $1) IS NULL AS empty,
            (SELECT max(pv_id) FROM analytics.page_view WHERE site_id = $1 AND pv_id >= $2::bigint)::float8 AS view,
            greatest((SELECT max(reader_id) FROM analytics.page_view
                       WHERE site_id = $1 AND reader_id >= $2::bigint AND reader_id < $3::bigint),
                     (SELECT max(reader_id) FROM analytics.reader
                       WHERE site_id = $1 AND reader_id >= $2::bigint))::float8 AS reader`,
    [siteId, FIRST_GENERATED_ID, SESSION_READER_BASE],
  );
  const { empty = true, view = null, reader = null } = answer.rows[0] ?? {};
  const after = (last: number | null) => countAfter(last ?? FIRST_GENERATED_ID - 1);
  return {
    /** Whether the site has no page views yet. */
    empty,
    view: after(view),
    reader: after(reader),
  };
}

/** Returns a counter that starts with the number after this one. */
export function countAfter(last: number): () => number {
  let count = last;
  return () => {
    count += 1;
    return count;
  };
}

/** The largest value in an id column among a site's rows in a table; 0 if there are none. */
export async function lastId(
  client: ClientBase,
  siteId: number,
  table: string,
  column: string,
): Promise<number> {
  const answer = await client.query<{ last: number }>(
    `SELECT coalesce(max(${column}), 0)::float8 AS last FROM analytics.${table} WHERE site_id = $1`,
    [siteId],
  );
  return answer.rows[0]?.last ?? 0;
}

/** The next numbers from a column's sequence. */
export async function nextNumbers(
  client: ClientBase,
  table: string,
  column: string,
  count = 1,
): Promise<readonly number[]> {
  const { rows } = await client.query<{ number: number }>(
    'SELECT nextval(pg_get_serial_sequence($1, $2))::float8 AS number FROM generate_series(1, $3::integer)',
    [`analytics.${table}`, column, count],
  );
  return rows.map(({ number }) => number);
}
