// The panels of the dashboard, each with a public query. Every total has its own: two COUNTUNIQUEs in one query take
// longer than two queries.

/** Whole days in the site's time zone, both included, YYYY-MM-DD. */
export interface DayRange {
  readonly first: string;
  readonly last: string;
}

interface PanelDefinition {
  /** Name within the page. */
  readonly id: string;
  readonly title: string;
  /** One number; a line by day for each count; a list of names and numbers. */
  readonly kind: 'total' | 'days' | 'list';
  /** What the title does not say. */
  readonly about: string;
  /** Columns of the answer that are numbers, and their labels. */
  readonly counts: readonly { readonly column: string; readonly label: string }[];
  /** Of a list: stands for a missing name. */
  readonly nameless?: string;
  /** Features of the query language that the query uses. */
  readonly needs: readonly string[];
  readonly view: object;
}

export interface DashboardPanel extends Omit<PanelDefinition, 'view'> {
  /** Body of POST /query. */
  readonly query: { readonly qal: object };
}

const VIEWS = 'COUNT(allpv.pv_id)';
const SESSIONS = 'COUNTUNIQUE(allpv.session_id)';
const VISITORS = 'COUNTUNIQUE(allpv.reader_id)';

const COUNTS = {
  views: { column: 'views', label: 'Page views' },
  sessions: { column: 'sessions', label: 'Sessions' },
  visitors: { column: 'readers', label: 'Visitors' },
};

const ROWS = 10;

/** Sessions counted by their first page view, which is four times as fast as counting distinct sessions. */
const sessionsBy = (id: string, title: string, column: string, nameless: string): PanelDefinition => ({
  id,
  title,
  kind: 'list',
  about: 'Sessions that began in this range',
  counts: [COUNTS.sessions],
  nameless,
  needs: ['calc', 'filter', 'sort'],
  view: {
    filter: { pv: 1 },
    keep: [column],
    calc: { sessions: VIEWS },
    sort: { by: 'sessions', order: 'desc', top: ROWS },
  },
});

const PANELS: readonly PanelDefinition[] = [
  {
    id: 'views',
    title: 'Page views',
    kind: 'total',
    about: 'All page views',
    counts: [COUNTS.views],
    needs: ['calc'],
    view: { keep: [], calc: { views: VIEWS } },
  },
  {
    id: 'sessions',
    title: 'Sessions',
    kind: 'total',
    about: 'Including those that began earlier',
    counts: [COUNTS.sessions],
    needs: ['calc'],
    view: { keep: [], calc: { sessions: SESSIONS } },
  },
  {
    id: 'readers',
    title: 'Visitors',
    kind: 'total',
    about: 'Distinct visitors',
    counts: [COUNTS.visitors],
    needs: ['calc'],
    view: { keep: [], calc: { readers: VISITORS } },
  },
  {
    id: 'days',
    title: 'By day',
    kind: 'days',
    about: 'Visitors of single days do not add up to the visitors of the range',
    counts: [COUNTS.views, COUNTS.sessions, COUNTS.visitors],
    needs: ['calc', 'allpv_time_parts'],
    // Unsorted: the page puts each day in its place.
    view: { keep: ['allpv.access_date'], calc: { views: VIEWS, sessions: SESSIONS, readers: VISITORS } },
  },
  {
    id: 'pages',
    title: 'Top pages',
    kind: 'list',
    about: 'By page views',
    counts: [COUNTS.views],
    nameless: 'no title',
    needs: ['calc', 'sort'],
    view: {
      keep: ['allpv.title', 'allpv.url'],
      calc: { views: VIEWS },
      sort: { by: 'views', order: 'desc', top: ROWS },
    },
  },
  sessionsBy('sources', 'Sources', 'allpv.source_domain', 'direct or unknown'),
  sessionsBy('countries', 'Countries', 'allpv.country_code', 'unknown'),
  sessionsBy('devices', 'Devices', 'allpv.device_type', 'unknown'),
];

function dayAfter(day: string): string {
  const date = new Date(`${day}T00:00:00Z`);
  date.setUTCDate(date.getUTCDate() + 1);
  return date.toISOString().slice(0, 10);
}

/** The panels in their order, for a site and a range of days. */
export function dashboardPanels(
  site: { readonly trackingId: string; readonly timezone: string },
  { first, last }: DayRange,
): readonly DashboardPanel[] {
  const time = { start: `${first}T00:00:00`, end: `${dayAfter(last)}T00:00:00`, tz: site.timezone };
  return PANELS.map(({ view, ...panel }) => ({
    ...panel,
    query: {
      qal: {
        tracking_id: site.trackingId,
        materials: [{ name: 'allpv' }],
        time,
        make: { [panel.id]: { from: ['allpv'], ...view } },
        result: { use: panel.id, limit: 50_000 },
      },
    },
  }));
}
