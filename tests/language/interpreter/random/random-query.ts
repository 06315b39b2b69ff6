// Generates random valid queries from a list of numbers. Each number picks one of the possible choices at its position, so every
// list results in a valid query and can be shrunk to a simple one.
import fc from 'fast-check';
import { materialsOf, type Shape, shapeOf } from '../reading/columns';
import { outputShape, sitesOf } from '../reading/interpret';
import { instantOf, localText } from '../reading/local-clock';
import type { Query, View } from '../reading/query';
import type { Tables } from '../reading/tables';
import { LOCAL_TEXTS, ZONES } from './awkward-values';
import { at, number, type Samples } from './random-values';
import {
  buildView,
  type PeriodRecipe,
  periodRecipe,
  type Surroundings,
  viewRecipe,
  withFill,
} from './random-view';

const queryRecipe = fc.record({
  permitted: number,
  site: number,
  zone: number,
  period: periodRecipe,
  views: fc.array(viewRecipe, { minLength: 1, maxLength: 4, size: 'max' }),
  use: number,
  limit: number,
  offset: number,
  countOnly: number,
  extra: number,
});
type QueryRecipe = typeof queryRecipe extends fc.Arbitrary<infer Recipe> ? Recipe : never;

const PERMITTED: readonly (readonly number[])[] = [[1, 2, 3], [1, 2, 3], [1, 2, 3], [1, 2], [1, 2], [2], [3]];
const VIEW_NAMES = ['v1', '20', 'toString', '3'];
const OFFSETS = [null, null, null, null, null, null, 0, 1, 4, 60];
const LIMITS = [null, null, 1000, 50_000, 3, 1];

/** The weight of each material. */
const WEIGHTS: Readonly<Record<string, number>> = {
  allpv: 8,
  click_event: 4,
  datalayer_event: 2,
  gsc: 4,
  page_version: 3,
  goal_2: 4,
  summary_landingpage: 3,
  summary_allpage: 2,
  summary_days_access_detail: 2,
};

/** The part of the language that the queries cover. */
export interface Reach {
  readonly materials: (name: string) => boolean;
  readonly joins: boolean;
}
export const EVERYTHING: Reach = { materials: () => true, joins: true };

/** Random queries on this data. */
export const randomQuery = (tables: Tables, samples: Samples, reach: Reach): fc.Arbitrary<Query> =>
  queryRecipe.map((recipe) => buildQuery(recipe, tables, samples, reach));

function buildQuery(recipe: QueryRecipe, tables: Tables, samples: Samples, reach: Reach): Query {
  const permitted = at(PERMITTED, recipe.permitted);
  const site = at<number | 'all'>([permitted[0] ?? 1, ...permitted, 'all', 'all', 'all'], recipe.site);
  const sites = sitesOf({ site, permitted });
  const tz = at(ZONES, recipe.zone);
  const rangeOf = (period: PeriodRecipe) => periodOf(period, tz, samples);
  const time = { ...rangeOf(recipe.period), tz };
  const possible = materialsOf(tables, sites, site === 'all').filter(reach.materials);
  const materials = possible.flatMap((name) => Array.from({ length: WEIGHTS[name] ?? 1 }, () => name));
  const shapes = new Map<string, Shape>(possible.map((name) => [name, shapeOf(name, tables, sites)]));
  const views: View[] = [];
  for (const [index, one] of recipe.views.entries()) {
    const surroundings: Surroundings = {
      materials,
      shapes,
      samples,
      tz,
      joins: reach.joins,
      periodOf: rangeOf,
      views: views.map(({ name }) => name),
    };
    const view = withFill(buildView(one, VIEW_NAMES[index] ?? '', surroundings), one.fill, { views, time });
    const other = view.join === null ? null : (shapes.get(view.join.with) ?? null);
    shapes.set(view.name, outputShape(view, shapeIn(shapes, view.from), other, site === 'all'));
    views.push(view);
  }
  const used = views.flatMap(({ from, join }) => (join === null ? [from] : [from, join.with]));
  const listed = [...used.filter((name) => possible.includes(name)), at(possible, recipe.extra)];
  const names = views.map(({ name }) => name);
  return {
    permitted,
    site,
    time,
    views,
    materials: [...new Set(listed)],
    use: recipe.use % 3 === 2 ? at(names, recipe.use) : (names.at(-1) ?? ''),
    limit: at(LIMITS, recipe.limit),
    offset: at(OFFSETS, recipe.offset),
    countOnly: recipe.countOnly % 8 === 7,
  };
}

const shapeIn = (shapes: ReadonlyMap<string, Shape>, name: string): Shape =>
  shapes.get(name) ?? { physical: name, columns: [] };

const YEAR = { start: '2026-01-01T00:00:00', end: '2027-01-01T00:00:00' };

/** A year, a local day, or a range between two unusual local timestamps. */
function periodOf(
  { kind, first, second }: PeriodRecipe,
  tz: string,
  { moments }: Samples,
): Omit<Query['time'], 'tz'> {
  if (kind % 8 < 5) return YEAR;
  const local = moments.map((moment) => localText(moment, tz));
  if (kind % 8 === 5) {
    const day = at(local, first).slice(0, 10);
    const next = new Date(Date.parse(`${day}T00:00:00Z`) + 86_400_000).toISOString().slice(0, 10);
    return { start: `${day}T00:00:00`, end: `${next}T00:00:00` };
  }
  const texts = [...LOCAL_TEXTS, ...local];
  const [start = '', end = ''] = [at(texts, first), at(texts, second)].sort();
  return start < end && instantOf(start, tz) < instantOf(end, tz) ? { start, end } : YEAR;
}

/** Returns the material at the end of a view's chain; for a material, its own name. */
export function physicalIn(views: readonly View[], name: string): string {
  const view = views.find((it) => it.name === name);
  return view === undefined ? name : physicalIn(views, view.from);
}
