// What the dashboard shows, as data: its page, its queries and its tests are made from these tables.
// In an expression `@` stands for the dataset and a dot.
import type { CardInfo, MeasureInfo, PanelInfo, TabInfo } from '../browser/dashboard/dashboard-types';
import {
  type Conditions,
  type DatasetName,
  DIMENSIONS,
  type DimensionId,
  ENTRY,
  EXIT,
  GOAL,
} from './dashboard-dimensions';

interface Measure extends MeasureInfo {
  readonly calc: string;
}

const VISITORS = {
  column: 'visitors',
  label: 'Visitors',
  unit: 'count',
  calc: 'COUNTUNIQUE(@reader_id)',
} as const;
const VISITS = {
  column: 'visits',
  label: 'Visits',
  unit: 'count',
  calc: 'COUNTUNIQUE(@session_id)',
} as const;
const VIEWS = { column: 'views', label: 'Page views', unit: 'count', calc: 'COUNT(@pv_id)' } as const;
const BOUNCE_RATE = {
  column: 'bounce_rate',
  label: 'Bounce rate',
  unit: 'percent',
  calc: '100 * SUM(@is_last) / COUNT(@pv_id)',
} as const;

/** A query of numbers, in total and by the steps of the chart. */
export interface Figure {
  readonly calc: Readonly<Record<string, string>>;
  /** Which page views it is about. */
  readonly filter?: Conditions;
}

export type FigureId = 'visitors' | 'visits' | 'entries';

/** Name of the column with the conversions of a goal. */
export const goalColumn = (goal: number): string => `goal_${goal}`;

/** Visitors and visits apart: two COUNTUNIQUEs in one query take longer than two queries. */
export function figuresOf(goals: readonly number[]): Readonly<Record<FigureId, Figure>> {
  const conversions = goals.map((goal) => [goalColumn(goal), `SUM(@is_goal_${goal})`] as const);
  const sum = conversions.map(([, calc]) => calc).join(' + ');
  return {
    visitors: { calc: { visitors: VISITORS.calc } },
    visits: {
      calc: {
        views: VIEWS.calc,
        visits: VISITS.calc,
        pages_per_visit: `${VIEWS.calc} / ${VISITS.calc}`,
        visit_duration: `SUM(@browse_sec) / ${VISITS.calc}`,
      },
    },
    // One row for each visit, since a goal is marked on every page view of its visit.
    entries: {
      filter: ENTRY,
      calc: {
        entries: VIEWS.calc,
        bounce_rate: BOUNCE_RATE.calc,
        ...Object.fromEntries(conversions),
        ...(sum === '' ? {} : { conversions: sum }),
      },
    },
  };
}

const BEGUN = 'of the visits that began in this range';

export const CARDS: readonly CardInfo[] = (
  [
    ['visitors', 'visitors', 'Visitors', 'count', 'Different people'],
    ['visits', 'visits', 'Visits', 'count', 'With a page view in this range'],
    ['views', 'visits', 'Page views', 'count', 'All pages together'],
    ['pages_per_visit', 'visits', 'Pages per visit', 'decimal', 'Page views divided by visits'],
    ['bounce_rate', 'entries', 'Bounce rate', 'percent', `One page only, ${BEGUN}`],
    ['visit_duration', 'visits', 'Visit duration', 'seconds', 'Mean time on pages'],
    ['conversions', 'entries', 'Conversions', 'count', `Goals reached, ${BEGUN}`],
  ] as const
).map(([column, figure, label, unit, about]) => ({
  ...{ column, figure, label, unit, about },
  lessIsBetter: column === 'bounce_rate',
}));

/** A list: rows of one dataset, grouped by names. */
export interface Tab extends Omit<TabInfo, 'measures' | 'dimension'> {
  readonly dimension: DimensionId | null;
  readonly measures: readonly Measure[];
  readonly dataset: DatasetName;
  readonly filter?: Conditions;
  /** Only rows whose measure is at least this. */
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
    ...{ id, title, dimension, nameless },
    names: [DIMENSIONS[dimension].column],
    measures: [VISITORS, VISITS],
    shareOf: 'visitors',
  });

