// Random queries about visitors: how many there are, and how many have several visits, grouped by device or country, or filtered.
import fc from 'fast-check';
import { shapeOf } from '../reading/columns';
import { sitesOf } from '../reading/interpret';
import type { Query, Test, View } from '../reading/query';
import type { Tables } from '../reading/tables';
import { calcOf, newView, randomTests, type TestsRecipe, testsRecipe } from './query-parts';
import { edge, rangeOf } from './random-range';
import { at, number, randomOperands, type Samples } from './random-values';

const recipe = fc.record({
  site: number,
  zone: number,
  start: edge,
  end: edge,
  kind: number,
  keep: fc.array(number, { maxLength: 2 }),
  calc: fc.array(number, { minLength: 1, maxLength: 2 }),
  tests: testsRecipe,
  isEqual: number,
  least: number,
  outer: fc.array(number, { maxLength: 2 }),
  outerTests: testsRecipe,
  countOnly: number,
});
type Recipe = typeof recipe extends fc.Arbitrary<infer It> ? It : never;

const PERMITTED = [1, 2, 3];
const KEYS = ['device_type', 'device_type', 'device_id', 'country_code', 'access_date', 'os'];
const VISITOR_KEYS = ['device_type', 'device_type', 'device_type', 'device_id', 'country_code'];
const TESTED = ['device_type', 'device_type', 'country_code', 'device_id'];
const CALCS = ['COUNTUNIQUE reader_id', 'COUNTUNIQUE reader_id', 'COUNTUNIQUE session_id', 'COUNT pv_id'];
const OUTER_CALCS = [
  ...['COUNT reader_id', 'COUNT reader_id', 'COUNT reader_id', 'COUNT reader_id', 'COUNT reader_id'],
  ...['COUNT visits', 'MAX visits'],
];
/** Conditions on a visitor's number of visits. */
const LEAST: readonly Omit<Test, 'column'>[] = [
  { operator: 'gte', value: 2 },
  { operator: 'gte', value: 2 },
  { operator: 'gt', value: 1 },
  { operator: 'gte', value: 3 },
  { operator: 'eq', value: 2 },
];

/** Random queries on this data. */
export const visitorQuery = (tables: Tables, samples: Samples): fc.Arbitrary<Query> =>
  recipe.map((given) => buildQuery(given, tables, samples));

function buildQuery(given: Recipe, tables: Tables, samples: Samples): Query {
  const site = at<number | 'all'>([1, 2, 1, 2, 3, 'all'], given.site);
  const time = rangeOf(given, tables, site, samples);
  const { columns } = shapeOf('allpv', tables, sitesOf({ site, permitted: PERMITTED }));
  /** Most tests compare a column with a single value. */
  const testsOf = (names: readonly string[], recipes: TestsRecipe): readonly Test[] =>
    given.isEqual % 3 === 0
      ? randomTests(columns, names, recipes, { samples, tz: time.tz })
      : recipes.slice(0, 1).flatMap(({ which, values }) => {
          const column = columns.find(({ name }) => name === at(names, which));
          if (column === undefined) return [];
          return [
            {
              column: column.name,
              operator: 'eq',
              value: randomOperands(column, 'eq', values, samples, time.tz),
            },
          ];
        });
  const ofRows = given.kind % 3 === 0;
  const keep = [...new Set(given.keep.map((choice) => at(ofRows ? KEYS : VISITOR_KEYS, choice)))];
  const filter = ofRows || given.least % 2 === 0 ? testsOf(TESTED, given.tests) : [];
  const views = ofRows ? [viewOfRows()] : viewsOfVisitors();
  return {
    site,
    time,
    permitted: PERMITTED,
    materials: ['allpv'],
    views,
    use: 'v',
    limit: null,
    countOnly: given.countOnly % 8 === 7,
  };

  function viewOfRows(): View {
    const calc = given.calc.map((choice, index) => calcOf('allpv', at(CALCS, choice), `n${index}`));
    return newView('v', 'allpv', { keep, filter, calc });
  }

  function viewsOfVisitors(): View[] {
    const visits = calcOf('allpv', 'COUNTUNIQUE session_id', 'visits');
    const visitors = newView('visitors', 'allpv', { keep: ['reader_id', ...keep], filter, calc: [visits] });
    const kept = keep.length === 0 ? [] : [...new Set(given.outer.map((choice) => at(keep, choice)))];
    const tests = keep.length === 0 ? [] : testsOf(keep, given.outerTests);
    const calc = given.calc.map((choice, index) => calcOf('visitors', at(OUTER_CALCS, choice), `n${index}`));
    const least = { column: 'visits', ...at(LEAST, given.least >> 1) };
    return [visitors, newView('v', 'visitors', { keep: kept, filter: [least, ...tests], calc })];
  }
}
