// Errors that only the user's sites can repair: a missing site, and a missing or unknown time zone.
import { permittedSites } from '../data/storage/sites/list-sites';
import type { SitesReader } from '../data/storage/sites/site-states';
import { QueryError } from '../language/errors/query-error';
import type { QueryDocument } from '../language/parse/read-document';
import { type HintFailures, probably, write } from '../language/types/repair';

/** Adds the user's default site, or the zone of the queried site, to an error that lacks it. Returns any other error unchanged. */
export async function repairFromSites<Thrown>(
  error: Thrown,
  { query }: Pick<QueryDocument, 'query'>,
  { database, sites, onHintFailure }: Pick<SitesReader, 'database' | 'sites'> & HintFailures,
): Promise<Thrown | QueryError> {
  if (!(error instanceof QueryError) || error.repair !== undefined) return error;
  const isSite = error.code === 'E_MISSING_FIELD' && error.at === 'tracking_id';
  const isZone = error.at === 'time.tz' && ['E_TIME_REQUIRED', 'E_INVALID_TZ'].includes(error.code);
  if (!isSite && !isZone) return error;
  try {
    const permitted = await permittedSites(database, sites);
    const site = permitted.find(({ trackingId }) => trackingId === query?.tracking_id) ?? permitted[0];
    if (site === undefined) return error;
    const edit = isSite ? write(['tracking_id'], site.trackingId) : write(['time', 'tz'], site.timezone);
    return error.withRepair(probably(edit));
  } catch (failure) {
    onHintFailure(failure);
    return error;
  }
}
