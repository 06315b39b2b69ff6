// Filters can contain lists of filters, of which at least one (`any`) or none (`none`) must hold. Each kind can contain the
// other.
import { isJsonList, isJsonObject, type JsonObject, type JsonValue } from './json';
import type { Path } from './path';

const FILTER_LISTS = ['any', 'none'] as const;
export type FilterList = (typeof FILTER_LISTS)[number];

/** How deeply lists may be nested. */
export const MAX_LIST_DEPTH = 3;

export const featureOf = (list: FilterList): string => `filter_${list}`;

export const filterListNamed = (key: string | number | undefined): FilterList | undefined =>
  FILTER_LISTS.find((list) => list === key);

/** Whether a value of `any` or `none` is a list of filters, possibly empty. Any other value tests a column with that name. */
export const isListOfFilters = (value: JsonValue | undefined): value is readonly JsonObject[] =>
  isJsonList(value) && value.every(isJsonObject);

/** The lists that a filter may contain. `around`: the lists that contain the filter, outermost first. */
export const listsInside = (around: readonly FilterList[]): readonly FilterList[] =>
  around.length < MAX_LIST_DEPTH ? FILTER_LISTS.filter((list) => list !== around.at(-1)) : [];

/** A position in a filter clause: the path of the innermost filter, and the lists around it, outermost first. */
export function filterPlace(path: Path): { readonly filter: Path; readonly around: readonly FilterList[] } {
  const around: FilterList[] = [];
  let length = path[2] === 'calc' && path[4] === 'filter' ? 5 : 3;
  const isInFilter = path[length - 1] === 'filter';
  const next = () => listsInside(around).find((list) => isInFilter && list === path[length]);
  for (let list = next(); list !== undefined && typeof path[length + 1] === 'number'; list = next()) {
    around.push(list);
    length += 2;
  }
  return { filter: path.slice(0, length), around };
}
