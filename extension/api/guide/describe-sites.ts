import type { ReadPool } from '../../../host-shim/extension-api';
import type { Manifest, Material } from '../../../manifests/reader/manifest';
import { analytics, rawSql } from '../../data/storage/build-query';
import { mergeObserved, observedEvents } from '../../data/storage/observed-events';
import { listChannelRules } from '../../data/storage/sites/channel-rules';
import type { Site } from '../../data/storage/sites/list-sites';
import { statesOfSites } from '../../data/storage/sites/site-states';
import type { Workers } from '../../data/storage/workers';
import { localDateOf } from '../../language/time/local-time';
import { isEnabled } from '../../language/types/contract';
import { knownPageFlags } from '../../query/known-page-flags';
import type { InstalledContract } from '../contracts/contract';
import { readAvailability } from './availability';
import type { GuideGoal, GuideSite } from './guide';

interface SiteContext {
  readonly contract: InstalledContract;
  readonly manifest: Manifest;
  readonly database: ReadPool;
  readonly workers: Pick<Workers, 'reachable'>;
  readonly measured: readonly Material[];
}

/**
 * Keeps the order of the sites. `all` is added last if the contract has it and the user has a site. Sites whose machine does not
 * respond are listed without dates, goals, events, flags and channel rules.
 */
export async function describeSites(
  sites: readonly Site[],
  context: SiteContext,
): Promise<readonly GuideSite[]> {
  const { contract, manifest, database, measured } = context;
  const { reachable } = context.workers;
  const available = reachable === null ? sites : sites.filter(({ siteId }) => reachable.includes(siteId));
  const ids = available.map((site) => site.siteId);
  const [firstViews, goals, availability, events, flags, channels] = await Promise.all([
    firstViewsOf(database, ids),
    goalsOf(database, ids),
    measured.length === 0 ? null : readAvailability(database, available, measured),
    isEnabled(contract, 'datalayer_observed_events') ? observedEvents(database, ids, manifest) : null,
    isEnabled(contract, 'answer_notes') ? pageFlagsOf(available, context) : null,
    isEnabled(contract, 'channels') ? listChannelRules(database, ids) : null,
  ]);
  const goalsOfSite = Map.groupBy(goals, ({ site_id }) => site_id);
  const described = sites.map(({ siteId, trackingId, domain, name, isDefault, timezone }): GuideSite => {
    const firstView = firstViews.get(siteId) ?? null;
    const ofPages = flags?.get(siteId);
    return {
      trackingId,
      domain,
      name,
      isDefault,
      dataAvailableFrom: firstView === null ? null : localDateOf(firstView, timezone),
      timezone,
      goals: (goalsOfSite.get(siteId) ?? []).map(({ site_id, ...goal }) => goal),
      availability: availability?.get(siteId) ?? null,
      observedEvents: events?.get(siteId) ?? null,
      channels: channels?.get(siteId) ?? null,
      pageFlags: ofPages === undefined ? null : [...ofPages].flatMap(([flag, has]) => (has ? [flag] : [])),
    };
  });
  return isEnabled(contract, 'materials_supports_all') ? [...described, ...allSites(described)] : described;
}

async function pageFlagsOf(sites: readonly Site[], { database, manifest }: SiteContext) {
  const { signal } = new AbortController();
  const states = await statesOfSites({ database, sites: sites.map(({ trackingId }) => trackingId) });
  return knownPageFlags(states, { database, manifest, signal });
}

/** One index lookup per site, on the machine that has the site. Without the list of ids, Citus would read every machine. */
const FIRST_VIEW = `(select extract(epoch from min(at)) from analytics.page_view v
  where v.site_id = site_version.site_id and v.site_id = any(?)) as first_view`;

async function firstViewsOf(database: ReadPool, ids: readonly number[]) {
  const rows = await database.select(
    analytics('site_version')
      .select<{ site_id: number; first_view: number | null }[]>('site_id', rawSql(FIRST_VIEW, [[...ids]]))
      .whereIn('site_id', ids),
  );
  return new Map(rows.map((row) => [row.site_id, row.first_view]));
}

const goalsOf = (database: ReadPool, ids: readonly number[]) =>
  database.select(
    analytics('goal')
      .select<(GuideGoal & { site_id: number })[]>('site_id', 'name', 'type', 'condition', { id: 'goal_no' })
      .whereIn('site_id', ids)
      .orderBy('goal_no'),
  );

function allSites(sites: readonly GuideSite[]): readonly GuideSite[] {
  const first = sites[0];
  if (first === undefined) return [];
  const days = sites.flatMap((site) => site.dataAvailableFrom ?? []).sort();
  const events = sites.flatMap((site) => site.observedEvents ?? []);
  return [
    {
      trackingId: 'all',
      domain: '',
      name: 'All sites',
      isDefault: false,
      dataAvailableFrom: days[0] ?? null,
      timezone: first.timezone,
      goals: [],
      availability: null,
      observedEvents: first.observedEvents && mergeObserved(events),
      pageFlags: null,
      channels: null,
    },
  ];
}
