import type { ReadPool } from '../../../host-shim/extension-api';
import type { Material } from '../../../manifests/reader/manifest';
import { readWithin } from './read-within';

/** Reading takes this long only if a table is locked; an index lookup takes less than a millisecond. */
const PATIENCE_SECONDS = 1;

export interface StoredRows extends Pick<Material, 'name' | 'table'> {
  /** Only the conversions of this goal. */
  readonly goal?: number;
}

/**
 * Returns the names of the materials that have no rows for any of the sites, using one index lookup each. Returns no names if
 * that takes too long. A material without a table is treated as having rows.
 */
export async function materialsWithoutRows(
  read: ReadPool,
  siteIds: readonly number[],
  materials: readonly StoredRows[],
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const empty = await readWithin(read, { seconds: PATIENCE_SECONDS, signal }, async (client) => {
    const names: string[] = [];
    for (const { name, table, goal } of materials) {
      if (table === undefined) continue;
      const ofGoal = goal === undefined ? '' : 'AND goal_no = $2';
      const text = `SELECT 1 FROM analytics.${table} WHERE site_id = ANY($1) ${ofGoal} ORDER BY site_id LIMIT 1`;
      const values = [siteIds, ...(goal === undefined ? [] : [goal])];
      if ((await client.query(text, values)).rows.length === 0) names.push(name);
    }
    return names;
  });
  return new Set(empty);
}
