// Owns values that belong to an entry of a dictionary and change in time: the title of a page, a visitor's own id.
// (entry, value, time) in -> the newest of the file, written in bulk. A view older than what is stored changes nothing.
import type { ClientBase } from 'pg';
import { ANY_SITE } from './planner-hints';
import { textKey } from './text-key';

export interface NewestPlan {
  /** Writes entries; `$1` = site, `$2` = ids, then for each column its values and their times. */
  readonly sql: string;
  readonly columns: readonly string[];
  /** Whether the text key of the first column follows as the last parameter. */
  readonly keyed?: boolean;
}

export interface NewestValues {
  /** Place of a column, for `note`. */
  columnOf(name: string): number;
  note(id: number, column: number, value: string | number, at: number): void;
  /** Puts the ids in place of the placeholders, and writes when `limit` entries wait. Answers rows changed. */
  flush(
    client: ClientBase,
    translate: (placeholder: number) => number | undefined,
    limit: number,
  ): Promise<number>;
}

interface Entry {
  readonly values: (string | number | null)[];
  readonly times: number[];
}

/** The newest values of one dictionary during one import. */
export function newestValues(plan: NewestPlan, siteId: number): NewestValues {
  let entries = new Map<number, Entry>();
  let placeholders = 0;
  const width = plan.columns.length;

  const note = (id: number, column: number, value: string | number | null, at: number): void => {
    let entry = entries.get(id);
    if (entry === undefined) {
      entry = { values: new Array(width).fill(null), times: new Array(width).fill(Number.NEGATIVE_INFINITY) };
      entries.set(id, entry);
      if (id < 0) placeholders += 1;
    }
    if (at < (entry.times[column] ?? 0)) return;
    entry.values[column] = value;
    entry.times[column] = at;
  };

  const translateAll = (translate: (placeholder: number) => number | undefined): void => {
    const named = entries;
    entries = new Map();
    placeholders = 0;
    for (const [key, entry] of named) {
      const id = key < 0 ? (translate(key) ?? key) : key;
      entry.values.forEach((value, column) => {
        const at = entry.times[column] ?? 0;
        if (value !== null) note(id, column, value, at);
      });
    }
  };

  return {
    columnOf: (name) => plan.columns.indexOf(name),
    note,
    async flush(client, translate, limit) {
      if (placeholders > 0) translateAll(translate);
      if (entries.size < limit || entries.size === 0) return 0;
      const ready = [...entries].filter(([id]) => id > 0);
      entries = new Map([...entries].filter(([id]) => id < 0));
      if (ready.length === 0) return 0;
      const parameters: unknown[] = [siteId, ready.map(([id]) => id)];
      for (let column = 0; column < width; column += 1) {
        parameters.push(ready.map(([, entry]) => entry.values[column] ?? null));
        parameters.push(
          ready.map(([, entry]) => (entry.values[column] === null ? null : entry.times[column])),
        );
      }
      if (plan.keyed === true) parameters.push(ready.map(([, entry]) => textKey([String(entry.values[0])])));
      const answer = await client.query(plan.sql, parameters);
      return answer.rowCount ?? 0;
    },
  };
}

/**
 * The title stays of the newest view (title_at). Kind and fetch status have no time of their own in the table:
 * they follow a view that is not older than the title, or fill what is empty.
 */
export const PAGE_VALUES: NewestPlan = {
  columns: ['title', 'page_type', 'page_fetch_status'],
  sql: `UPDATE analytics.page p SET
      title = CASE WHEN n.title_at > p.title_at OR (p.title_at IS NULL AND n.title_at IS NOT NULL) THEN n.title ELSE p.title END,
      title_at = greatest(p.title_at, n.title_at),
      page_type = CASE WHEN n.type_at > coalesce(p.title_at, '-infinity') OR p.page_type IS NULL
                       THEN coalesce(n.page_type, p.page_type) ELSE p.page_type END,
      page_fetch_status = CASE WHEN n.status_at > coalesce(p.title_at, '-infinity') OR p.page_fetch_status IS NULL
                       THEN coalesce(n.status, p.page_fetch_status) ELSE p.page_fetch_status END
    FROM (SELECT id, title, to_timestamp(t1) AS title_at, page_type, to_timestamp(t2) AS type_at, status,
                 to_timestamp(t3) AS status_at
            FROM unnest($2::integer[], $3::text[], $4::float8[], $5::integer[], $6::float8[], $7::smallint[], $8::float8[])
              AS u(id, title, t1, page_type, t2, status, t3)) n
    WHERE p.site_id = ${ANY_SITE} AND p.page_id = n.id
      AND (coalesce(n.title_at > p.title_at, n.title_at IS NOT NULL)
        OR n.type_at > coalesce(p.title_at, '-infinity') AND n.page_type IS DISTINCT FROM p.page_type
        OR n.status_at > coalesce(p.title_at, '-infinity') AND n.status IS DISTINCT FROM p.page_fetch_status
        OR p.page_type IS NULL AND n.page_type IS NOT NULL
        OR p.page_fetch_status IS NULL AND n.status IS NOT NULL)`,
};

/** The id that the site gave to a visitor whose reader_id the file gives. */
export const READER_VALUES: NewestPlan = {
  columns: ['original_id'],
  keyed: true,
  sql: `INSERT INTO analytics.reader AS r (site_id, reader_id, original_id, seen_at, text_key)
    SELECT $1, id, original_id, to_timestamp(t), k
      FROM unnest($2::bigint[], $3::text[], $4::float8[], $5::uuid[]) AS u(id, original_id, t, k)
    ON CONFLICT (site_id, reader_id) DO UPDATE
       SET original_id = excluded.original_id, seen_at = excluded.seen_at, text_key = excluded.text_key
     WHERE r.seen_at < excluded.seen_at`,
};
