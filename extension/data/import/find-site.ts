// The site that a file is imported into.
import { closest } from 'fastest-levenshtein';
import type { Knex } from 'knex';
import { ImportError } from './import-error';

/**
 * Returns the id of the site with this tracking id. If it does not exist, throws an ImportError that suggests the
 * most similar one.
 */
export async function findSite(write: Knex, trackingId: string): Promise<number> {
  const found: { readonly site_id: number } | undefined = await write('analytics.site')
    .where('tracking_id', trackingId)
    .first('site_id');
  if (found !== undefined) return found.site_id;
  const names: readonly string[] = await write('analytics.site').orderBy('tracking_id').pluck('tracking_id');
  throw new ImportError(
    names.length === 0
      ? `There are no sites yet; create ${trackingId} with: qal sites apply FILE.yaml`
      : `There is no site ${trackingId}; the most similar one is ${closest(trackingId, names)} (qal sites list shows them all)`,
  );
}
