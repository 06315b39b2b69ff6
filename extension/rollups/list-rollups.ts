// Owns what is told of the counts of sites: whether there are any, how large they are, and whether they fit the rows.
// A site, or nothing, in -> a line for each site. Rows are counted by index alone, which takes about a second for ten millions.
import type { Knex } from 'knex';
import { loadRollups } from '../../manifests/reader/rollups';
import { tableOf } from './counted-material';

export interface SiteRollups {
  readonly trackingId: string;
  /** Null where nothing is kept counted. */
  readonly builtAt: Date | null;
  /** Days of the site from its first row to its last. */
  readonly days: number;
  readonly blocks: number;
  /** As they are stored. */
  readonly bytes: number;
  readonly rows: number;
  readonly countedRows: number;
}

/** The counts of one site, or of all by tracking id. */
export async function listRollups(write: Knex, site?: string): Promise<readonly SiteRollups[]> {
  const stored: string[] = [];
  const counted: number[] = [];
  for (const { material, dimensions } of loadRollups().values()) {
    stored.push(`(SELECT count(*) FROM analytics.${tableOf(material).table} t WHERE t.site_id = s.site_id)`);
    counted.push(...dimensions.filter(({ keys }) => keys.length === 0).map(({ code }) => code));
  }
  const answer: { rows: SiteRollups[] } = await write.raw(
    `SELECT s.tracking_id AS "trackingId", r.built_at AS "builtAt", coalesce(r.end_day - r.first_day, 0) AS days,
            b.blocks::int, b.bytes::float8, b.rows::float8 AS "countedRows", (${stored.join(' + ')})::float8 AS rows
       FROM analytics.site s LEFT JOIN analytics.rollup_state r USING (site_id),
            LATERAL (
              SELECT count(*) AS blocks, coalesce(sum(bytes), 0) AS bytes, coalesce(sum(rows), 0) AS rows FROM (
                SELECT pg_column_size(c.*) AS bytes,
                       CASE WHEN c.level = 0 AND c.dimension = ANY (?::smallint[]) THEN c.row_count[1] END AS rows
                  FROM analytics.rollup c WHERE c.site_id = s.site_id
                UNION ALL
                SELECT pg_column_size(c.*), NULL FROM analytics.rollup_unique c WHERE c.site_id = s.site_id) a) b
      WHERE s.tracking_id = coalesce(?, s.tracking_id) ORDER BY s.tracking_id`,
    [counted, site ?? null],
  );
  return answer.rows;
}
