// Tracks the sites in PostgreSQL and their data versions by digest, so that only buckets with changes are fetched.
import type { Knex } from 'knex';
import { z } from 'zod';
import { forCopy } from '../../data/storage/in-transaction';
import type { Workers } from '../../data/storage/workers';

export interface PresentSite {
  readonly siteId: number;
  readonly trackingId: string;
  /** The token of the site's data version. */
  readonly version: string;
}

export type PresentSites = ReturnType<typeof presentSites>;

/** Each bucket has one digest. When it changes, the sites in the bucket are read together. */
const BUCKETS = 256;

const siteRow = z.object({ site_id: z.number(), tracking_id: z.string(), token: z.string() });
const toSite = (row: unknown): PresentSite => {
  const { site_id: siteId, tracking_id: trackingId, token: version } = siteRow.parse(row);
  return { siteId, trackingId, version };
};

const PRESENT = `
  SELECT v.site_id, tracking_id, token FROM analytics.site JOIN analytics.site_version v USING (site_id)
   WHERE ($1::int[] IS NULL OR v.site_id = ANY($1))`;

/** All sites whose machine responds, or one site. */
export async function listSites(
  write: Knex,
  workers: Workers,
  siteId?: number,
): Promise<readonly PresentSite[]> {
  const wanted = siteId === undefined ? workers.reachable : [siteId];
  const { rows } = await forCopy(
    write,
    (client) => client.query(PRESENT, [wanted]),
    workers.guard(siteId === undefined ? 'reachable' : [siteId]),
  );
  return rows.map(toSite);
}

/** The digest is null if the bucket has no sites left. */
const bucketRow = z.object({
  bucket: z.number(),
  digest: z.string().nullable(),
  site_id: z.number().nullable(),
});

const CHANGED_BUCKETS = `
  WITH present AS MATERIALIZED (SELECT *, (site_id % ${BUCKETS})::int AS bucket FROM (${PRESENT}) sites),
  digests AS (SELECT bucket, bit_xor(uuid_hash_extended(token, site_id)) AS digest FROM present GROUP BY bucket),
  known AS (SELECT * FROM unnest($2::int[], $3::bigint[]) AS known (bucket, digest)),
  changed AS (
    SELECT bucket, digests.digest FROM digests FULL JOIN known USING (bucket)
     WHERE digests.digest IS DISTINCT FROM known.digest)
  SELECT bucket, digest::text, site_id, tracking_id, token FROM changed LEFT JOIN present USING (bucket)`;

export function presentSites(write: Knex, workers: Workers) {
  const digests = new Map<number, string>();
  const buckets = new Map<number, ReadonlyMap<number, PresentSite>>();

  return {
    /** Returns the sites changed or removed since the last call. Sites whose machine does not respond are treated as unchanged. */
    async look() {
      const { rows } = await forCopy(
        write,
        (client) =>
          client.query(CHANGED_BUCKETS, [workers.reachable, [...digests.keys()], [...digests.values()]]),
        workers.guard('reachable'),
      );
      const found = new Map<number, Map<number, PresentSite>>();
      for (const row of rows) {
        const { bucket, digest, site_id: siteId } = bucketRow.parse(row);
        const sites = found.get(bucket) ?? new Map<number, PresentSite>();
        found.set(bucket, siteId === null ? sites : sites.set(siteId, toSite(row)));
        if (digest === null) digests.delete(bucket);
        else digests.set(bucket, digest);
      }
      return [...found].flatMap(([bucket, sites]) => {
        const before = buckets.get(bucket) ?? new Map<number, PresentSite>();
        for (const [siteId, site] of before) if (workers.isAway(siteId)) sites.set(siteId, site);
        buckets.set(bucket, sites);
        const ids = [...new Set([...before.keys(), ...sites.keys()])];
        return ids.filter((siteId) => before.get(siteId)?.version !== sites.get(siteId)?.version);
      });
    },
    /** The site as of the last `look`; undefined for a removed site. */
    get: (siteId: number) => buckets.get(siteId % BUCKETS)?.get(siteId),
  };
}
