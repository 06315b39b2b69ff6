// Random queries that filter by text columns in dimension tables and group by them, with limits that fall between tied rows. Most
// cover a year, so that they read all ids of a dimension.
import fc from 'fast-check';
import { materialsOf, shapeOf } from '../reading/columns';
import { sitesOf } from '../reading/interpret';
import type { Calc, Query, Reference, Test, View } from '../reading/query';
import type { Tables } from '../reading/tables';
import { ZONES } from './awkward-values';
import { MONTH, YEAR } from './random-range';
import { at, number, randomOperands, type Samples } from './random-values';
import { withFill } from './random-view';

const recipe = fc.record({
  site: number,
  zone: number,
  isShort: number,
  material: number,
  keep: fc.array(number, { minLength: 1, maxLength: 2 }),
  filter: fc.array(
    fc.record({ which: number, operator: number, values: fc.array(number, { minLength: 3, maxLength: 3 }) }),
    { maxLength: 2 },
  ),
  calc: number,
  sort: fc.record({ by: number, order: number, top: number }),
  limit: number,
});
type Recipe = typeof recipe extends fc.Arbitrary<infer It> ? It : never;

const PERMITTED = [1, 2, 3];

/**
 * The looked-up columns of each material, except tracking_id. Columns with an index on the id are repeated to make them
 * more likely.
 */
const LOOKED_UP: Readonly<Record<string, readonly string[]>> = {
  allpv: [
    'url',
    'title',
    'title',
    'url',
    'title',
    'page_type',
    'url',
    'title',
    'is_article',
    'url',
    'title',
    'page_type',
    'is_article',
    'is_qa_forum',
    'prev_url',
    'next_title',
    'utm_source',
    'utm_term',
    'utm_medium',
    'utm_campaign',
    'utm_content',
    'device_type',
    'os',
    'browser',
    'language',
    'country_code',
    'original_id',
    'click_id_name',
    'region',
    'city',
    'channel',
    'channel',
    'channel',
  ],
  click_event: ['selector'],
  datalayer_event: ['event_name'],
  gsc: ['url', 'title', 'keyword', 'page_fetch_status'],
};
const COMMON = ['tracking_id'];
/** Columns that are not looked up. */
const STORED: Readonly<Record<string, readonly string[]>> = {
  allpv: ['pv', 'access_date', 'source_id', 'is_newuser'],
  click_event: ['event_sec', 'page_id'],
  datalayer_event: ['access_hour'],
  gsc: ['search_type', 'week', 'month'],
};

/** Calcs with few distinct results, so that many groups tie. */
const CALCS: Readonly<Record<string, readonly string[]>> = {
  allpv: [
    'COUNT pv_id',
    'MAX pv',
    'COUNTUNIQUE session_id',
    'AVERAGE is_last',
    'SUM is_newuser',
    'MAX browse_sec',
  ],
  click_event: ['COUNT pv_id', 'MAX event_sec', 'MEDIAN event_sec'],
  datalayer_event: ['COUNT pv_id'],
  gsc: ['SUM clicks', 'MAX search_type'],
};

const TEXT_OPERATORS = ['eq', 'neq', 'in', 'prefix', 'contains', 'gt', 'lte', 'between', 'eq', 'in'];
const OTHER_OPERATORS = ['eq', 'neq', 'in'];

/** Random queries on this data. */
export const byIdQuery = (tables: Tables, samples: Samples): fc.Arbitrary<Query> =>
  recipe.map((given) => buildQuery(given, tables, samples));

function buildQuery(given: Recipe, tables: Tables, samples: Samples): Query {
  const site = at<number | 'all'>([1, 2, 1, 3, 'all'], given.site);
  const sites = sitesOf({ site, permitted: PERMITTED });
  const possible = materialsOf(tables, sites, site === 'all');
  const materials = ['allpv', 'allpv', 'allpv', 'gsc', 'click_event', 'datalayer_event'];
  const from = at(
    materials.filter((name) => possible.includes(name)),
    given.material,
  );
  const tz = at(ZONES, given.zone);
  const { columns } = shapeOf(from, tables, sites);
  const texts = [...(LOOKED_UP[from] ?? []), ...COMMON];
  const filter = given.filter.flatMap(({ which, operator, values }): readonly Test[] => {
    const column = columns.find(({ name }) => name === at(texts, which));
    if (column === undefined) return [];
    const operation = at(column.type === 'text' ? TEXT_OPERATORS : OTHER_OPERATORS, operator);
    return [
      {
        column: column.name,
        operator: operation,
        value: randomOperands(column, operation, values, samples, tz),
      },
    ];
  });
  const keep = [
    ...new Set(given.keep.map((choice) => at([...texts, ...texts, ...(STORED[from] ?? [])], choice))),
  ];
  const calc = given.calc % 4 === 3 ? [] : [calcOf(from, given.calc >> 2)];
  const view: View = {
    name: 'v',
    from,
    calc,
    keep: keep.map((column) => reference(from, column)),
    isKeptAgain: false,
    any: null,
    none: null,
    time: null,
    add: false,
    join: null,
    fill: null,
    filter: filter.filter(
      ({ column }, index) => filter.findIndex((other) => other.column === column) === index,
    ),
    sort: sortOf(given, keep, calc),
  };
  const time = { ...at([MONTH, YEAR, YEAR], given.isShort), tz };
  return {
    site,
    permitted: PERMITTED,
    materials: [from],
    use: 'v',
    countOnly: false,
    time,
    views: [withFill(view, given.calc, { views: [], time })],
    limit: at([null, 1, 2, 3, 5], given.limit),
  };
}

const reference = (material: string, column: string): Reference => ({
  side: 'from',
  column,
  written: `${material}.${column}`,
});

function calcOf(material: string, choice: number): Calc {
  const [name = '', column = ''] = at(CALCS[material] ?? [], choice).split(' ');
  const of = reference(material, column);
  return { name: 'n', function: name, of, written: `${name}(${of.written})` };
}

/** Usually sorts by a calc. */
function sortOf({ sort }: Recipe, keep: readonly string[], calc: readonly Calc[]): View['sort'] {
  const names = calc.map(({ name }) => name);
  const by = at([...names, ...names, ...names, ...keep], sort.by);
  return {
    by,
    written: by,
    order: at(['desc', 'asc'], sort.order),
    top: at([null, 1, 2, 3], sort.top),
    next: [],
    per: [],
  };
}
