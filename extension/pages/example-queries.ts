// Example queries that work for a site and contract, over the latest four complete weeks with data.
import { DAY_MS } from '../../host-shim/extension-api';
import type { Catalogue } from './shared-types/catalogue';

type Known = Omit<Catalogue, 'examples' | 'schema'>;

interface View {
  readonly from: readonly [source: string];
  readonly join?: { readonly with: string; readonly on: readonly object[] };
  readonly filter?: object;
  readonly keep: readonly string[];
  readonly calc?: Readonly<Record<string, string>>;
  readonly sort?: object;
}

interface Example {
  readonly title: string;
  readonly needs: readonly string[];
  /** The last view is the result. */
  readonly views: Readonly<Record<string, View>>;
}

const LIMIT = 100;
const DAYS = 28;

const largest = (by: string, top: number) => ({ by, order: 'desc', top });

const EXAMPLES: readonly Example[] = [
  {
    title: 'Most viewed pages',
    needs: ['calc', 'sort'],
    views: {
      pages: {
        from: ['allpv'],
        keep: ['allpv.url', 'allpv.title'],
        calc: { views: 'COUNT(allpv.pv_id)', visitors: 'COUNTUNIQUE(allpv.reader_id)' },
        sort: largest('views', 20),
      },
    },
  },
  {
    title: 'Page views, visits and visitors by day',
    needs: ['calc', 'allpv_time_parts'],
    views: {
      days: {
        from: ['allpv'],
        keep: ['allpv.access_date'],
        calc: {
          views: 'COUNT(allpv.pv_id)',
          visits: 'COUNTUNIQUE(allpv.session_id)',
          visitors: 'COUNTUNIQUE(allpv.reader_id)',
        },
      },
    },
  },
  {
    title: 'Landing pages on smartphones',
    needs: ['calc', 'sort', 'filter'],
    views: {
      pages: {
        from: ['allpv'],
        filter: { pv: 1, device_type: 'SP' },
        keep: ['allpv.url'],
        calc: { visits: 'COUNT(allpv.pv_id)' },
        sort: largest('visits', 20),
      },
    },
  },
  {
    title: 'Sources of visits, by device',
    needs: ['calc', 'sort'],
    views: {
      sources: {
        from: ['allpv'],
        keep: ['allpv.utm_source', 'allpv.device_type'],
        calc: { visits: 'COUNTUNIQUE(allpv.session_id)' },
        sort: largest('visits', 30),
      },
    },
  },
  {
    title: 'Clicks by page (a join)',
    needs: ['calc', 'sort', 'join', 'calc_join_symmetric'],
    views: {
      pages: {
        from: ['allpv'],
        join: { with: 'click_event', on: [{ left: 'allpv.pv_id', right: 'click_event.pv_id' }] },
        keep: ['allpv.url'],
        calc: { clicks: 'COUNT(click_event.pv_id)' },
        sort: largest('clicks', 20),
      },
    },
  },
  {
    title: 'Pages per visit (a view of a view)',
    needs: ['calc', 'sort', 'view_chaining'],
    views: {
      visits: { from: ['allpv'], keep: ['allpv.session_id'], calc: { pages: 'COUNT(allpv.pv_id)' } },
      lengths: {
        from: ['visits'],
        keep: ['visits.pages'],
        calc: { visits: 'COUNT(visits.session_id)' },
        sort: { by: 'pages', order: 'asc', top: 30 },
      },
    },
  },
  {
    title: 'Page views, row by row',
    needs: [],
    views: {
      rows: {
        from: ['allpv'],
        keep: ['allpv.access_time', 'allpv.url', 'allpv.title', 'allpv.device_type', 'allpv.country_code'],
      },
    },
  },
  {
    title: 'Search keywords',
    needs: ['calc', 'sort'],
    views: {
      keywords: {
        from: ['gsc'],
        keep: ['gsc.keyword'],
        calc: { clicks: 'SUM(gsc.clicks)', impressions: 'SUM(gsc.impressions)' },
        sort: largest('clicks', 20),
      },
    },
  },
];

/** Examples for the first goal and the first event of the site. */
function siteExamples({ goals, materials }: Known): readonly Example[] {
  const [goal] = goals;
  const event = materials.find(({ name }) => name.startsWith('events.'))?.name;
  const byDay = (title: string, material: string): Example => ({
    title,
    needs: ['calc', 'allpv_time_parts'],
    views: {
      days: {
        from: [material],
        keep: [`${material}.access_date`],
        calc: { count: `COUNT(${material}.pv_id)` },
      },
    },
  });
  return [
    ...(goal === undefined ? [] : [byDay(`Conversions by day: ${goal.name}`, goal.material)]),
    ...(event === undefined ? [] : [byDay(`Events by day: ${event.slice('events.'.length)}`, event)]),
  ];
}

/** Sources other than the example's own views. */
const materialsOf = ({ views }: Example): readonly string[] => [
  ...new Set(
    Object.values(views)
      .flatMap(({ from, join }) => [...from, ...(join === undefined ? [] : [join.with])])
      .filter((source) => !(source in views)),
  ),
];

function hasColumns(example: Example, { materials }: Known): boolean {
  const text = JSON.stringify(example.views);
  return materialsOf(example).every((name) => {
    const material = materials.find((one) => one.name === name);
    const used = text.split(`${name}.`).slice(1);
    const names = used.map((rest) => /^\w+/.exec(rest)?.[0] ?? '');
    return names.every((column) => material?.columns.some((one) => one.name === column) === true);
  });
}

/** The first and last dates that queries accept. */
const FIRST_DAY = '0001-01-01';
const LAST_DAY = '9999-12-31';

function daysLater(day: string, days: number): string {
  const time = Date.parse(day) + days * DAY_MS;
  const nearest = Math.min(Math.max(time, Date.parse(FIRST_DAY)), Date.parse(LAST_DAY));
  return new Date(nearest).toISOString().slice(0, 10);
}

/** `today` is a date in the site's time zone, `YYYY-MM-DD`. */
export function exampleQueries(
  known: Known,
  isOn: (feature: string) => boolean,
  today: string,
): Catalogue['examples'] {
  const afterData = daysLater(known.last_day ?? today, 1);
  // Today is incomplete, so it is included only if no earlier day has data.
  const end = today < afterData && (known.first_day ?? '') < today ? today : afterData;
  const wanted = daysLater(end, -DAYS);
  const first = known.first_day ?? wanted;
  const time = {
    start: `${first > wanted && first < end ? first : wanted}T00:00:00`,
    end: `${end}T00:00:00`,
    tz: known.timezone,
  };
  return [...EXAMPLES, ...siteExamples(known)]
    .filter((example) => example.needs.every(isOn) && hasColumns(example, known))
    .map((example) => ({
      title: example.title,
      query: {
        tracking_id: known.tracking_id,
        materials: materialsOf(example).map((name) => ({ name })),
        time,
        make: example.views,
        result: { use: Object.keys(example.views).at(-1), limit: LIMIT },
      },
    }));
}
