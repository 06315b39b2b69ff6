import {
  type AskedFilter,
  type AskedView,
  fixedBy,
  type PinnedSegment,
} from '../../shared-types/dashboard-types';
import { FILTER_KINDS, kindOf } from '../../shared-types/filter-kinds';

export interface View extends AskedView {
  readonly site: string;
  readonly card: string;
  /** Panel -> its chosen tab. */
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

const USUAL = { compare: 'before', card: 'visitors' };
export const CUSTOM = 'custom';
/** Days are in the address if the choice that they belong to is a custom range. */
const DAYS = [
  ['period', 'from'],
  ['period', 'to'],
  ['compare', 'compare_from'],
  ['compare', 'compare_to'],
] as const;
/** The parameters of the address for filters of a kind, such as `page` and `not_contains.page`. */
const parameterOf = (kind: string, dimension: string): string =>
  kind === USUAL_KIND ? dimension : `${kind}.${dimension}`;
const USUAL_KIND = 'is';

const cellOf = (text: string): string | null => (text === '' ? null : text);

/** Reads a query such as `?site=demo&period=7d&country=DE&country=AT&not.page=...&pages=entry`. */
export function readAddress(search: string, { dimensions, panels, site, period }: Known): View {
  const asked = new URLSearchParams(search);
  const filters = dimensions.flatMap((dimension) =>
    FILTER_KINDS.flatMap(({ id, compared }): AskedFilter[] => {
      const values = [...new Set(asked.getAll(parameterOf(id, dimension)))].map(cellOf);
      return values.length === 0 ? [] : [{ dimension, ...compared, values }];
    }),
  );
  const tabs = panels.flatMap((panel) => {
    const tab = asked.get(panel);
    return tab === null ? [] : [[panel, tab] as const];
  });
  const optional = (name: string) => asked.get(name) ?? undefined;
  return {
    site: asked.get('site') ?? site,
    period: asked.get('period') ?? (asked.has('from') ? CUSTOM : period),
    from: optional('from'),
    to: optional('to'),
    by: optional('by'),
    compare: asked.get('compare') ?? (asked.has('compare_from') ? CUSTOM : USUAL.compare),
    compare_from: optional('compare_from'),
    compare_to: optional('compare_to'),
    card: asked.get('card') ?? USUAL.card,
    tabs: Object.fromEntries(tabs),
    filters,
  };
}

export function addressOf(view: View, period: string): string {
  const usual = { ...USUAL, period };
  const asked = new URLSearchParams();
  if (view.site !== '') asked.set('site', view.site);
  for (const name of ['period', 'compare', 'card'] as const)
    if (view[name] !== usual[name]) asked.set(name, view[name]);
  for (const [of, name] of DAYS) {
    const text = view[name];
    if (text !== undefined && view[of] === CUSTOM) asked.set(name, text);
  }
  if (view.by !== undefined) asked.set('by', view.by);
  for (const filter of view.filters)
    for (const value of filter.values)
      asked.append(parameterOf(kindOf(filter).id, filter.dimension), value ?? '');
  for (const [panel, tab] of Object.entries(view.tabs)) asked.set(panel, tab);
  return `?${asked}`;
}

/** The part of the view that a request contains. The server knows the site of a link. */
export function askedOf({ card: _card, tabs: _tabs, site, ...asked }: View, isLink: boolean) {
  return isLink ? asked : { ...asked, site };
}

/** Whether the link is limited by this dimension, so it cannot be chosen. */
export const isPinned = (pinned: PinnedSegment | undefined, dimension: string): boolean =>
  pinned?.filters.some((filter) => fixedBy(filter).includes(dimension)) === true;

export type Place = 'in' | 'out' | 'none';

export function placeOf(filters: readonly AskedFilter[], dimension: string, value: string | null): Place {
  const found = filters.find(
    (one) => one.op === undefined && one.dimension === dimension && one.values.includes(value),
  );
  return found === undefined ? 'none' : found.not ? 'out' : 'in';
}

export function placed(
  filters: readonly AskedFilter[],
  dimension: string,
  value: string | null,
  place: Place,
): readonly AskedFilter[] {
  const left = filters.flatMap((one): AskedFilter[] => {
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

/** A click on a row filters for it, the next one excludes it, and the third one removes the filter. */
export const nextPlace: Readonly<Record<Place, Place>> = { none: 'in', in: 'out', out: 'none' };

/** Adds the values to the filter of the same kind. */
export function withFilter(filters: readonly AskedFilter[], added: AskedFilter): readonly AskedFilter[] {
  const isSame = (one: AskedFilter) => one.dimension === added.dimension && kindOf(one) === kindOf(added);
  const values = [...new Set([...(filters.find(isSame)?.values ?? []), ...added.values])];
  return [...filters.filter((one) => !isSame(one)), { ...added, values }];
}
