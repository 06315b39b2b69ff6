import {
  fixedBy,
  type PinnedSegment,
  type RequestedFilter,
  type RequestedView,
} from '../../shared-types/dashboard-types';
import { FILTER_KINDS, kindOf } from '../../shared-types/filter-kinds';

export interface View extends RequestedView {
  readonly site: string;
  readonly card: string;
  /** The chosen tab of each panel. */
  readonly tabs: Readonly<Record<string, string>>;
}

interface Known {
  readonly dimensions: readonly string[];
  readonly panels: readonly string[];
  /** Used when the address has no site. */
  readonly site: string;
  /** Used when the address has no period. */
  readonly period: string;
}

const DEFAULTS = { compare: 'before', card: 'visitors' };
export const CUSTOM = 'custom';
/** Each choice with a day parameter, which the address contains only for a custom range. */
const DAYS = [
  ['period', 'from'],
  ['period', 'to'],
  ['compare', 'compare_from'],
  ['compare', 'compare_to'],
] as const;
/** The query parameter for a kind of filter, such as `page` or `not_contains.page`. */
const parameterOf = (kind: string, dimension: string): string =>
  kind === DEFAULT_KIND ? dimension : `${kind}.${dimension}`;
const DEFAULT_KIND = 'is';

const cellOf = (text: string): string | null => (text === '' ? null : text);

/** Reads a query string such as `?site=demo&period=7d&country=DE&country=AT&not.page=...&pages=entry`. */
export function readAddress(search: string, { dimensions, panels, site, period }: Known): View {
  const requested = new URLSearchParams(search);
  const filters = dimensions.flatMap((dimension) =>
    FILTER_KINDS.flatMap(({ id, compared }): RequestedFilter[] => {
      const values = [...new Set(requested.getAll(parameterOf(id, dimension)))].map(cellOf);
      return values.length === 0 ? [] : [{ dimension, ...compared, values }];
    }),
  );
  const tabs = panels.flatMap((panel) => {
    const tab = requested.get(panel);
    return tab === null ? [] : [[panel, tab] as const];
  });
  const optional = (name: string) => requested.get(name) ?? undefined;
  return {
    site: requested.get('site') ?? site,
    period: requested.get('period') ?? (requested.has('from') ? CUSTOM : period),
    from: optional('from'),
    to: optional('to'),
    by: optional('by'),
    compare: requested.get('compare') ?? (requested.has('compare_from') ? CUSTOM : DEFAULTS.compare),
    compare_from: optional('compare_from'),
    compare_to: optional('compare_to'),
    card: requested.get('card') ?? DEFAULTS.card,
    tabs: Object.fromEntries(tabs),
    filters,
  };
}

export function addressOf(view: View, period: string): string {
  const defaults = { ...DEFAULTS, period };
  const requested = new URLSearchParams();
  if (view.site !== '') requested.set('site', view.site);
  for (const name of ['period', 'compare', 'card'] as const)
    if (view[name] !== defaults[name]) requested.set(name, view[name]);
  for (const [of, name] of DAYS) {
    const text = view[name];
    if (text !== undefined && view[of] === CUSTOM) requested.set(name, text);
  }
  if (view.by !== undefined) requested.set('by', view.by);
  for (const filter of view.filters)
    for (const value of filter.values)
      requested.append(parameterOf(kindOf(filter).id, filter.dimension), value ?? '');
  for (const [panel, tab] of Object.entries(view.tabs)) requested.set(panel, tab);
  return `?${requested}`;
}

/** The part of the view that a request contains. Requests through a link omit the site, because the link determines it. */
export function requestedOf({ card: _card, tabs: _tabs, site, ...requested }: View, isLink: boolean) {
  return isLink ? requested : { ...requested, site };
}

/** Whether the link's segment already filters by this dimension, so that users cannot choose it. */
export const isPinned = (pinned: PinnedSegment | undefined, dimension: string): boolean =>
  pinned?.filters.some((filter) => fixedBy(filter).includes(dimension)) === true;

export type Place = 'in' | 'out' | 'none';

export function placeOf(filters: readonly RequestedFilter[], dimension: string, value: string | null): Place {
  const found = filters.find(
    (one) => one.op === undefined && one.dimension === dimension && one.values.includes(value),
  );
  return found === undefined ? 'none' : found.not ? 'out' : 'in';
}

export function placed(
  filters: readonly RequestedFilter[],
  dimension: string,
  value: string | null,
  place: Place,
): readonly RequestedFilter[] {
  const left = filters.flatMap((one): RequestedFilter[] => {
    if (one.op !== undefined || one.dimension !== dimension) return [one];
    const values = one.values.filter((other) => other !== value);
    return values.length === 0 ? [] : [{ ...one, values }];
  });
  if (place === 'none') return left;
  const not = place === 'out';
  const same = left.find((one) => one.op === undefined && one.dimension === dimension && one.not === not);
  const filter = { dimension, not, values: [...(same?.values ?? []), value] };
  return [...left.filter((one) => one !== same), filter];
}

/** The first click on a row filters by its value, the second excludes the value, and the third removes the filter. */
export const nextPlace: Readonly<Record<Place, Place>> = { none: 'in', in: 'out', out: 'none' };

/** Adds the values to the filter of the same kind. */
export function withFilter(
  filters: readonly RequestedFilter[],
  added: RequestedFilter,
): readonly RequestedFilter[] {
  const isSame = (one: RequestedFilter) => one.dimension === added.dimension && kindOf(one) === kindOf(added);
  const values = [...new Set([...(filters.find(isSame)?.values ?? []), ...added.values])];
  return [...filters.filter((one) => !isSame(one)), { ...added, values }];
}
