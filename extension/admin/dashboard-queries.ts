// Owns what the dashboard asks: for a site and a range of days, one public query for each of its panels.
// Pure: site, days -> panels. Two COUNTUNIQUEs in one total take longer than two queries, so each total is a query of its own.

/** Whole days of the site's clock, both ends included. */
export interface DayRange {
  /** YYYY-MM-DD */
  readonly first: string;
  readonly last: string;
}

export interface DashboardPanel {
  /** Name within the page. */
  readonly id: string;
  readonly title: string;
  /** One number; a line for each count by day; a list of names and numbers. */
  readonly kind: 'total' | 'days' | 'list';
  /** What the numbers are, beside the title where that does not say it. */
  readonly about: string;
  /** Columns of the answer that are shown as numbers, and what each is called. */
  readonly counts: readonly { readonly column: string; readonly label: string }[];
  /** Of a list: what a row without a value is called. */
  readonly nameless?: string;
  /** Features of the query language without which it cannot be asked. */
  readonly needs: readonly string[];
  /** Body of POST /query. */
  readonly query: { readonly qal: object };
}

export interface DashboardSite {
  readonly trackingId: string;
  readonly timezone: string;
}

/** The day after, YYYY-MM-DD. */
function dayAfter(day: string): string {
  const date = new Date(`${day}T00:00:00Z`);
  date.setUTCDate(date.getUTCDate() + 1);
  return date.toISOString().slice(0, 10);
}

const ROWS = 10;

const VIEWS = 'COUNT(allpv.pv_id)';
const SESSIONS = 'COUNTUNIQUE(allpv.session_id)';
const READERS = 'COUNTUNIQUE(allpv.reader_id)';

interface View {
  readonly filter?: object;
  readonly keep: readonly string[];
  readonly calc: Readonly<Record<string, string>>;
  readonly sort?: object;
}

/** The panels in their order. */
export function dashboardPanels(site: DashboardSite, range: DayRange): readonly DashboardPanel[] {
  const ask = (name: string, view: View) => ({
    qal: {
      tracking_id: site.trackingId,
      materials: [{ name: 'allpv' }],
      time: {
        start: `${range.first}T00:00:00`,
        end: `${dayAfter(range.last)}T00:00:00`,
        tz: site.timezone,
      },
      make: { [name]: { from: ['allpv'], ...view } },
      result: { use: name, limit: 50_000 },
    },
  });
  const total = (id: string, title: string, about: string, expression: string): DashboardPanel => ({
    id,
    title,
    kind: 'total',
    about,
    counts: [{ column: id, label: title }],
    needs: ['calc'],
    query: ask('total', { keep: [], calc: { [id]: expression } }),
  });
  /** A visit is counted by its first view, which costs a quarter of telling the visits of all views apart. */
  const sessionsBy = (id: string, title: string, column: string, nameless: string): DashboardPanel => ({
    id,
    title,
    kind: 'list',
    about: 'sessions that began in this range',
    counts: [{ column: 'sessions', label: 'Sessions' }],
    nameless,
    needs: ['calc', 'filter', 'sort'],
    query: ask(id, {
      filter: { pv: 1 },
      keep: [column],
      calc: { sessions: VIEWS },
      sort: { by: 'sessions', order: 'desc', top: ROWS },
    }),
  });
  return [
    total('views', 'Views', 'page views', VIEWS),
    total('sessions', 'Sessions', 'visits, also those that began before', SESSIONS),
    total('readers', 'Readers', 'different visitors', READERS),
    {
      id: 'days',
      title: 'Day by day',
      kind: 'days',
      about: 'the readers of days do not add up to the readers of the range',
      counts: [
        { column: 'views', label: 'Views' },
        { column: 'sessions', label: 'Sessions' },
        { column: 'readers', label: 'Readers' },
      ],
      needs: ['calc', 'allpv_time_parts'],
      // Unsorted: the page puts each day in its place.
      query: ask('days', {
        keep: ['allpv.access_date'],
        calc: { views: VIEWS, sessions: SESSIONS, readers: READERS },
      }),
    },
    {
      id: 'pages',
      title: 'Top pages',
      kind: 'list',
      about: 'page views',
      counts: [{ column: 'views', label: 'Views' }],
      nameless: 'without a title',
      needs: ['calc', 'sort'],
      query: ask('pages', {
        keep: ['allpv.title', 'allpv.url'],
        calc: { views: VIEWS },
        sort: { by: 'views', order: 'desc', top: ROWS },
      }),
    },
    sessionsBy('sources', 'Sources', 'allpv.source_domain', 'direct, or unknown'),
    sessionsBy('countries', 'Countries', 'allpv.country_code', 'unknown'),
    sessionsBy('devices', 'Devices', 'allpv.device_type', 'unknown'),
  ];
}
