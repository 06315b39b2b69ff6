// The database after the load: rows, sizes of tables, and the time to rebuild rollups.
import type { Knex } from 'knex';
import { rebuildSite } from '../extension/rollups/rebuild-site';
import { ROLLUP_TABLES } from '../extension/rollups/rollup-state';
import { refreshStatistics } from '../extension/storage/planner';

export interface StoredTable {
  readonly name: string;
  readonly rowMegabytes: number;
  readonly indexMegabytes: number;
}

export interface Stored {
  readonly sites: number;
  readonly sitesWithRollups: number;
  /** The rollups of one site, rebuilt from its rows. */
  readonly rebuild: Rebuild;
  readonly tables: readonly StoredTable[];
}

export interface Rebuild {
  readonly site: string;
  readonly views: number;
  readonly seconds: number;
}

const LARGE_TABLES = ['page_view', 'click', 'search_day', 'rollup', 'rollup_unique'];

/** Sizes on disk, and the time to rebuild the rollups of a site. */
export async function describeStored(write: Knex, site: string): Promise<Stored> {
  const { rows: tables }: { rows: StoredTable[] } = await write.raw(
    `SELECT relname AS name, pg_table_size(oid) / 1e6::float8 AS "rowMegabytes", pg_indexes_size(oid) / 1e6::float8 AS "indexMegabytes"
       FROM pg_class WHERE relnamespace = 'analytics'::regnamespace AND relname = ANY(?)
      ORDER BY array_position(?::text[], relname::text)`,
    [LARGE_TABLES, LARGE_TABLES],
  );
  const { rows }: { rows: { sites: number; kept: number }[] } = await write.raw(
    `SELECT (SELECT count(*)::int FROM analytics.site) AS sites,
            (SELECT count(*)::int FROM analytics.rollup_state) AS kept`,
  );
  const [{ sites, kept } = { sites: 0, kept: 0 }] = rows;
  // After the sizes, since replaced rows stay on disk until a vacuum.
  return { sites, sitesWithRollups: kept, tables, rebuild: await measureRebuild(write, site) };
}

async function measureRebuild(write: Knex, site: string): Promise<Rebuild> {
  const { rows }: { rows: { views: number }[] } = await write.raw(
    `SELECT count(*)::int AS views FROM analytics.page_view JOIN analytics.site USING (site_id) WHERE tracking_id = ?`,
    [site],
  );
  const started = performance.now();
  if (!(await rebuildSite(write, site, () => {}))) throw new Error(`Another import of ${site} is running.`);
  const views = rows[0]?.views ?? 0;
  const warning = await refreshStatistics(write, ROLLUP_TABLES, views);
  if (warning !== undefined) throw new Error(warning);
  return { site, views, seconds: (performance.now() - started) / 1000 };
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
