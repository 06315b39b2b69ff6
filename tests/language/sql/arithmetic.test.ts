// In the columnar copy, arithmetic converts each number once per group, and computes a greatest common divisor at most once per
// quotient.
import { duckdb, duckdbForLarge } from '../../../extension/language/sql/dialects/duckdb';
import { planned } from '../plan/planned';

const MEAN_POSITION = 'SUM(gsc.position_weighted) / SUM(gsc.impressions)';

const sqlOf = (calc: string, sort?: object, passes: readonly string[] = [], dialect = duckdb): string =>
  planned({ view: { from: ['gsc'], keep: ['gsc.keyword'], calc: { n: calc }, ...sort } }, passes).sql(
    dialect,
  );

const timesIn = (text: string, part: string): number => text.split(part).length - 1;

test.each([
  // Stored whole numbers, and numbers that are computed from whole numbers.
  [MEAN_POSITION, 0, 0],
  ['AVERAGE(gsc.position)', 0, 0],
  ['MEDIAN(gsc.position)', 0, 0],
  ['AVERAGE(gsc.ctr)', 0, 0],
  ['100 * SUM(gsc.clicks) / SUM(gsc.impressions)', 0, 0],
  ['SUM(gsc.clicks) * SUM(gsc.clicks) / SUM(gsc.impressions)', 0, 1],
  ['MAX(gsc.position) - MIN(gsc.position) / SUM(gsc.clicks)', 2, 1],
])('%s', (calc, decimals, factors) => {
  const text = sqlOf(calc);
  expect(timesIn(text, 'replace(')).toBe(decimals);
  expect(timesIn(text, 'gcd(')).toBe(factors);
  expect(timesIn(sqlOf(calc, {}, [], duckdbForLarge), 'gcd(')).toBe(1);
});

test('a quotient that sorts the rows is computed only once', () => {
  const sort = { sort: { by: 'n', order: 'desc', top: 10 } };
  const text = sqlOf(MEAN_POSITION, sort, ['group-by-id', 'top-before-lookups']);
  expect(timesIn(text, 'rank() over')).toBe(1);
  expect(timesIn(text, "error('large')")).toBe(1);
});

test('a repeated subexpression is converted only once', () => {
  const text = sqlOf('MAX(gsc.ctr) * MAX(gsc.ctr) + MAX(gsc.ctr)');
  expect(timesIn(text, 'replace(')).toBe(1);
});
