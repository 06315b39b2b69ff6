// Random queries about visits: each step selects visits with or without certain rows, and the last view counts them, mostly by columns
// that all views of a visit share. The ranges may begin or end in the middle of a visit.
import fc from 'fast-check';
import { materialsOf, shapeOf } from '../reading/columns';
import { sitesOf } from '../reading/interpret';
import type { Calc, Join, Query, Sort, Test, View } from '../reading/query';
import type { Tables } from '../reading/tables';
import { calcOf, newView, randomTests, type TestsRecipe, testsRecipe } from './query-parts';
import { edge, MONTH, rangeOf } from './random-range';
import { at, number, type Samples } from './random-values';

/** Chooses the visits with rows that pass the tests, or those without any. */
const stepRecipe = fc.record({
  from: number,
  tests: testsRecipe,
  key: number,
  found: number,
  range: number,
  isNot: number,
  among: testsRecipe,
  mode: number,
  value: number,
  top: number,
});
type StepRecipe = typeof stepRecipe extends fc.Arbitrary<infer It> ? It : never;

const recipe = fc.record({
  site: number,
  zone: number,
  start: edge,
  end: edge,
  stepCount: number,
  steps: fc.array(stepRecipe, { minLength: 2, maxLength: 2 }),
  from: number,
  mode: number,
  isKept: number,
  tests: testsRecipe,
  keep: fc.array(number, { maxLength: 3 }),
  calc: fc.array(fc.record({ of: number, where: fc.option(testsRecipe, { freq: 4 }) }), {
    minLength: 1,
    maxLength: 3,
  }),
  sort: fc.option(fc.record({ by: number, order: number, top: number }), { freq: 2 }),
  limit: number,
  countOnly: number,
});
type Recipe = typeof recipe extends fc.Arbitrary<infer It> ? It : never;

const PERMITTED = [1, 2, 3];
const VISIT = 'session_id';

/** Columns that all views of a visit usually share, and some that they do not. */
const OF_VISITS = [
  ...['utm_source', 'utm_medium', 'device_type', 'country_code', 'os', 'browser', 'language', 'utm_campaign'],
  ...['channel', 'source_id', 'referrer_host', 'original_id', 'reader_id', 'device_id', 'session_id'],
  ...['is_goal_1', 'is_goal_2', 'utm_content', 'tracking_id'],
];
const OF_VIEWS = ['url', 'access_date', 'is_newuser', 'city', 'pv', 'access_hour'];
const CALCS = [
  ...['COUNTUNIQUE session_id', 'COUNTUNIQUE session_id', 'COUNTUNIQUE session_id', 'COUNTUNIQUE reader_id'],
  ...['COUNTUNIQUE reader_id', 'COUNTUNIQUE utm_source', 'COUNTUNIQUE source_id', 'COUNTUNIQUE channel'],
  ...['COUNT pv_id', 'MAX pv', 'SUM browse_sec', 'MEDIAN access_time', 'COUNTUNIQUE page_id'],
];
const OF_CLICKS = ['COUNTUNIQUE session_id', 'COUNT pv_id', 'COUNTUNIQUE page_id'];
const FOUND = ['COUNT session_id', 'COUNT session_id', 'COUNT page_id', 'MAX page_id'];
/** Materials whose rows belong to visits, with columns for filters. */
const ROWS: Readonly<Record<string, readonly string[]>> = {
  allpv: ['url', 'url', 'pv', 'device_type', 'utm_source', 'is_last'],
  click_event: ['selector', 'page_id', 'element_text'],
  datalayer_event: ['event_name'],
  'events.purchase': ['note', 'amount', 'mixed', 'note'],
  goal_2: ['url', 'device_type'],
};

/** Random queries on this data. */
export const visitQuery = (tables: Tables, samples: Samples): fc.Arbitrary<Query> =>
  recipe.map((given) => buildQuery(given, tables, samples));

