// The sites in the installation, for API clients, pages and commands.
import type { Knex } from 'knex';
import type { Patience, ReadPool } from '../../../../host-shim/extension-api';
import type { Manifest } from '../../../../manifests/reader/manifest';
import { readWithin } from '../read-within';

export interface SiteFacts {
  readonly trackingId: string;
  readonly domain: string;
  readonly name: string;
  readonly timezone: string;
  readonly isDefault: boolean;
  /** Visits are removed this many local days after they ended; null for never. */
  readonly retentionDays: number | null;
}

export interface Site extends SiteFacts {
  readonly siteId: number;
}

const FACTS = `s.tracking_id AS "trackingId", s.domain, s.name, s.timezone, s.is_default AS "isDefault",
  s.retention_days AS "retentionDays"`;
/** Sites `s` with a row `d` that is colocated with their data. In a Citus cluster, only `d` can be joined with the data. */
const DIVIDED_SITES = 'analytics.site s JOIN analytics.site_version d USING (site_id)';
const GOALS = '(SELECT count(*)::int FROM analytics.goal g WHERE g.site_id = d.site_id) AS goals';
const PERMITTED = '$1::text[] IS NULL OR s.tracking_id = ANY($1::text[])';
const DEFAULT_FIRST = 'ORDER BY s.is_default DESC, s.name, s.tracking_id';

/** The sites with these tracking ids, the default site first, then by name. */
export const permittedSites = (
  read: ReadPool,
  permitted: 'all' | readonly string[],
): Promise<readonly Site[]> =>
  read.query({
    text: `SELECT s.site_id AS "siteId", ${FACTS} FROM analytics.site s WHERE ${PERMITTED} ${DEFAULT_FIRST}`,
    values: [permitted === 'all' ? null : permitted],
  });

export interface SiteOverview extends SiteFacts {
  readonly goals: number;
  /** The times of the first and last page view; null if there are no views. */
  readonly firstView: Date | null;
  readonly lastView: Date | null;
}

/** The same sites in the same order, with the time span of their data: two index lookups per site. */
export const siteOverview = (
  read: ReadPool,
  permitted: 'all' | readonly string[],
): Promise<readonly SiteOverview[]> =>
  read.query({
    text: `SELECT ${FACTS}, ${GOALS},
            (SELECT min(v.at) FROM analytics.page_view v WHERE v.site_id = d.site_id) AS "firstView",
            (SELECT max(v.at) FROM analytics.page_view v WHERE v.site_id = d.site_id) AS "lastView"
       FROM ${DIVIDED_SITES} WHERE ${PERMITTED} ${DEFAULT_FIRST}`,
    values: [permitted === 'all' ? null : permitted],
  });

interface ListedSite extends SiteFacts {
  readonly goals: number;
  readonly views: number;
}

/** All sites with their page view counts, which may take seconds to compute. */
export async function listSites(write: Knex): Promise<readonly ListedSite[]> {
  const answer: { rows: ListedSite[] } = await write.raw(
    `SELECT ${FACTS}, ${GOALS},
            (SELECT count(*)::int FROM analytics.page_view v WHERE v.site_id = d.site_id) AS views
       FROM ${DIVIDED_SITES} ${DEFAULT_FIRST}`,
  );
  return answer.rows;
}

interface RowCount {
  /** The name of a material, or `conversions`. */
  readonly material: string;
  readonly rows: number;
}

/**
 * Counts the rows of a site by material. Returns `too-long` if that exceeds `patience`, and undefined if the site does not
 * exist.
 */
export async function rowCounts(
  read: ReadPool,
  manifest: Manifest,
  trackingId: string,
  patience: Patience,
): Promise<readonly RowCount[] | 'too-long' | undefined> {
  const tables = countedTables(manifest);
  const counts = tables.map(
    ([material, table]) =>
      `(SELECT count(*) FROM analytics.${table} t WHERE t.site_id = d.site_id) AS ${material}`,
  );
  const counted = await readWithin(read, patience, (client) =>
    client.query<Record<string, number>>(
      `SELECT ${counts.join(', ')} FROM ${DIVIDED_SITES} WHERE s.tracking_id = $1`,
      [trackingId],
    ),
  );
  if (counted === undefined) return 'too-long';
  const row = counted.rows[0];
  return row && tables.map(([material]) => ({ material, rows: row[material] ?? 0 }));
}

/** Names and tables, without materials in a family, whose rows are conversions or belong to another material. */
const countedTables = ({ materials }: Manifest): readonly (readonly [string, string])[] =>
  [...materials.values()].flatMap(({ name, table, onePer }) =>
    table === undefined || onePer !== undefined ? [] : [[name, table] as const],
  );
