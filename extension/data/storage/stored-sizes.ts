// How much is stored, by dataset, site and month. It is measured once a day, since counting reads an index of every table.
import type { Knex } from 'knex';
import type { ClientBase } from 'pg';
import { type ReadPool, utcText } from '../../../host-shim/extension-api';
import type { Manifest } from '../../../manifests/reader/manifest';
import { LOCKS } from './advisory-locks';
import { inTransaction, watchSites } from './in-transaction';
import { type StoredMaterial, storedMaterials } from './stored-materials';
import { isDivided } from './tables-of-site';

/** The number of days that a forecast looks back, and the minimum that it needs. */
const FORECAST_DAYS = 30;
const MIN_DAYS = 7;

interface Tools {
  readonly write: Knex;
  readonly manifest: Manifest;
  readonly clock: () => Date;
}

/** Measures what is stored, unless that was already done today (UTC) or another process is doing it. */
export function measureStored({ write, manifest, clock }: Tools): Promise<void> {
  const today = utcText(clock(), 'YYYY-MM-DD');
  const work = async (client: ClientBase): Promise<void> => {
    watchSites(client, 'all');
    const { rows } = await client.query<{ due: boolean }>(
      `SELECT pg_try_advisory_xact_lock($1) AND NOT EXISTS (SELECT FROM analytics.stored_day WHERE day = $2::date) AS due`,
      [LOCKS.storedSizes, today],
    );
    if (rows[0]?.due !== true) return;
    const materials = storedMaterials(manifest);
    // Citus does not measure tables after a change in the same transaction.
    const sizes = await sizesOf(client, materials);
    await client.query('DELETE FROM analytics.stored_month');
    for (const material of materials) await measure(client, material, sizes.get(material.table) ?? 0);
    // Days after today were recorded while the clock was wrong.
    await client.query(
      'DELETE FROM analytics.stored_day WHERE day < $1::date - $2::integer OR day > $1::date',
      [today, FORECAST_DAYS],
    );
    await client.query(
      `INSERT INTO analytics.stored_day (site_id, day, bytes, row_count)
       SELECT v.site_id, $1::date, coalesce(m.bytes, 0), coalesce(m.row_count, 0)
         FROM analytics.site_version v
         LEFT JOIN (SELECT site_id, sum(bytes) AS bytes, sum(row_count) AS row_count FROM analytics.stored_month GROUP BY 1) m
             USING (site_id)`,
      [today],
    );
  };
  return inTransaction(write, work);
}

/** Counts a material's rows by site and month, and divides its bytes among them. */
async function measure(
  client: ClientBase,
  { name, table, time }: StoredMaterial,
  bytes: number,
): Promise<void> {
  const day = time.grain === 'day' ? `t.${time.field}` : `t.${time.field} AT TIME ZONE 'UTC'`;
  await client.query(
    `WITH counted AS MATERIALIZED (
       SELECT t.site_id, date_trunc('month', ${day})::date AS month, count(*) AS row_count
         FROM analytics.${table} t GROUP BY 1, 2)
     INSERT INTO analytics.stored_month (site_id, material, month, row_count, bytes)
     SELECT site_id, $1, month, row_count, round($2::float8 * row_count / sum(row_count) OVER ()) FROM counted`,
    [name, bytes],
  );
}

/** The sizes of the materials' tables, including their indexes. In a Citus cluster, the rows are on other machines. */
async function sizesOf(
  client: ClientBase,
  materials: readonly StoredMaterial[],
): Promise<ReadonlyMap<string, number>> {
  const size = (await isDivided(client)) ? 'citus_total_relation_size' : 'pg_total_relation_size';
  const { rows } = await client.query<{ name: string; bytes: number }>(
    `SELECT name, ${size}(('analytics.' || name)::regclass)::float8 AS bytes FROM unnest($1::text[]) name`,
    [materials.map(({ table }) => table)],
  );
  return new Map(rows.map(({ name, bytes }) => [name, bytes]));
}

export interface StoredMonth {
  readonly trackingId: string;
  readonly material: string;
  /** The first day of the month. */
  readonly month: string;
  readonly rows: number;
  readonly bytes: number;
}

export const readStored = (
  read: ReadPool,
  sites: 'all' | readonly string[],
): Promise<readonly StoredMonth[]> =>
  read.query({
    text: `SELECT s.tracking_id AS "trackingId", m.material, to_char(m.month, 'YYYY-MM-DD') AS month, m.row_count::float8 AS rows,
                  m.bytes::float8 AS bytes
             FROM analytics.stored_month m JOIN analytics.site s USING (site_id)
            WHERE $1::text[] IS NULL OR s.tracking_id = ANY($1::text[]) ORDER BY 1, 2, 3`,
    values: [sites === 'all' ? null : sites],
  });

/** The number of rows of each site that had any at the last measurement. */
export const readStoredRows = (
  read: ReadPool,
  sites: 'all' | readonly string[],
): Promise<readonly { readonly trackingId: string; readonly rows: number }[]> =>
  read.query({
    text: `SELECT s.tracking_id AS "trackingId", sum(m.row_count)::float8 AS rows
             FROM analytics.stored_month m JOIN analytics.site s USING (site_id)
            WHERE $1::text[] IS NULL OR s.tracking_id = ANY($1::text[]) GROUP BY 1`,
    values: [sites === 'all' ? null : sites],
  });

/**
 * The sum of each site's growth since its first measurement in the last 30 days, so the first rows of a new site are not
 * included. Each row is assumed to have today's average size, since the free space that removed rows leave in a table belongs
 * to no site.
 */
export async function readGrowth(read: ReadPool) {
  const [growth] = await read.query<{ bytes: number; bytesPerDay: number | null }>({
    text: `WITH measured AS (
             SELECT max(day) - min(day) AS days, (array_agg(row_count ORDER BY day))[1]::float8 AS rows_before,
                    (array_agg(row_count ORDER BY day DESC))[1]::float8 AS rows, (array_agg(bytes ORDER BY day DESC))[1]::float8 AS bytes
               FROM analytics.stored_day GROUP BY site_id)
           SELECT coalesce(sum(bytes), 0) AS bytes,
                  CASE WHEN max(days) >= $1 THEN coalesce(sum((rows - rows_before) * bytes / nullif(rows, 0) / nullif(days, 0)), 0) END AS "bytesPerDay"
             FROM measured`,
    values: [MIN_DAYS],
  });
  return {
    /** The size of all sites' rows at the last measurement. */
    bytes: growth?.bytes ?? 0,
    /** Their growth per day; undefined until there is a week of measurements. */
    bytesPerDay: growth?.bytesPerDay ?? undefined,
  };
}