const PAGE = ['title', 'url'];
const searches = {
  dataset: 'gsc',
  measures: [
    { column: 'clicks', label: 'Clicks', unit: 'count', calc: 'SUM(@clicks)' },
    { column: 'impressions', label: 'Shown', unit: 'count', calc: 'SUM(@impressions)' },
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
    ...{ id, title, about },
    names: PAGE,
    dimension: 'page',
    nameless: 'no title',
    filter: { [column]: { gt: 0 } },
    measures: [{ column: 'clicks', label: 'Clicks', unit: 'count', calc: `SUM(@${column})` }, VIEWS],
  });

/** A page with fewer measured views has no percentiles worth a place in a list. */
const LEAST_TIMED = 10;

export const PANELS: readonly (Omit<PanelInfo, 'tabs'> & { readonly tabs: readonly Tab[] })[] = [
  {
    id: 'pages',
    title: 'Pages',
    tabs: [
      tab({
        ...{ id: 'page', title: 'All', names: PAGE, dimension: 'page', nameless: 'no title' },
        measures: [VISITORS, VIEWS],
        shareOf: 'visitors',
      }),
      tab({
        ...{
          id: 'entry',
          title: 'Entry',
          names: PAGE,
          dimension: 'entry',
          nameless: 'no title',
          filter: ENTRY,
        },
        measures: [{ ...VISITS, calc: VIEWS.calc }, BOUNCE_RATE],
        about: 'Where visits began',
      }),
      tab({
        ...{ id: 'exit', title: 'Exit', names: PAGE, dimension: 'exit', nameless: 'no title', filter: EXIT },
        measures: [{ ...VISITS, calc: VIEWS.calc }],
        about: 'Where visits ended',
      }),
    ],
  },
  {
    id: 'sources',
    title: 'Sources',
    tabs: [
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
    title: 'Places',
    tabs: [
      { ...byVisitors('country', 'Map', 'unknown', 'map'), kind: 'map' },
      byVisitors('country', 'Countries'),
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
    tabs: [
      tab({
        ...{ id: 'goal', title: 'Goals', dimension: GOAL, kind: 'goals', about: `Rate ${BEGUN}` },
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
    tabs: [
      tab({
        ...{ id: 'event', title: 'Events', names: ['event_name'], dimension: 'event' },
        dataset: 'datalayer_event',
        measures: [{ column: 'events', label: 'Events', unit: 'count', calc: 'COUNT(@pv_id)' }, VISITS],
      }),
    ],
  },
  {
    id: 'searches',
    title: 'Searches',
    tabs: [
      tab({ ...searches, id: 'keyword', title: 'Keywords', names: ['keyword'], dimension: 'keyword' }),
      tab({
        ...searches,
        id: 'found',
        title: 'Pages found',
        names: PAGE,
        dimension: 'page',
        nameless: 'no title',
      }),
    ],
  },
  {
    id: 'experience',
    title: 'Experience',
    tabs: [
      tab({
        ...{ id: 'slow', title: 'Slow pages', names: PAGE, dimension: 'page', nameless: 'no title' },
        filter: { speed_msec: { neq: null } },
        measures: [
          { column: 'p75', label: 'p75', unit: 'milliseconds', calc: 'PERCENTILE(@speed_msec, 75)' },
          { column: 'p95', label: 'p95', unit: 'milliseconds', calc: 'PERCENTILE(@speed_msec, 95)' },
          { column: 'timed', label: 'Measured', unit: 'count', calc: 'COUNT(@speed_msec)' },
        ],
        least: { column: 'timed', value: LEAST_TIMED },
        about: `Three of four views load within p75; pages with ${LEAST_TIMED} measured views or more`,
      }),
      clicksOn('rage', 'Rage clicks', 'irritation_click_count', 'Fast repeated clicks on one spot'),
      clicksOn('dead', 'Dead clicks', 'dead_click_image_count', 'Clicks on images that do nothing'),
    ],
  },
];

export const TABS: ReadonlyMap<string, Tab> = new Map(
  PANELS.flatMap(({ tabs }) => tabs.map((one) => [one.id, one] as const)),
);

/** The columns of names and measures, without what only queries need. */
export const shownPanels = (): readonly PanelInfo[] =>
  PANELS.map(({ id, title, tabs }) => ({
    ...{ id, title },
    tabs: tabs.map(({ dataset: _dataset, filter: _filter, least: _least, measures, ...shown }) => ({
      ...shown,
      measures: measures.map(({ column, label, unit }) => ({ column, label, unit })),
    })),
  }));
