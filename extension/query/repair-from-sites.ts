// Uses the user's sites to repair errors: a missing site, a missing or relative time, and a missing or unknown time zone.
import { permittedSites, type Site } from '../data/storage/sites/list-sites';
import type { SitesReader } from '../data/storage/sites/site-states';
import { QueryError } from '../language/errors/query-error';
import { relativeDays, relativeRange } from '../language/names/relative-days';
import type { QueryDocument } from '../language/parse/read-document';
import { localDateOf } from '../language/time/local-time';
import { isJsonObject } from '../language/types/json';
import { type Edit, type HintFailures, probably, write } from '../language/types/repair';

/**
 * Adds a repair to an error about the site, the time or the zone: it uses the queried site, or else the user's default site.
 * Returns other errors unchanged.
 */
export async function repairFromSites<Thrown>(
  error: Thrown,
  document: QueryDocument,
  { database, sites, onHintFailure }: Pick<SitesReader, 'database' | 'sites'> & HintFailures,
): Promise<Thrown | QueryError> {
  if (!(error instanceof QueryError) || error.repair !== undefined) return error;
  const editOf = EDITS[`${error.code} ${error.at}`];
  if (editOf === undefined) return error;
  try {
    const permitted = await permittedSites(database, sites);
    const site =
      permitted.find(({ trackingId }) => trackingId === document.query?.tracking_id) ?? permitted[0];
    const edit = site && editOf(site, document);
    return edit === undefined ? error : error.withRepair(probably(edit));
  } catch (failure) {
    onHintFailure(failure);
    return error;
  }
}

/** The repairs, by the code and path of the error. */
const EDITS: Readonly<Record<string, (site: Site, document: QueryDocument) => Edit | undefined>> = {
  'E_MISSING_FIELD tracking_id': ({ trackingId }) => write(['tracking_id'], trackingId),
  'E_TIME_REQUIRED time': wholeTime,
  'E_TIME_REQUIRED time.tz': ({ timezone }) => write(['time', 'tz'], timezone),
  'E_INVALID_TIME_RANGE time.start': relativeTime,
  'E_INVALID_TIME_RANGE time.end': relativeTime,
  'E_INVALID_TZ time.tz': ({ timezone }) => write(['time', 'tz'], timezone),
};

/** Repairs a relative start or end in a query without a valid zone. */
function relativeTime({ timezone: tz }: Site, { query, receivedAt }: QueryDocument): Edit | undefined {
  const { time } = query ?? {};
  if (receivedAt === undefined || !isJsonObject(time)) return undefined;
  const range = relativeRange(time.start, time.end, localDateOf(receivedAt, tz));
  return range && write(['time'], { ...range, tz });
}

/** Writes the days of a relative time such as `7d`, or else of the last month, in the site's zone. */
function wholeTime({ timezone: tz }: Site, { query, receivedAt }: QueryDocument): Edit | undefined {
  if (receivedAt === undefined) return undefined;
  const today = localDateOf(receivedAt, tz);
  const relative = typeof query?.time === 'string' ? relativeDays(query.time, today) : undefined;
  const days = relative ?? relativeDays('last month', today);
  return days && write(['time'], { start: `${days.start}T00:00:00`, end: `${days.end}T00:00:00`, tz });
}
