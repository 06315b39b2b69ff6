// The database after the load: rows, sizes of tables, and the time to rebuild rollups.
import type { Knex } from 'knex';
import { rebuildSite } from '../extension/rollups/rebuild-site';
import { ROLLUP_TABLES } from '../extension/rollups/rollup-state';
import { refreshStatistics } from '../extension/storage/planner';
import { table } from './page';

const LARGE_TABLES = ['page_view', 'click', 'search_day', 'rollup', 'rollup_unique'];

/** Sizes on disk, and the time to rebuild the rollups of a site. */
export async function storedSections(write: Knex, site: string): Promise<readonly string[]> {
  const { rows: tables }: { rows: { name: string; data: number; indexes: number }[] } = await write.raw(
    `SELECT relname AS name, pg_table_size(oid) / 1e6::float8 AS data, pg_indexes_size(oid) / 1e6::float8 AS indexes
       FROM pg_class WHERE relnamespace = 'analytics'::regnamespace AND relname = ANY(?)
      ORDER BY array_position(?::text[], relname::text)`,
    [LARGE_TABLES, LARGE_TABLES],
  );
  const sizes = tables.map(({ name, data, indexes }) => [name, data.toFixed(1), indexes.toFixed(1)]);
  // After the sizes, since replaced rows stay on disk until a vacuum.
  const words = await rebuildRollups(write, site);
  return [`### On disk\n\n${words}`, table(['table', 'MB of rows', 'MB of indexes'], sizes)];
}

async function rebuildRollups(write: Knex, site: string): Promise<string> {
  const { rows }: { rows: { sites: number; rollups: number; views: number }[] } = await write.raw(
    `SELECT (SELECT count(*)::int FROM analytics.site) AS sites,
            (SELECT count(*)::int FROM analytics.rollup_state) AS rollups,
            (SELECT count(*)::int FROM analytics.page_view JOIN analytics.site USING (site_id) WHERE tracking_id = ?) AS views`,
    [site],
  );
  const [{ sites, rollups, views } = { sites: 0, rollups: 0, views: 0 }] = rows;
  const started = performance.now();
  if (!(await rebuildSite(write, site, () => {}))) throw new Error(`Another import of ${site} is running.`);
  const warning = await refreshStatistics(write, ROLLUP_TABLES, views);
  if (warning !== undefined) throw new Error(warning);
  const seconds = (performance.now() - started) / 1000;
  return `${rollups} of ${sites} sites have rollups. Rebuilding those of ${site} (${views.toLocaleString('en')} page views) took ${seconds.toFixed(1)} s.`;
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
