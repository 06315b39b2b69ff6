// Owns the ids that the importer counts up within a site.
// One look at the largest stored id -> counters, and whether there is any. The site is locked meanwhile, so nobody else counts.
import type { ClientBase } from 'pg';
import { FIRST_MADE_ID, SESSION_READER_BASE } from '../made-ids';

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
