// The site that a file is imported into.
import { closest } from 'fastest-levenshtein';
import type { Knex } from 'knex';
import { ImportError } from './import-error';

/**
 * The number of the site with this tracking id. If there is none, throws an ImportError that suggests the most
 * similar one.
 */
export async function findSite(write: Knex, trackingId: string): Promise<number> {
  const { rows }: { rows: { id: number; name: string }[] } = await write.raw(
    'SELECT site_id AS id, tracking_id AS name FROM analytics.site ORDER BY tracking_id',
  );
  const found = rows.find(({ name }) => name === trackingId);
  if (found !== undefined) return found.id;
  const names = rows.map(({ name }) => name);
  throw new ImportError(
    names.length === 0
      ? `There are no sites yet; create ${trackingId} with: qal sites apply FILE.yaml`
      : `There is no site ${trackingId}; the most similar one is ${closest(trackingId, names)} (qal sites list shows them all)`,
  );
}
