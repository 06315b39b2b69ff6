// The database's row counts and its size on disk after loading.
import type { Knex } from 'knex';

export interface Stored {
  readonly version: string;
  readonly sharedBuffers: string;
  /** The size of the whole database. */
  readonly bytes: number;
  readonly counts: Readonly<
    Record<'views' | 'sessions' | 'readers' | 'pages' | 'clicks' | 'searches', number>
  >;
  /** Bytes of the large tables and their indexes. */
  readonly relations: readonly { readonly table: string; readonly name: string; readonly bytes: number }[];
}

const MIN_SHOWN_BYTES = 100_000;

/** Vacuums the database first. */
export async function measureStored(write: Knex): Promise<Stored> {
  await write.raw('VACUUM (ANALYZE)');
  const { rows: relations }: { rows: Stored['relations'] } = await write.raw(
    `SELECT t.relname AS table, o.relname AS name,
            (CASE WHEN o.relkind = 'r' THEN pg_table_size(o.oid) ELSE pg_relation_size(o.oid) END)::float8 AS bytes
       FROM pg_class t
       JOIN pg_class o ON o.oid = t.oid OR o.oid IN (SELECT indexrelid FROM pg_index WHERE indrelid = t.oid)
      WHERE t.relnamespace = 'analytics'::regnamespace AND t.relkind = 'r' AND pg_total_relation_size(t.oid) > ?
      ORDER BY pg_total_relation_size(t.oid) DESC, o.relkind DESC, bytes DESC`,
    [MIN_SHOWN_BYTES],
  );
  const { rows }: { rows: (Omit<Stored, 'relations' | 'counts'> & Stored['counts'])[] } = await write.raw(
    `SELECT current_setting('server_version') AS version, current_setting('shared_buffers') AS "sharedBuffers",
            pg_database_size(current_database())::float8 AS bytes,
            (SELECT count(*)::int FROM analytics.page_view) AS views,
            (SELECT count(*)::int FROM analytics.click) AS clicks,
            (SELECT count(*)::int FROM analytics.search_day) AS searches,
            (SELECT count(*)::int FROM analytics.page) AS pages,
            (SELECT count(*)::int FROM (SELECT DISTINCT site_id, session_id FROM analytics.page_view) s) AS sessions,
            (SELECT count(*)::int FROM (SELECT DISTINCT site_id, reader_id FROM analytics.page_view) r) AS readers`,
  );
  const [facts] = rows;
  if (facts === undefined) throw new Error('The database returned no size.');
  const { version, sharedBuffers, bytes, ...counts } = facts;
  return { version, sharedBuffers, bytes, counts, relations };
}
