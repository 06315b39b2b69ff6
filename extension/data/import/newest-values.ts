// Values of dimension rows that change over time, such as the title of a page: the value of the newest row wins. Of two
// rows of one second the greater value wins, so the order of rows and files does not matter.
import type { ClientBase } from 'pg';
import { textKey } from '../../language/sql/text-key';
import { ANY_SITE } from '../storage/planner';
import { copyOf } from './bounded-maps';
import type { LoaderContext } from './loader-context';
import { textSlices } from './text-slices';

interface NewestPlan {
  /** Writes values. `$1` = site, `$2` = ids, then for each column its values and their times. */
  readonly sql: string;
  readonly columns: readonly string[];
  /** Whether the text keys of the first column follow as the last parameter. */
  readonly keyed?: boolean;
}

export interface NewestValues {
  /** The number of a column, for `note`; negative if it is none of these. */
  columnOf(name: string): number;
  /** Notes a value of a row that is being written. */
  note(id: number, column: number, value: string | number, at: number): void;
  /** Writes the values if many wait or `last` is set. Gives the number of dimension rows that changed. */
  flush(client: ClientBase, last: boolean): Promise<number>;
}

interface Entry {
  readonly id: number;
  readonly values: (string | number | null)[];
  readonly times: (number | null)[];
}

/** The newest values of one dimension during one import. */
export function newestValues(
  { sql, columns, keyed = false }: NewestPlan,
  { siteId, limits }: LoaderContext,
): NewestValues {
  let entries = new Map<number, Entry>();
  let characters = 0;

  const entryOf = (id: number): Entry => {
    const known = entries.get(id);
    if (known !== undefined) return known;
    const entry = { id, values: columns.map(() => null), times: columns.map(() => null) };
    entries.set(id, entry);
    return entry;
  };

  const write = async (client: ClientBase, slice: readonly Entry[]): Promise<number> => {
    const { rowCount } = await client.query(sql, [
      siteId,
      slice.map(({ id }) => id),
      ...columns.flatMap((_, column) => [
        slice.map(({ values }) => values[column]),
        slice.map(({ times }) => times[column]),
      ]),
      ...(keyed ? [slice.map(({ values }) => textKey([String(values[0])]))] : []),
    ]);
    return rowCount ?? 0;
  };

  return {
    columnOf: (name) => columns.indexOf(name),
    note(id, column, value, at) {
      const { values, times } = entryOf(id);
      const time = times[column] ?? null;
      const before = values[column] ?? null;
      if (time !== null && (at < time || (at === time && before !== null && !isGreater(value, before))))
        return;
      times[column] = at;
      if (value === before) return;
      characters += lengthOf(value) - lengthOf(before);
      values[column] = typeof value === 'string' ? copyOf(value) : value;
    },
    async flush(client, last) {
      const isMuch = entries.size >= limits.newestEntries || characters >= limits.statementCharacters;
      if (!isMuch && !last) return 0;
      const ready = [...entries.values()];
      entries = new Map();
      characters = 0;
      const lengthOfAll = ({ values }: Entry): number =>
        values.reduce((sum: number, value) => sum + lengthOf(value), 0);
      let changed = 0;
      for (const slice of textSlices(ready, lengthOfAll, limits.statementCharacters))
        changed += await write(client, slice);
      return changed;
    },
  };
}

const lengthOf = (value: string | number | null): number => (typeof value === 'string' ? value.length : 0);

/** Compares texts bytewise, as the database does. */
function isGreater(value: string | number, other: string | number): boolean {
  if (typeof value === 'number' && typeof other === 'number') return value > other;
  return value !== other && Buffer.compare(Buffer.from(String(value)), Buffer.from(String(other))) > 0;
}

// A pair (time, value) is greater by its time, or by its value at the same time. COLLATE "C" compares bytes.
const NEWER_TITLE = `(p.title_at IS NULL AND n.title_at IS NOT NULL
        OR coalesce((n.title_at, n.title COLLATE "C") > (p.title_at, p.title), false))`;
const NEWER_TYPE = `(p.type_at IS NULL AND n.type_at IS NOT NULL
        OR coalesce((n.type_at, n.page_type) > (p.type_at, p.page_type), false))`;
const NEWER_STATUS = `(p.status_at IS NULL AND n.status_at IS NOT NULL
        OR coalesce((n.status_at, n.status) > (p.status_at, p.page_fetch_status), false))`;

/** Each value comes from the newest view that gives it. */
export const PAGE_VALUES: NewestPlan = {
  columns: ['title', 'page_type', 'page_fetch_status'],
  sql: `UPDATE analytics.page p SET
      title = CASE WHEN ${NEWER_TITLE} THEN n.title ELSE p.title END,
      title_at = greatest(p.title_at, n.title_at),
      page_type = CASE WHEN ${NEWER_TYPE} THEN n.page_type ELSE p.page_type END,
      type_at = greatest(p.type_at, n.type_at),
      page_fetch_status = CASE WHEN ${NEWER_STATUS} THEN n.status ELSE p.page_fetch_status END,
      status_at = greatest(p.status_at, n.status_at)
    FROM (SELECT id, title, to_timestamp(t1) AS title_at, page_type, to_timestamp(t2) AS type_at, status,
                 to_timestamp(t3) AS status_at
            FROM unnest($2::integer[], $3::text[], $4::float8[], $5::integer[], $6::float8[], $7::smallint[], $8::float8[])
              AS u(id, title, t1, page_type, t2, status, t3)) n
    WHERE p.site_id = ${ANY_SITE} AND p.page_id = n.id AND (${NEWER_TITLE} OR ${NEWER_TYPE} OR ${NEWER_STATUS})`,
};

/** The site's own id of a visitor whose reader_id the file gives. */
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
