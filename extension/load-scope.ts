// From a tracking id to the sites that a query reads, and to their goals and events. A site that the user may not see does
// not exist.
import { featureError } from './errors/feature-error';
import { type QueryError, queryError } from './errors/query-error';
import { nearest } from './qal/names/nearest';
import { isEnabled } from './qal/types/contract';
import type { JsonValue } from './qal/types/json';
import type { ParsedQuery } from './qal/types/parsed-query';
import type { QueryContext } from './qal/types/query-context';
import type { Scope } from './qal/types/resolved-query';
import { definedGoals } from './storage/goals/list-goals';
import { mergeObserved, observedEvents } from './storage/observed-events';
import { permittedSites, type Site } from './storage/sites/list-sites';
import { stateOfSite, statesOfSites } from './storage/sites/site-states';

const ALL = 'materials_supports_all';

type AskedNames = Pick<ParsedQuery, 'trackingId' | 'materials'>;

/** Finds the sites of a query; throws E_UNKNOWN_TRACKING_ID, and E_FEATURE_DISABLED for `all` where it is off. */
export async function loadScope(query: AskedNames, context: QueryContext): Promise<Scope> {
  const { trackingId } = query;
  const { contract } = context;
  if (trackingId === 'all' && contract.rules.features.has(ALL) && !isEnabled(contract, ALL))
    throw featureError(contract, ALL, 'tracking_id');
  // Only for a fault the names of all of the user's sites are read.
  const unknown = async () => unknownSite(trackingId, await permittedSites(context.database, context.sites));
  if (typeof trackingId !== 'string') throw await unknown();
  const all = trackingId === 'all' && isEnabled(contract, ALL);
  const states = all ? await statesOfSites(context) : await stateOfSite(trackingId, context);
  if (states.length === 0) throw await unknown();
  const siteIds = states.map(({ siteId }) => siteId);
  return { trackingId, all, siteIds, states, ...(await siteMaterials(query, siteIds, context)) };
}

type SiteMaterials = Pick<Scope, 'goals' | 'events'>;

const NOTHING: SiteMaterials = { goals: [], events: new Map() };

/** Goals and events are read for queries that do not name the materials of every site alone. */
async function siteMaterials(
  { materials }: AskedNames,
  siteIds: readonly number[],
  { database, manifest }: QueryContext,
): Promise<SiteMaterials> {
  const isPlain = (name: string) => manifest.materials.get(name)?.onePer === undefined;
  if (materials.every((name) => manifest.materials.has(name) && isPlain(name))) return NOTHING;
  const [goals, events] = await Promise.all([
    definedGoals(database, siteIds),
    observedEvents(database, siteIds, manifest),
  ]);
  return { goals, events: mergeObserved(events.values()) };
}

/** The fault of a tracking id that is none of the user's `sites`. */
export function unknownSite(received: JsonValue, sites: readonly Site[]): QueryError {
  const ids = sites.map((site) => site.trackingId);
  return queryError('E_UNKNOWN_TRACKING_ID', 'tracking_id', {
    received,
    ids,
    hint: ids.length === 0 ? 'none' : undefined,
    available: sites.map(({ trackingId, domain }) => ({ tracking_id: trackingId, domain })),
    nearest: typeof received === 'string' ? nearest(received, ids) : undefined,
  });
}
