// Owns values that belong to an entry of a dimension and change in time: the title of a page, a visitor's own id.
// (entry, value, time) in -> the newest of the file, written in bulk. A view older than what is stored changes nothing;
// of two views of one second the greater value stays, so that the order of rows and files does not matter.
import type { ClientBase } from 'pg';
import { ANY_SITE } from '../storage/planner';
import { textKey } from '../storage/text-key';
import type { ImportLimits } from './limits';
import { textSlices } from './text-slices';

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
  /** Takes note of a value of a row that is written. */
  note(id: number, column: number, value: string | number, at: number): void;
  /** Writes when much waits, or when it is the last time. Answers rows changed. */
  flush(client: ClientBase, last: boolean): Promise<number>;
}

interface Entry {
  readonly values: (string | number | null)[];
  readonly times: number[];
}

/** The newest values of one dimension during one import. */
export function newestValues(plan: NewestPlan, siteId: number, limits: ImportLimits): NewestValues {
  let entries = new Map<number, Entry>();
  let characters = 0;
  const width = plan.columns.length;

  const write = async (client: ClientBase, slice: readonly (readonly [number, Entry])[]): Promise<number> => {
    const parameters: unknown[] = [siteId, slice.map(([id]) => id)];
    for (let column = 0; column < width; column += 1) {
      parameters.push(slice.map(([, entry]) => entry.values[column] ?? null));
      parameters.push(slice.map(([, entry]) => (entry.values[column] === null ? null : entry.times[column])));
    }
    if (plan.keyed === true) parameters.push(slice.map(([, entry]) => textKey([String(entry.values[0])])));
    const answer = await client.query(plan.sql, parameters);
    return answer.rowCount ?? 0;
  };

  return {
    columnOf: (name) => plan.columns.indexOf(name),
    note(id, column, value, at) {
      let entry = entries.get(id);
      if (entry === undefined) {
        entry = {
          values: new Array(width).fill(null),
          times: new Array(width).fill(Number.NEGATIVE_INFINITY),
        };
        entries.set(id, entry);
      }
      const time = entry.times[column] ?? 0;
      const before = entry.values[column] ?? null;
      if (at < time || (at === time && before !== null && !isGreater(value, before))) return;
      characters += lengthOf(value) - lengthOf(before);
      entry.values[column] = value;
      entry.times[column] = at;
    },
    async flush(client, last) {
      const much = entries.size >= limits.newestEntries || characters >= limits.statementCharacters;
      if (!much && !last) return 0;
      const ready = [...entries];
      entries = new Map();
      characters = 0;
      const slices = textSlices(
        ready,
        ([, entry]) => entry.values.reduce((sum: number, value) => sum + lengthOf(value), 0),
        limits.statementCharacters,
      );
      let changed = 0;
      for (const slice of slices) changed += await write(client, slice);
      return changed;
    },
  };
}

function lengthOf(value: string | number | null): number {
  return typeof value === 'string' ? value.length : 0;
}

/** Of two values of the same second the greater one counts, by its bytes as in the database. */
function isGreater(value: string | number, other: string | number): boolean {
  if (typeof value === 'number' && typeof other === 'number') return value > other;
  return value !== other && Buffer.compare(Buffer.from(String(value)), Buffer.from(String(other))) > 0;
}

// A row of (time, value) is greater by its time, or at the same time by its value. COLLATE "C" compares bytes.
const NEWER_TITLE = `(p.title_at IS NULL AND n.title_at IS NOT NULL
        OR coalesce((n.title_at, n.title COLLATE "C") > (p.title_at, p.title), false))`;
const NEWER_TYPE = `coalesce((n.type_at, n.page_type) > (coalesce(p.title_at, '-infinity'), p.page_type), false)`;
const NEWER_STATUS = `coalesce((n.status_at, n.status) > (coalesce(p.title_at, '-infinity'), p.page_fetch_status), false)`;

/**
 * The title stays of the newest view (title_at). Kind and fetch status have no time of their own in the table:
 * they follow a view that is not older than the title, or fill what is empty.
 */
export const PAGE_VALUES: NewestPlan = {
  columns: ['title', 'page_type', 'page_fetch_status'],
  sql: `UPDATE analytics.page p SET
      title = CASE WHEN ${NEWER_TITLE} THEN n.title ELSE p.title END,
      title_at = greatest(p.title_at, n.title_at),
      page_type = CASE WHEN ${NEWER_TYPE} OR p.page_type IS NULL
                       THEN coalesce(n.page_type, p.page_type) ELSE p.page_type END,
      page_fetch_status = CASE WHEN ${NEWER_STATUS} OR p.page_fetch_status IS NULL
                       THEN coalesce(n.status, p.page_fetch_status) ELSE p.page_fetch_status END
    FROM (SELECT id, title, to_timestamp(t1) AS title_at, page_type, to_timestamp(t2) AS type_at, status,
                 to_timestamp(t3) AS status_at
            FROM unnest($2::integer[], $3::text[], $4::float8[], $5::integer[], $6::float8[], $7::smallint[], $8::float8[])
              AS u(id, title, t1, page_type, t2, status, t3)) n
    WHERE p.site_id = ${ANY_SITE} AND p.page_id = n.id
      AND (${NEWER_TITLE}
        OR ${NEWER_TYPE} AND n.page_type IS DISTINCT FROM p.page_type
        OR ${NEWER_STATUS} AND n.status IS DISTINCT FROM p.page_fetch_status
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
     WHERE (excluded.seen_at, excluded.original_id COLLATE "C") > (r.seen_at, r.original_id)`,
};