function buildQuery(given: Recipe, tables: Tables, samples: Samples): Query {
  const site = at<number | 'all'>([1, 2, 2, 1, 2, 3, 'all'], given.site);
  const sites = sitesOf({ site, permitted: PERMITTED });
  const possible = materialsOf(tables, sites, site === 'all');
  const time = rangeOf(given, tables, site, samples);
  const has = (material: string) => {
    const names = new Set(shapeOf(material, tables, sites).columns.map(({ name }) => name));
    return (column: string) => names.has(column);
  };
  const testsOf = (material: string, names: readonly string[], recipes: TestsRecipe): readonly Test[] =>
    randomTests(shapeOf(material, tables, sites).columns, names, recipes, { samples, tz: time.tz });
  const views: View[] = [];
  const source = (name: string): string => views.find((it) => it.name === name)?.from ?? name;

  /** Adds the views of a step, and returns the one with the chosen visits. */
  function addStep(step: StepRecipe, index: number, before: string | undefined): string {
    const from = at(
      Object.keys(ROWS).filter((name) => possible.includes(name)),
      step.from,
    );
    const found = newView(`found_${index}`, from, {
      filter: testsOf(from, ROWS[from] ?? [], step.tests),
      keep: step.key % 4 === 0 ? [VISIT, 'page_id'] : [VISIT],
      calc: [calcOf(from, at(FOUND, step.found), 'found')],
      time: step.range % 5 === 0 ? MONTH : null,
    });
    if (step.isNot % 3 === 0) {
      views.push({ ...found, join: before === undefined ? null : joinOf(before, 'drop') });
      return found.name;
    }
    const among = before ?? 'allpv';
    const counted = newView(`counted_${index}`, among, {
      filter: among === 'allpv' && step.top % 4 === 1 ? testsOf('allpv', OF_VISITS, step.among) : [],
      join: joinOf(found.name, at(['keep-left', 'keep-left', 'keep-left', 'drop'], step.mode)),
      keep: [VISIT],
      calc: [calcOf(found.name, 'COUNT found', 'matches', 'with')],
    });
    const isExcluded: Test = {
      column: 'matches',
      operator: at(['eq', 'eq', 'eq', 'eq', 'eq', 'lte', 'neq'], step.value),
      value: at([0, 0, 0, 0, 0, 0, 1], step.value >> 4),
    };
    const rest = newView(`rest_${index}`, counted.name, {
      filter: [isExcluded],
      keep: [VISIT],
      sort: step.top % 8 === 0 ? sortBy(VISIT, 'asc', 3) : null,
    });
    views.push(found, counted, rest);
    return rest.name;
  }

  const steps = given.steps.slice(0, at([0, 1, 1, 2], given.stepCount));
  const chosen = steps.reduce<string | undefined>(
    (before, step, index) => addStep(step, index, before),
    undefined,
  );
  const from = at(
    ['allpv', 'allpv', 'allpv', 'allpv', 'click_event'].filter((name) => possible.includes(name)),
    given.from,
  );
  const isOfClicks = from === 'click_event';
  const keys = isOfClicks
    ? ['selector', 'page_id', VISIT]
    : [...OF_VISITS, ...OF_VISITS, ...OF_VISITS, ...OF_VIEWS].filter(has(from));
  const keep = [...new Set(given.keep.map((choice) => at(keys, choice)))];
  const calcs = given.calc.map(({ of }) => at(isOfClicks ? OF_CLICKS : CALCS, of));
  const tests = testsOf(
    from,
    isOfClicks ? ['selector'] : [...OF_VISITS, ...OF_VISITS, ...OF_VIEWS],
    given.tests,
  );
  const mode = at<Join['mode']>(['drop', 'drop', 'drop', 'drop', 'keep-left', 'keep-both'], given.mode);
  const join = chosen === undefined ? null : joinOf(chosen, mode);
  // A list of the rows, which are then grouped.
  const isKept = given.isKept % 4 === 0 && join?.mode !== 'keep-both';
  const read = [...keep, ...calcs.map(columnIn), ...given.calc.flatMap(({ where }) => wheresOf(where))];
  if (isKept)
    views.push(newView('kept', from, { filter: tests, join, keep: [...new Set([VISIT, ...read])] }));
  const last = isKept ? 'kept' : from;
  function wheresOf(where: TestsRecipe | null): readonly string[] {
    return testsOf(from, keys, where ?? []).map(({ column }) => column);
  }
  const calc = given.calc.map(({ where }, index): Calc => {
    const one = calcOf(last, calcs[index] ?? '', `n${index}`);
    const filter = testsOf(from, keys, where ?? []);
    return filter.length === 0 ? one : { ...one, where: { filter, any: null, none: null } };
  });
  views.push(
    newView('v', last, {
      ...(isKept ? { join: given.isKept % 8 === 0 ? join : null } : { filter: tests, join }),
      keep,
      calc,
      sort: sortOf(given, keep, calc),
    }),
  );
  const materials = views.flatMap((it) => [it.from, ...(it.join === null ? [] : [it.join.with])]);
  return {
    site,
    time,
    permitted: PERMITTED,
    materials: [...new Set([...materials.filter((name) => source(name) === name), 'allpv'])],
    views,
    use: 'v',
    limit: at([null, null, 3], given.limit),
    countOnly: given.countOnly % 8 === 7,
  };
}

const columnIn = (calc: string): string => calc.split(' ')[1] ?? '';

const joinOf = (view: string, mode: Join['mode']): Join => ({
  with: view,
  on: [{ left: VISIT, right: VISIT }],
  mode,
  nullsMatch: false,
  fill: null,
});

const sortBy = (by: string, order: Sort['order'], top: number | null): Sort => ({
  by,
  written: by,
  order,
  top,
  next: [],
  per: [],
});

function sortOf({ sort }: Recipe, keep: readonly string[], calc: readonly Calc[]): Sort | null {
  if (sort === null) return null;
  const by = at([...keep, ...calc.map(({ name }) => name)], sort.by);
  return sortBy(by, at(['desc', 'asc'], sort.order), at([null, 3, 1], sort.top));
}
