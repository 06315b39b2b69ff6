// The sites in the guide: first day with data, goals, observed events, and how much data there is of each material.

import type { ReadPool } from '../../../host-shim/extension-api';
import type { Manifest, Material } from '../../../manifests/reader/manifest';
import { analytics, rawSql } from '../../data/storage/build-query';
import { mergeObserved, type ObservedEvents, observedEvents } from '../../data/storage/observed-events';
import type { Site } from '../../data/storage/sites/list-sites';
import { localDateOf } from '../../language/time/local-time';
import { isEnabled } from '../../language/types/contract';
import type { InstalledContract } from '../contracts/contract';
import { readAvailability } from './availability';
import type { GuideGoal, GuideSite } from './guide';

interface SiteContext {
  readonly contract: InstalledContract;
  readonly manifest: Manifest;
  readonly database: ReadPool;
  /** The materials whose amount of data is published. */
  readonly measured: readonly Material[];
}

/** Describes the sites in their order; `all` comes last, where the contract has it and the user has any site. */
export async function describeSites(
  sites: readonly Site[],
  context: SiteContext,
): Promise<readonly GuideSite[]> {
  const { contract, database, measured } = context;
  const ids = sites.map((site) => site.siteId);
  const [firstViews, goals, availability, events] = await Promise.all([
    firstViewsOf(database, ids),
    goalsOf(database, ids),
    measured.length === 0 ? null : readAvailability(database, sites, measured),
    eventsOf(ids, context),
  ]);
  const described = sites.map(({ siteId, trackingId, domain, name, isDefault, timezone }): GuideSite => {
    const firstView = firstViews.get(siteId) ?? null;
    return {
      trackingId,
      domain,
      name,
      isDefault,
      dataAvailableFrom: firstView === null ? null : localDateOf(firstView, timezone),
      timezone,
      goals: goals.flatMap(({ site_id, ...goal }) => (site_id === siteId ? [goal] : [])),
      availability: availability?.get(siteId) ?? null,
      observedEvents: events?.get(siteId) ?? null,
    };
  });
  return isEnabled(contract, 'materials_supports_all') ? [...described, ...allSites(described)] : described;
}

/** One index look-up per site. */
const FIRST_VIEW =
  '(select extract(epoch from min(at)) from analytics.page_view where page_view.site_id = site.site_id) as first_view';

async function firstViewsOf(
  database: ReadPool,
  ids: readonly number[],
): Promise<ReadonlyMap<number, number | null>> {
  const rows = await database.select(
    analytics('site')
      .select<{ site_id: number; first_view: number | null }[]>('site_id', rawSql(FIRST_VIEW))
      .whereIn('site_id', ids),
  );
  return new Map(rows.map((row) => [row.site_id, row.first_view]));
}

function goalsOf(
  database: ReadPool,
  ids: readonly number[],
): Promise<readonly (GuideGoal & { readonly site_id: number })[]> {
  return database.select(
    analytics('goal')
      .select<(GuideGoal & { site_id: number })[]>('site_id', {
        id: 'goal_no',
        name: 'name',
        type: 'type',
        condition: 'condition',
      })
      .whereIn('site_id', ids)
      .orderBy('goal_no'),
  );
}

async function eventsOf(
  ids: readonly number[],
  { contract, manifest, database }: SiteContext,
): Promise<ReadonlyMap<number, ObservedEvents> | null> {
  if (!isEnabled(contract, 'datalayer_observed_events')) return null;
  return observedEvents(database, ids, manifest);
}

function allSites(sites: readonly GuideSite[]): readonly GuideSite[] {
  const first = sites[0];
  if (first === undefined) return [];
  const days = sites.flatMap((site) => site.dataAvailableFrom ?? []).sort();
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
      observedEvents:
        first.observedEvents === null
          ? null
          : mergeObserved(sites.flatMap((site) => site.observedEvents ?? [])),
    },
  ];
}
