// The database after the load: rows, and sizes of tables.
import type { Knex } from 'knex';
import { table } from './page';

const LARGE_TABLES = ['page_view', 'click', 'search_day'];

/** Sizes on disk. */
export async function storedSections(write: Knex): Promise<readonly string[]> {
  const { rows: tables }: { rows: { name: string; data: number; indexes: number }[] } = await write.raw(
    `SELECT relname AS name, pg_table_size(oid) / 1e6::float8 AS data, pg_indexes_size(oid) / 1e6::float8 AS indexes
       FROM pg_class WHERE relnamespace = 'analytics'::regnamespace AND relname = ANY(?)
      ORDER BY array_position(?::text[], relname::text)`,
    [LARGE_TABLES, LARGE_TABLES],
  );
  const sizes = tables.map(({ name, data, indexes }) => [name, data.toFixed(1), indexes.toFixed(1)]);
  return ['### On disk', table(['table', 'MB of rows', 'MB of indexes'], sizes)];
}

/** What the engines hold, for the report. */
export async function describeRows(write: Knex): Promise<string> {
  const { rows }: { rows: Readonly<Record<string, string | number>>[] } = await write.raw(
    `SELECT current_setting('server_version') AS version, current_setting('shared_buffers') AS buffers,
            pg_database_size(current_database()) / 1e6 AS size,
            (SELECT count(*) FROM analytics.page_view)::int AS views, (SELECT count(*) FROM analytics.click)::int AS clicks,
            (SELECT count(*) FROM analytics.search_day)::int AS searches,
            (SELECT count(*) FROM analytics.page)::int AS pages,
            (SELECT count(*) FROM (SELECT DISTINCT site_id, session_id FROM analytics.page_view) s)::int AS sessions,
            (SELECT count(*) FROM (SELECT DISTINCT site_id, reader_id FROM analytics.page_view) r)::int AS readers`,
  );
  const [facts = {}] = rows;
  const number = (name: string) => Math.round(Number(facts[name])).toLocaleString('en');
  return `${number('views')} page views of a year in three sites (80, 15 and 5 %), ${number('sessions')} sessions, ${number('readers')} readers, ${number('pages')} pages, ${number('clicks')} clicks, ${number('searches')} rows of searches; the queries ask the largest site unless they say all.
PostgreSQL ${facts.version}, shared_buffers ${facts.buffers}, ${number('size')} MB on disk.`;
}
