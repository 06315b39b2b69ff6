// The rows of every material for the given sites and period, in their default order.

import type { Row } from '../join';
import { instantOf } from '../local-clock';
import type { Tables, Value } from '../tables';
import { compare } from '../values';
import { ageRows, countryRows, regionRows, searchRows, versionRows } from './day-rows';
import { clickRows, eventRows, layerRows } from './event-rows';
import { goalRows } from './goal-rows';
import { isWithin, type Period, type PlacedRow } from './period';
import { summaryRows } from './summary-rows';
import { viewValues } from './view-values';

interface Scope {
  readonly sites: readonly number[];
  readonly time: { readonly start: string; readonly end: string; readonly tz: string };
  /** Whether the material is on the joined side of a view. */
  readonly isJoined: boolean;
}

export function materialRows(name: string, tables: Tables, { sites, time, isJoined }: Scope): readonly Row[] {
  const { tz } = time;
  const period = { sites, tz, start: instantOf(time.start, tz), end: instantOf(time.end, tz) };
  const rows = placedRows(name, tables, period, isJoined);
  return [...rows]
    .sort((a, b) => comparePlaces([...a.place, a.site], [...b.place, b.site]))
    .map(({ site, values }) => {
      const tracking_id = tables.site.find((it) => it.site_id === site)?.tracking_id ?? null;
      return { site, values: new Map(Object.entries({ ...values, tracking_id })) };
    });
}

function placedRows(name: string, tables: Tables, period: Period, isJoined: boolean): readonly PlacedRow[] {
  if (name.startsWith('events.')) return eventRows(name.slice('events.'.length), tables, period);
  if (name.startsWith('goal_')) return goalRows(Number(name.slice('goal_'.length)), tables, period);
  switch (name) {
    case 'allpv':
      return tables.page_view
        .filter((view) => isWithin(view, period))
        .map((view) => ({
          site: view.site_id,
          place: [view.at, view.pv_id],
          values: viewValues(view, tables, period.tz),
        }));
    case 'click_event':
      return clickRows(tables, period);
    case 'datalayer_event':
      return layerRows(tables, period);
    case 'gsc':
      return searchRows(tables, period);
    case 'page_version':
      return versionRows(tables, period, isJoined);
    case 'ga4_age_gender':
      return ageRows(tables, period);
    case 'ga4_country':
      return countryRows(tables, period);
    case 'ga4_region':
      return regionRows(tables, period);
    default:
      return summaryRows(name, tables, period);
  }
}

function comparePlaces(a: readonly Value[], b: readonly Value[]): number {
  for (const [index, value] of a.entries()) {
    const order = compare(value, b[index] ?? null);
    if (order !== 0) return order;
  }
  return 0;
}
