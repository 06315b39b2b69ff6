import type { ReadPool } from '../../../host-shim/extension-api';
import type { ColumnsStatus } from './columns-status';

interface SiteLag {
  readonly trackingId: string;
  /** Age of the oldest change that is missing from the copy, by the clock of the database. */
  readonly seconds: number;
}

export const copyLag = (read: ReadPool, { sites }: Pick<ColumnsStatus, 'sites'>): Promise<SiteLag[]> =>
  read.query<SiteLag>({
    text: `SELECT tracking_id AS "trackingId", coalesce(extract(epoch FROM now() - lacking.since), 0)::float8 AS seconds
             FROM analytics.site s JOIN analytics.site_version v USING (site_id)
             JOIN unnest($1::int[], $2::uuid[], $3::bigint[]) copied (site_id, version, number) USING (site_id),
                  LATERAL (SELECT min(c.changed_at) AS since FROM analytics.change c
                            WHERE c.site_id = v.site_id AND c.data_version > copied.number) lacking
            WHERE v.token <> copied.version ORDER BY 1`,
    values: [
      sites.map(({ siteId }) => siteId),
      sites.map(({ version }) => version),
      sites.map(({ number }) => number),
    ],
  });
