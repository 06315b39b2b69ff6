// Owns what is known of the readers and sessions that were written before: in this file, or by earlier imports.
// Key -> time of its last view. Bounded: what does not fit is asked of the database again, in bulk.
import type { ClientBase } from 'pg';
import { ANY_SITE } from '../../storage/planner';
import { numberTable } from '../bounded-maps';

export interface KnownKeys {
  /** Makes sure that `lastAt` can answer for these keys, of which at most so many are new. */
  prepare(client: ClientBase, keys: ReadonlySet<number>): Promise<void>;
  /** Time of the last view that was written, or undefined for a key without views. */
  lastAt(key: number): number | undefined;
  /** Takes note of a view that was written. */
  note(key: number, at: number): void;
}

const NOTHING = 0;

/** Known keys of one column. `empty`: the site has no views yet, so that there is nothing to ask for. */
export function knownKeys(
  column: 'reader_id' | 'session_id',
  siteId: number,
  empty: boolean,
  capacity: number,
): KnownKeys {
  const table = numberTable(capacity);
  let complete = empty;
  return {
    async prepare(client, keys) {
      if (!table.hasRoom(keys.size)) {
        table.clear();
        complete = false;
      }
      if (complete) return;
      const asked = [...keys].filter((key) => table.get(key) === undefined);
      if (asked.length === 0) return;
      // An aggregate over an expression: no index on the time alone can serve it.
      const answer = await client.query<{ key: number; at: number }>(
        `SELECT k::float8 AS key, v.at
           FROM unnest($2::bigint[]) k,
                LATERAL (SELECT max(extract(epoch FROM at))::float8 AS at FROM analytics.page_view
                          WHERE site_id = ${ANY_SITE} AND ${column} = k) v
          WHERE v.at IS NOT NULL`,
        [siteId, asked],
      );
      for (const key of asked) table.set(key, NOTHING);
      for (const row of answer.rows) table.set(row.key, row.at);
    },
    lastAt(key) {
      const at = table.get(key);
      return at === NOTHING ? undefined : at;
    },
    note(key, at) {
      const before = table.get(key);
      if (before === undefined || at > before) table.set(key, at);
    },
  };
}
