// Random queries that join page views with clicks or events, by page view or by visit, and read mostly values that all page views
// of a visit share. The ranges may begin or end in the middle of a visit.
import fc from 'fast-check';
import { materialsOf, shapeOf } from '../reading/columns';
import { sitesOf } from '../reading/interpret';
import type { Calc, Query, Reference, Test, View } from '../reading/query';
import type { Tables } from '../reading/tables';
import { calcOf, newView, randomTests, reference, type TestsRecipe, testsRecipe } from './query-parts';
import { edge, MONTH, rangeOf } from './random-range';
import { at, number, type Samples } from './random-values';

const recipe = fc.record({
  site: number,
  zone: number,
  start: edge,
  end: edge,
  rows: number,
  isLeft: number,
  key: number,
  mode: number,
  chosen: number,
  range: number,
  tests: testsRecipe,
  keep: fc.array(number, { maxLength: 3 }),
  calc: fc.array(number, { minLength: 1, maxLength: 3 }),
  countOnly: number,
});
type Recipe = typeof recipe extends fc.Arbitrary<infer It> ? It : never;

const PERMITTED = [1, 2, 3];
const KEYS = ['pv_id', 'pv_id', 'session_id', 'session_id', 'session_id', 'page_id'];
const OF_VIEWS = [
  ...[
    'device_type',
    'device_id',
    'country_code',
    'utm_source',
    'utm_medium',
    'browser',
    'channel',
    'session_id',
  ],
  ...['os', 'language', 'utm_campaign', 'source_domain', 'original_id', 'reader_id', 'tracking_id', 'city'],
];
const OF_ONE_VIEW = ['url', 'pv', 'access_date', 'pv_id', 'is_goal_1'];
const VIEW_CALCS = [
  'COUNT pv_id',
  'COUNT country_code',
  'COUNTUNIQUE session_id',
  'MAX reader_id',
  'MIN pv',
  'SUM browse_sec',
];
/** Materials whose rows belong to page views, with columns to group by, and calcs. */
const ROWS: Readonly<Record<string, readonly [readonly string[], readonly string[]]>> = {
  click_event: [
    ['selector', 'page_id', 'access_date', 'action_id'],
    [
      ...[
        'COUNT pv_id',
        'COUNT to_url',
        'SUM event_sec',
        'SUM page_y_pct',
        'AVERAGE page_y_pct',
        'MIN access_time',
      ],
      ...['MAX page_x_pct', 'COUNTUNIQUE selector', 'MEDIAN event_sec', 'SUM is_external'],
    ],
  ],
  datalayer_event: [
    ['event_name', 'page_id'],
    ['COUNT pv_id', 'COUNTUNIQUE event_name', 'MAX access_time'],
  ],
  'events.purchase': [
    ['note', 'page_id'],
    ['COUNT pv_id', 'COUNT amount', 'MAX amount'],
  ],
};

/** Random queries on this data. */
export const clickQuery = (tables: Tables, samples: Samples): fc.Arbitrary<Query> =>
  recipe.map((given) => buildQuery(given, tables, samples));

function buildQuery(given: Recipe, tables: Tables, samples: Samples): Query {
  const site = at<number | 'all'>([1, 2, 2, 1, 2, 3, 'all'], given.site);
  const sites = sitesOf({ site, permitted: PERMITTED });
  const possible = materialsOf(tables, sites, site === 'all');
  const time = rangeOf(given, tables, site, samples);
  const material = at(
    ['click_event', 'click_event', ...Object.keys(ROWS)].filter((name) => possible.includes(name)),
    given.rows,
  );
  const [ofRows = [], rowCalcs = []] = ROWS[material] ?? [];
  const columnsOf = (name: string) => shapeOf(name, tables, sites).columns;
  const has = (name: string, column: string) => columnsOf(name).some((it) => it.name === column);
  const viewColumns = [...OF_VIEWS, ...OF_VIEWS, ...OF_VIEWS, ...OF_ONE_VIEW].filter((it) =>
    has('allpv', it),
  );
  const testsOf = (name: string, names: readonly string[], recipes: TestsRecipe): readonly Test[] =>
    randomTests(columnsOf(name), names, recipes, { samples, tz: time.tz });

  const key = at(KEYS, given.key);
  const isLeft = given.isLeft % 2 === 0;
  // The page views may be chosen in an earlier view, with a separate range.
  const isChosen = given.chosen % 3 === 0;
  const views: View[] = [];
  if (isChosen)
    views.push(
      newView('chosen', 'allpv', {
        time: given.range % 3 === 0 ? MONTH : null,
        filter: testsOf('allpv', viewColumns, given.tests),
        keep: [...new Set([key, ...(given.chosen % 2 === 0 ? [] : ['device_type', 'session_id'])])],
        ...(given.chosen % 4 === 0 ? { calc: [calcOf('allpv', 'COUNT pv_id', 'found')] } : {}),
      }),
    );
  const ofViews = isChosen ? 'chosen' : 'allpv';
  const [from, other] = isLeft || isChosen ? [material, ofViews] : [ofViews, material];
  const side = (name: string): Reference['side'] => (name === from ? 'from' : 'with');
  const known = isChosen ? (views[0]?.keep ?? []).map(({ column }) => column) : viewColumns;
  const keep = given.keep.map((choice): Reference => {
    const [name, names] = choice % 3 === 0 ? [material, ofRows] : [ofViews, known];
    return reference(
      name,
      at(
        names.filter((it) => name === 'chosen' || has(name, it)),
        choice >> 2,
      ),
      side(name),
    );
  });
  const calc = given.calc.map((choice, index): Calc => {
    const ofRow = isChosen || choice % 3 > 0;
    const text = at(ofRow ? rowCalcs : VIEW_CALCS, choice >> 2);
    const name = ofRow ? material : ofViews;
    return calcOf(name, text, `n${index}`, side(name));
  });
  views.push(
    newView('v', from, {
      join: {
        with: other,
        on: [{ left: key, right: key }],
        mode: at(['drop', 'drop', 'drop', 'drop', 'keep-left'], given.mode),
        nullsMatch: false,
        fill: null,
      },
      ...(isChosen
        ? { filter: testsOf(material, ofRows, given.tests) }
        : { filter: testsOf(from, from === 'allpv' ? viewColumns : ofRows, given.tests) }),
      keep: [...new Map(keep.map((it) => [it.column, it])).values()],
      calc,
    }),
  );
  return {
    site,
    time,
    permitted: PERMITTED,
    materials: [material, 'allpv'],
    views,
    use: 'v',
    limit: null,
    offset: null,
    countOnly: given.countOnly % 8 === 7,
  };
}
