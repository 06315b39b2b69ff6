// The record of removals: who removed what and when, and how many rows.
import type { ClientBase } from 'pg';
import type { ReadPool } from '../../../host-shim/extension-api';
import type { RowsByMaterial } from './remove-rows';

export interface Removal {
  readonly at: Date;
  /** `local` for a command, `server` for a site's retention or a repeated erasure. */
  readonly login: string;
  readonly kind: 'site' | 'days' | 'visitor' | 'retention' | 'undo';
  readonly trackingId: string;
  /** First and last day in the site's time zone, inclusive; null for all days. */
  readonly firstDay: string | null;
  readonly lastDay: string | null;
  /** Null for all materials. */
  readonly material: string | null;
  readonly removed: RowsByMaterial;
  /** For an undone import: its id, and the number of rows whose earlier values were restored. */
  readonly importId: number | null;
  readonly restored: number | null;
}

type NewRemoval = Pick<Removal, 'at' | 'login' | 'kind' | 'trackingId' | 'removed'> & Partial<Removal>;

/** Records a removal in the transaction that removes the rows. Fields that are left out are null. */
export async function recordRemoval(
  client: ClientBase,
  { at, login, kind, trackingId, removed, firstDay, lastDay, material, importId, restored }: NewRemoval,
): Promise<void> {
  await client.query(
    `INSERT INTO analytics.removal (removed_at, login, kind, tracking_id, removed, first_day, last_day, material, import_id, restored)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    [at, login, kind, trackingId, removed, firstDay, lastDay, material, importId, restored],
  );
}

/** The newest removals from these sites, newest first; all removals if `limit` is null. */
export const listRemovals = (
  read: ReadPool,
  sites: 'all' | readonly string[],
  limit: number | null,
): Promise<readonly Removal[]> =>
  read.query({
    text: `SELECT removed_at AS at, login, kind, tracking_id AS "trackingId", first_day::text AS "firstDay",
            last_day::text AS "lastDay", material, removed,
            import_id AS "importId", restored::float8 AS restored
       FROM analytics.removal WHERE $1::text[] IS NULL OR tracking_id = ANY($1::text[]) ORDER BY removal_id DESC LIMIT $2`,
    values: [sites === 'all' ? null : sites, limit],
  });

/** The total number of rows. */
export const totalOf = (rows: RowsByMaterial): number =>
  Object.values(rows).reduce((sum, count) => sum + count, 0);

/** Describes what was removed, without row counts. */
export function removalInWords({ kind, firstDay, lastDay, material, importId }: Removal): string {
  switch (kind) {
    case 'site':
      return 'the site';
    case 'visitor':
      return 'a visitor';
    case 'retention':
      return `${material ?? 'visits'} through ${lastDay}, past retention`;
    case 'undo':
      return `import ${importId}, undone`;
    case 'days':
      return `${material ?? 'all rows'} from ${firstDay} to ${lastDay}`;
  }
}
