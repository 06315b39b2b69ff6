// Finds the sites that a query reads, with their goals and events. Sites that the user may not see are treated as nonexistent.
import { materialNames } from '../../manifests/reader/catalog';
import { definedGoals } from '../data/storage/goals/list-goals';
import { materialsWithoutRows } from '../data/storage/materials-without-rows';
import { mergeObserved, observedEvents } from '../data/storage/observed-events';
import { customChannels } from '../data/storage/sites/channel-rules';
import { permittedSites, type Site } from '../data/storage/sites/list-sites';
import {
  earlierStates,
  type SitesReader,
  stateOfSite,
  statesOfSites,
} from '../data/storage/sites/site-states';
import { featureError } from '../language/errors/feature-error';
import { hintOf } from '../language/errors/hint-failure';
import { type QueryError, queryError } from '../language/errors/query-error';
import { nearest } from '../language/names/nearest';
import { dataVersionOf } from '../language/resolve/data-version';
import type { Catalogue } from '../language/resolve/resolve-materials';
import { valuesOf } from '../language/types/arithmetic';
import { isEnabled } from '../language/types/contract';
import { columnsOfFilter } from '../language/types/filter-parts';
import type { JsonValue } from '../language/types/json';
import { conditionsOf, type ParsedQuery, type ParsedView } from '../language/types/parsed-query';
import type { HintFailures } from '../language/types/repair';
import type { Scope, SiteState } from '../language/types/resolved-query';

export interface ScopeContext extends SitesReader, Catalogue, HintFailures {
  readonly signal: AbortSignal;
}

const ALL = 'materials_supports_all';

interface QueriedNames extends Pick<ParsedQuery, 'trackingId' | 'materials'> {
  readonly result?: Pick<ParsedQuery['result'], 'dataVersion'>;
  readonly views?: readonly Pick<ParsedView, 'name' | 'from' | 'join' | 'keep' | 'filter' | 'calc'>[];
}

/** Throws E_UNKNOWN_TRACKING_ID, or E_FEATURE_DISABLED for `all` if that feature is off. */
export async function loadScope(query: QueriedNames, context: ScopeContext): Promise<Scope> {
  const { trackingId } = query;
  const { contract } = context;
  if (trackingId === 'all' && contract.rules.features.has(ALL) && !isEnabled(contract, ALL))
    throw featureError(contract, ALL, 'tracking_id');
  const unknown = async () =>
    unknownSite(
      trackingId,
      await permittedSites(context.database, context.sites),
      context,
      isEnabled(contract, ALL),
    );
  if (typeof trackingId !== 'string') throw await unknown();
  const all = trackingId === 'all' && isEnabled(contract, ALL);
  const states = all ? await statesOfSites(context) : await stateOfSite(trackingId, context);
  if (states.length === 0) throw await unknown();
  const siteIds = states.map(({ siteId }) => siteId);
  const [unavailable, named, earlier, channels] = await Promise.all([
    unavailableMaterials(siteIds, context),
    siteMaterials(query, { siteIds, all }, context),
    statesOfVersion(query.result?.dataVersion ?? null, states, context),
    namesChannel(query) ? customChannels(context.database, siteIds, context.manifest.channels) : [],
  ]);
  return {
    trackingId,
    all,
    siteIds,
    states,
    unavailable,
    ...named,
    ...(earlier && { earlier }),
    ...(channels.length > 0 && { channels }),
  };
}

/** The site's earlier state with this data version. Undefined if the version is current, or if there are several sites. */
async function statesOfVersion(
  received: string | null,
  states: readonly SiteState[],
  { database }: ScopeContext,
): Promise<readonly SiteState[] | undefined> {
  const [state, ...others] = states;
  if (received === null || state === undefined || others.length > 0) return undefined;
  if (received === dataVersionOf(states)) return undefined;
  const earlier = await earlierStates(state.siteId, database);
  return earlier.map((one) => [one]).find((one) => dataVersionOf(one) === received);
}

/** The materials that the guide lists as unavailable, if the contract publishes their availability. */
async function unavailableMaterials(
  siteIds: readonly number[],
  { contract: { rules }, manifest, database, signal }: ScopeContext,
): Promise<Scope['unavailable']> {
  if (!rules.publishesAvailability) return new Set();
  const published = materialNames(manifest, rules).flatMap((name) => manifest.materials.get(name) ?? []);
  return materialsWithoutRows(database, siteIds, published, signal);
}

type SiteMaterials = Pick<Scope, 'goals' | 'events'>;

const NOTHING: SiteMaterials = { goals: [], events: new Map() };

/** Reads goals and events only if the query names something that some of the sites may not have. */
async function siteMaterials(
  { materials, views = [] }: QueriedNames,
  { siteIds, all }: Pick<Scope, 'siteIds' | 'all'>,
  { database, manifest }: Pick<ScopeContext, 'database' | 'manifest'>,
): Promise<SiteMaterials> {
  const isPlain = (name: string): boolean => {
    const material = manifest.materials.get(name);
    return material !== undefined && material.onePer === undefined && (!all || material.supportsAll);
  };
  const read = views.flatMap(({ from, join }) => (join === null ? [from] : [from, join.with]));
  const isView = (name: string) => views.some((view) => view.name === name);
  const isPlainRead = materials.every(isPlain) && read.every((name) => isPlain(name) || isView(name));
  if (isPlainRead && !views.flatMap(columnsOf).some((name) => GOAL_COLUMN.test(name))) return NOTHING;
  const [goals, events] = await Promise.all([
    definedGoals(database, siteIds),
    observedEvents(database, siteIds, manifest),
  ]);
  return { goals, events: mergeObserved(events.values()) };
}

const namesChannel = ({ views = [] }: QueriedNames): boolean =>
  views.flatMap(columnsOf).some((name) => name.endsWith('channel'));

const GOAL_COLUMN = /\bis_goal_/i;

const columnsOf = (view: Pick<ParsedView, 'keep' | 'filter' | 'calc'>): readonly string[] => [
  ...view.keep.map(({ column }) => column),
  ...columnsOfFilter(conditionsOf(view)),
  ...view.calc.flatMap(({ value }) => valuesOf(value)).map(({ reference }) => reference.column),
];

/** The id of the site with this domain or name, or with a similar id. */
function intendedSite(received: string, sites: readonly Site[], takesAll: boolean): string | undefined {
  const folded = received.trim().toLowerCase();
  if (takesAll && ['all', '*', 'any'].includes(folded)) return 'all';
  const host = folded.replace(/^https?:\/\//, '').replace(/^www\.|[/:].*$/g, '');
  const named = sites.find(
    ({ name, domain }) => name.toLowerCase() === folded || domain.replace(/^www\./, '') === host,
  );
  return (
    named?.trackingId ??
    nearest(
      received,
      sites.map(({ trackingId }) => trackingId),
    )
  );
}

export function unknownSite(
  received: JsonValue,
  sites: readonly Site[],
  failures: HintFailures,
  takesAll = false,
): QueryError {
  const ids = sites.map((site) => site.trackingId);
  return queryError('E_UNKNOWN_TRACKING_ID', 'tracking_id', {
    received,
    ids,
    hint: ids.length === 0 ? 'none' : undefined,
    available: sites.map(({ trackingId, domain }) => ({ tracking_id: trackingId, domain })),
    nearest:
      typeof received === 'string'
        ? hintOf(() => intendedSite(received, sites, takesAll), failures)
        : undefined,
  });
}
