// When the readers and sessions of a site were last seen, in this file or in earlier imports. Bounded: what does not fit
// is asked of the database again, in bulk.
import type { ClientBase } from 'pg';
import { ANY_SITE } from '../../storage/planner';
import { numberTable } from '../bounded-maps';

export interface KnownKeys {
  /** Makes sure that `lastAt` can answer for these keys. */
  prepare(client: ClientBase, keys: ReadonlySet<number>): Promise<void>;
  /** Time of the last written view, or undefined for a key without views. */
  lastAt(key: number): number | undefined;
  /** Notes a view that was written. */
  note(key: number, at: number): void;
}

const NO_VIEW = 0;

/** The known keys of one column. `isEmpty`: the site has no views yet, so there is nothing to ask for. */
export function knownKeys(
  column: 'reader_id' | 'session_id',
  siteId: number,
  isEmpty: boolean,
  capacity: number,
): KnownKeys {
  const table = numberTable(capacity);
  let isComplete = isEmpty;
  return {
    async prepare(client, keys) {
      if (!table.hasRoom(keys.size)) {
        table.clear();
        isComplete = false;
      }
      if (isComplete) return;
      const asked = [...keys].filter((key) => table.get(key) === undefined);
      if (asked.length === 0) return;
      // An aggregate over an expression, so that no index on the time alone is used.
      const answer = await client.query<{ key: number; at: number }>(
        `SELECT k::float8 AS key, v.at
           FROM unnest($2::bigint[]) k,
                LATERAL (SELECT max(extract(epoch FROM at))::float8 AS at FROM analytics.page_view
                          WHERE site_id = ${ANY_SITE} AND ${column} = k) v
          WHERE v.at IS NOT NULL`,
        [siteId, asked],
      );
      for (const key of asked) table.set(key, NO_VIEW);
      for (const { key, at } of answer.rows) table.set(key, at);
    },
    lastAt(key) {
      const at = table.get(key);
      return at === NO_VIEW ? undefined : at;
    },
    note(key, at) {
      if (at > (table.get(key) ?? Number.NEGATIVE_INFINITY)) table.set(key, at);
    },
  };
}
