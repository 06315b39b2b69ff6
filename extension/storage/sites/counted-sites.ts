// Owns which sites can be answered from kept counts: a database that had rows before there were counts has none of them.
import type { Knex } from 'knex';

export interface CountedSite {
  readonly trackingId: string;
  readonly counted: boolean;
}

/** The sites that have page views, by tracking id. For each site the database looks for one row, by an index. */
export async function countedSites(database: Knex): Promise<readonly CountedSite[]> {
  const answer: { rows: CountedSite[] } = await database.raw(
    `SELECT s.tracking_id AS "trackingId", r.site_id IS NOT NULL AS counted
       FROM analytics.site s LEFT JOIN analytics.rollup_state r USING (site_id)
      WHERE EXISTS (SELECT FROM analytics.page_view v WHERE v.site_id = s.site_id)
      ORDER BY s.tracking_id`,
  );
  return answer.rows;
}
