// The dashboard's panels, as data for its page, its queries and its tests.
import { GOAL, type PanelInfo, type TabInfo } from '../shared-types/dashboard-types';
import {
  type Conditions,
  type DatasetName,
  DIMENSIONS,
  type DimensionId,
  ENTRY,
  EXIT,
} from './dashboard-dimensions';
import { BEGUN, BOUNCE_RATE, type Measure, VIEWS, VISITORS, VISITS } from './dashboard-figures';

export interface Tab extends Omit<TabInfo, 'measures' | 'dimension'> {
  readonly dimension: DimensionId | null;
  readonly measures: readonly Measure[];
  readonly dataset: DatasetName;
  readonly filter?: Conditions;
  /** Hides rows with a smaller value in this column. */
  readonly least?: { readonly column: string; readonly value: number };
}

type GivenTab = Pick<Tab, 'id' | 'title'> & Partial<Tab>;

const tab = (given: GivenTab): Tab => ({
  names: [],
  dimension: null,
  measures: [VISITORS],
  dataset: 'allpv',
  shareOf: null,
  nameless: 'unknown',
  about: '',
  kind: 'list',
  ...given,
});

const byVisitors = (
  dimension: DimensionId,
  title: string,
  nameless = 'unknown',
  id: string = dimension,
): Tab =>
  tab({
    id,
    title,
    dimension,
    nameless,
    names: [DIMENSIONS[dimension].column],
    measures: [VISITORS, VISITS],
    shareOf: 'visitors',
  });

const PAGE = ['title', 'url'];
const searches = {
  dataset: 'gsc',
  measures: [
    { column: 'clicks', label: 'Clicks', unit: 'count', calc: 'SUM(@clicks)' },
    { column: 'impressions', label: 'Impressions', unit: 'count', calc: 'SUM(@impressions)' },
    {
      column: 'position',
      label: 'Position',
      unit: 'decimal',
      calc: 'SUM(@position_weighted) / SUM(@impressions)',
    },
  ],
} as const;
const clicksOn = (id: string, title: string, column: string, about: string): Tab =>
  tab({
    id,
    title,
    about,
    names: PAGE,
    dimension: 'page',
    nameless: 'no title',
    filter: { [column]: { gt: 0 } },
    measures: [{ column: 'clicks', label: 'Clicks', unit: 'count', calc: `SUM(@${column})` }, VIEWS],
  });

/** Percentiles of fewer measured views are unreliable. */
const MIN_TIMED = 10;

export const PANELS: readonly (Omit<PanelInfo, 'tabs'> & { readonly tabs: readonly Tab[] })[] = [
  {
    id: 'pages',
    title: 'Pages',
    tabs: [
      tab({
        id: 'page',
        title: 'All',
        names: PAGE,
        dimension: 'page',
        nameless: 'no title',
        measures: [VISITORS, VIEWS],
        shareOf: 'visitors',
      }),
      tab({
        id: 'entry',
        title: 'Entry',
        names: PAGE,
        dimension: 'entry',
        nameless: 'no title',
        filter: ENTRY,
        measures: [{ ...VISITS, calc: VIEWS.calc }, BOUNCE_RATE],
        about: 'Where visits began',
      }),
      tab({
        id: 'exit',
        title: 'Exit',
        names: PAGE,
        dimension: 'exit',
        nameless: 'no title',
        filter: EXIT,
        measures: [{ ...VISITS, calc: VIEWS.calc }],
        about: 'Where visits ended',
      }),
    ],
  },
  {
    id: 'sources',
    title: 'Sources',
    tabs: [
      byVisitors('channel', 'Channels'),
      byVisitors('source', 'Domains', 'direct or unknown'),
      byVisitors('utm_campaign', 'Campaigns', 'no campaign'),
      byVisitors('utm_source', 'Source', 'none'),
      byVisitors('utm_medium', 'Medium', 'none'),
      byVisitors('utm_term', 'Term', 'none'),
      byVisitors('utm_content', 'Content', 'none'),
    ],
  },
  {
    id: 'places',
    title: 'Locations',
    tabs: [
      { ...byVisitors('country', 'Map', 'unknown', 'map'), kind: 'map' },
      byVisitors('country', 'Countries'),
      byVisitors('region', 'Regions'),
      byVisitors('city', 'Cities'),
      byVisitors('language', 'Languages'),
    ],
  },
  {
    id: 'devices',
    title: 'Devices',
    tabs: [byVisitors('device', 'Types'), byVisitors('browser', 'Browsers'), byVisitors('os', 'Systems')],
  },
  {
    id: 'goals',
    title: 'Goals',
    missing: 'goals',
    tabs: [
      tab({
        id: 'goal',
        title: 'Goals',
        dimension: GOAL,
        kind: 'goals',
        about: BEGUN,
        measures: [
          { column: 'conversions', label: 'Conversions', unit: 'count', calc: '' },
          { column: 'rate', label: 'Rate', unit: 'percent', calc: '' },
        ],
      }),
    ],
  },
  {
    id: 'events',
    title: 'Events',
    missing: 'events',
    tabs: [
      tab({
        id: 'event',
        title: 'Events',
        names: ['event_name'],
        dimension: 'event',
        dataset: 'datalayer_event',
        measures: [{ column: 'events', label: 'Events', unit: 'count', calc: 'COUNT(@pv_id)' }, VISITS],
      }),
    ],
  },
  {
    id: 'searches',
    title: 'Searches',
    missing: 'searches',
    tabs: [
      tab({ ...searches, id: 'keyword', title: 'Keywords', names: ['keyword'], dimension: 'keyword' }),
      tab({
        ...searches,
        id: 'found',
        title: 'Landing pages',
        names: PAGE,
        dimension: 'page',
        nameless: 'no title',
      }),
    ],
  },
  {
    id: 'experience',
    title: 'Page experience',
    missing: 'speed',
    tabs: [
      tab({
        id: 'slow',
        title: 'Slow pages',
        names: PAGE,
        dimension: 'page',
        nameless: 'no title',
        filter: { speed_msec: { neq: null } },
        measures: [
          { column: 'p75', label: 'p75', unit: 'milliseconds', calc: 'PERCENTILE(@speed_msec, 75)' },
          { column: 'p95', label: 'p95', unit: 'milliseconds', calc: 'PERCENTILE(@speed_msec, 95)' },
          { column: 'timed', label: 'Measured', unit: 'count', calc: 'COUNT(@speed_msec)' },
        ],
        least: { column: 'timed', value: MIN_TIMED },
        about: `75% of views load within p75; pages with ${MIN_TIMED} or more measured views`,
      }),
      clicksOn('rage', 'Rage clicks', 'irritation_click_count', 'Rapid clicks on one spot'),
      clicksOn('dead', 'Dead clicks', 'dead_click_image_count', 'Clicks on images that do nothing'),
    ],
  },
];

export const TABS: ReadonlyMap<string, Tab> = new Map(
  PANELS.flatMap(({ tabs }) => tabs.map((one) => [one.id, one] as const)),
);

/** The panels without the fields that only queries need. */
export const shownPanels = (): readonly PanelInfo[] =>
  PANELS.map(({ tabs, ...panel }) => ({
    ...panel,
    tabs: tabs.map(({ dataset: _dataset, filter: _filter, least: _least, measures, ...shown }) => ({
      ...shown,
      measures: measures.map(({ column, label, unit }) => ({ column, label, unit })),
    })),
  }));
