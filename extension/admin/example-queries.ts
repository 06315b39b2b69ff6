// Example queries of a site: those that run there under a contract, over the newest four weeks with data.
import type { Catalogue } from './browser/playground/catalogue';

type Known = Omit<Catalogue, 'examples' | 'schema'>;

interface Example {
  readonly title: string;
  readonly materials: readonly string[];
  /** Features that it uses. */
  readonly needs: readonly string[];
  /** The view `answer`, and the views that it reads from. */
  readonly make: Readonly<Record<string, object>>;
}

const LIMIT = 100;
const DAYS = 28;
const DAY_MS = 86_400_000;

const EXAMPLES: readonly Example[] = [
  {
    title: 'Most viewed pages',
    materials: ['allpv'],
    needs: ['calc', 'sort'],
    make: {
      answer: {
        from: ['allpv'],
        keep: ['allpv.url', 'allpv.title'],
        calc: { views: 'COUNT(allpv.pv_id)', visitors: 'COUNTUNIQUE(allpv.reader_id)' },
        sort: { by: 'views', order: 'desc', top: 20 },
      },
    },
  },
  {
    title: 'Page views, sessions and visitors by day',
    materials: ['allpv'],
    needs: ['calc', 'allpv_time_parts'],
    make: {
      answer: {
        from: ['allpv'],
        keep: ['allpv.access_date'],
        calc: {
          views: 'COUNT(allpv.pv_id)',
          sessions: 'COUNTUNIQUE(allpv.session_id)',
          visitors: 'COUNTUNIQUE(allpv.reader_id)',
        },
      },
    },
  },
  {
    title: 'Landing pages on smartphones',
    materials: ['allpv'],
    needs: ['calc', 'sort', 'filter'],
    make: {
      answer: {
        from: ['allpv'],
        filter: { pv: 1, device_type: 'SP' },
        keep: ['allpv.url'],
        calc: { visits: 'COUNT(allpv.pv_id)' },
        sort: { by: 'visits', order: 'desc', top: 20 },
      },
    },
  },
  {
    title: 'Sources of sessions, by device',
    materials: ['allpv'],
    needs: ['calc', 'sort'],
    make: {
      answer: {
        from: ['allpv'],
        keep: ['allpv.utm_source', 'allpv.device_type'],
        calc: { sessions: 'COUNTUNIQUE(allpv.session_id)' },
        sort: { by: 'sessions', order: 'desc' },
      },
    },
  },
  {
    title: 'Clicks by page (a join)',
    materials: ['allpv', 'click_event'],
    needs: ['calc', 'sort', 'join', 'calc_join_symmetric'],
    make: {
      answer: {
        from: ['allpv'],
        join: { with: 'click_event', on: [{ left: 'allpv.pv_id', right: 'click_event.pv_id' }] },
        keep: ['allpv.url'],
        calc: { clicks: 'COUNT(click_event.pv_id)' },
        sort: { by: 'clicks', order: 'desc', top: 20 },
      },
    },
  },
  {
    title: 'Pages per session (a view of a view)',
    materials: ['allpv'],
    needs: ['calc', 'sort', 'view_chaining'],
    make: {
      visits: { from: ['allpv'], keep: ['allpv.session_id'], calc: { pages: 'COUNT(allpv.pv_id)' } },
      answer: {
        from: ['visits'],
        keep: ['visits.pages'],
        calc: { sessions: 'COUNT(visits.session_id)' },
        sort: { by: 'pages', order: 'asc', top: 30 },
      },
    },
  },
  {
    title: 'Page views, row by row',
    materials: ['allpv'],
    needs: [],
    make: {
      answer: {
        from: ['allpv'],
        keep: ['allpv.access_time', 'allpv.url', 'allpv.title', 'allpv.device_type', 'allpv.country_code'],
      },
    },
  },
  {
    title: 'Search keywords',
    materials: ['gsc'],
    needs: ['calc', 'sort'],
    make: {
      answer: {
        from: ['gsc'],
        keep: ['gsc.keyword'],
        calc: { clicks: 'SUM(gsc.clicks)', impressions: 'SUM(gsc.impressions)' },
        sort: { by: 'clicks', order: 'desc', top: 20 },
      },
    },
  },
];

/** For the first goal and the first event of the site. */
function ownExamples({ goals, materials }: Known): readonly Example[] {
  const goal = goals[0];
  const event = materials.find(({ name }) => name.startsWith('events.'))?.name;
  const byDay = (title: string, material: string): Example => ({
    title,
    materials: [material],
    needs: ['calc', 'allpv_time_parts'],
    make: {
      answer: {
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

/** Whether the site has every column that the example uses. */
function hasColumns({ make, materials }: Example, known: Known): boolean {
  const text = JSON.stringify(make);
  return materials.every((name) => {
    const material = known.materials.find((it) => it.name === name);
    const named = text
      .split(`${name}.`)
      .slice(1)
      .map((rest) => /^\w+/.exec(rest)?.[0] ?? '');
    return (
      material !== undefined && named.every((column) => material.columns.some((it) => it.name === column))
    );
  });
}

/** The first and last day that a query can name. */
const FIRST_DAY = '0001-01-01';
const LAST_DAY = '9999-12-31';

function daysLater(day: string, days: number): string {
  const time = Date.parse(day) + days * DAY_MS;
  const nearest = Math.min(Math.max(time, Date.parse(FIRST_DAY)), Date.parse(LAST_DAY));
  return new Date(nearest).toISOString().slice(0, 10);
}

/** `today` in the time zone of the site, `YYYY-MM-DD`. */
export function exampleQueries(
  known: Known,
  isOn: (feature: string) => boolean,
  today: string,
): Catalogue['examples'] {
  const end = daysLater(known.last_day ?? today, 1);
  const wanted = daysLater(end, -DAYS);
  const first = known.first_day ?? wanted;
  const time = {
    start: `${first > wanted && first < end ? first : wanted}T00:00:00`,
    end: `${end}T00:00:00`,
    tz: known.timezone,
  };
  return [...EXAMPLES, ...ownExamples(known)]
    .filter((example) => example.needs.every(isOn) && hasColumns(example, known))
    .map(({ title, materials, make }) => ({
      title,
      query: {
        tracking_id: known.tracking_id,
        materials: materials.map((name) => ({ name })),
        time,
        make,
        result: { use: 'answer', limit: LIMIT },
      },
    }));
}
