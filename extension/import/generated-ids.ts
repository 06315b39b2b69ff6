// Owns the ranges of ids: given by a file, counted up here, or derived from a given session.
// The ranges never meet, so a made id is never mistaken for a given one; all stay below 2^53.
import type { ClientBase } from 'pg';

/** The largest id that a file may give. */
export const LAST_GIVEN_ID = 3_999_999_999_999_999;
/** The first id that is made here; they count up within a site. */
export const FIRST_MADE_ID = 4_000_000_000_000_001;
/** A visitor known by nothing but a given session gets this plus the session's id. */
export const SESSION_READER_BASE = 5_000_000_000_000_000;

export interface MadeCounters {
  /** Whether the site has no views yet. */
  readonly empty: boolean;
  readonly view: () => number;
  readonly session: () => number;
  readonly reader: () => number;
}

interface Largest {
  readonly empty: boolean;
  readonly view: number | null;
  readonly session: number | null;
  readonly reader: number | null;
}

/** Counters that go on behind the ids made so far. */
export async function loadMadeCounters(client: ClientBase, siteId: number): Promise<MadeCounters> {
  const answer = await client.query<Largest>(
    `SELECT NOT EXISTS (SELECT FROM analytics.page_view WHERE site_id = $1) AS empty,
            (SELECT max(pv_id) FROM analytics.page_view WHERE site_id = $1 AND pv_id >= $2::bigint)::float8 AS view,
            (SELECT max(session_id) FROM analytics.page_view
              WHERE site_id = $1 AND session_id >= $2::bigint)::float8 AS session,
            greatest((SELECT max(reader_id) FROM analytics.page_view
                       WHERE site_id = $1 AND reader_id >= $2::bigint AND reader_id < $3::bigint),
                     (SELECT max(reader_id) FROM analytics.reader
                       WHERE site_id = $1 AND reader_id >= $2::bigint))::float8 AS reader`,
    [siteId, FIRST_MADE_ID, SESSION_READER_BASE],
  );
  const last = answer.rows[0];
  return {
    empty: last?.empty ?? true,
    view: counter(last?.view ?? null),
    session: counter(last?.session ?? null),
    reader: counter(last?.reader ?? null),
  };
}

function counter(last: number | null): () => number {
  let next = last === null ? FIRST_MADE_ID : last + 1;
  return () => {
    next += 1;
    return next - 1;
  };
}
