// Turns a filter on a looked-up text value into a filter on its id: finds the ids once, instead of looking up each row's text.

// Proof: a looked-up value comes from the only dimension row with the key, so it passes a test if and only if the key belongs
// to one of the dimension rows that pass. A missing value passes only is-null and the negated tests: neq and not_... keep
// all rows except those whose key has matching text, and is-null keeps its lookup. Lookups that no condition reads move
// above the filter.
import type { Manifest } from '../../../../manifests/reader/manifest';
import { DAY_SECONDS } from '../../time/calendar';
import { columnsOf } from '../../types/columns-of';
import { columnsOfFilter } from '../../types/filter-parts';
import { NEGATED } from '../../types/parsed-query';
import {
  type DimensionFilter,
  type ExtendNode,
  type FilterNode,
  type Lookup,
  type PlanCondition,
  type PlanNode,
  SITE_FIELD,
} from '../../types/plan';
import type { ResolvedTest } from '../../types/resolved-query';
import type { ScanNode } from '../../types/scan-node';
import { withoutColumns } from '../build-nodes';
import type { Pass, PassContext } from '../pass';
import { definitionOf, scanBelow } from '../plan-facts';

export const textFiltersToIds: Pass = {
  name: 'text-filters-to-ids',
  only: 'rows',
  requiresOneMachine: true,
  rewrites: {
    filter(filter, context, above) {
      const conditions: PlanCondition[] = [];
      const dimensionFilters: DimensionFilter[] = [];
      for (const condition of filter.conditions) {
        const found = dimensionFilterOf(condition, filter.input, readsAllRows(above), context);
        if (found === undefined) conditions.push(condition);
        else dimensionFilters.push(found);
      }
      if (dimensionFilters.length === 0) return undefined;
      return lookedUpAbove({ ...filter, conditions, dimensionFilters });
    },
    extend: mergeExtends,
  },
};

/** Whether all rows are read anyway, because they are grouped before any limit. */
const readsAllRows = (above: readonly PlanNode[]): boolean =>
  above.findLast(({ kind }) => kind === 'group' || kind === 'limit')?.kind === 'group';

/** Moves lookups above the filter if it does not read them. */
function lookedUpAbove(filter: FilterNode): PlanNode {
  const { input, conditions } = filter;
  if (input.kind !== 'extend') return filter;
  const read = new Set(columnsOfFilter(conditions));
  const late = input.columns.filter(({ name, value }) => value.kind === 'lookup' && !read.has(name));
  if (late.length === 0) return filter;
  return { kind: 'extend', input: { ...filter, input: withoutColumns(input, late) }, columns: late };
}

/** Merges lookups above a filter with the columns above them, where the limit passes find them. */
function mergeExtends(outer: ExtendNode): PlanNode | undefined {
  const inner = outer.input;
  if (inner.kind !== 'extend' || inner.input.kind !== 'filter' || !inner.input.dimensionFilters)
    return undefined;
  const known = new Set(inner.columns.map(({ name }) => name));
  const isIndependent = outer.columns.every(
    ({ name, value }) => ![name, ...columnsOf(value)].some((column) => known.has(column)),
  );
  return isIndependent
    ? { ...outer, input: inner.input, columns: [...inner.columns, ...outer.columns] }
    : undefined;
}

const PER_SITE = 'Each site has different ids for the same text.';

function dimensionFilterOf(
  condition: PlanCondition,
  input: PlanNode,
  isWhole: boolean,
  { manifest, because }: PassContext,
): DimensionFilter | undefined {
  if (!('test' in condition)) return undefined;
  const { column, type } = condition;
  const lookup = definitionOf(column, input);
  if (lookup?.kind !== 'lookup') return undefined;
  const { dimension, key, field, bit } = lookup;
  if (isRedefined(key, input) || isRedefined(SITE_FIELD, input))
    return because('Another column has the same name as the id or the site.');
  const siteIds = sitesOf(lookup, input);
  const found = type === 'text' ? foundBy(lookup, manifest) : undefined;
  const { test, except } = positiveOf(condition.test);
  if (test.operator === 'is-null' || (except && found === undefined))
    return because(
      'Rows without a value pass is-null, neq and not_..., so the value of each row must be looked up.',
    );
  if (siteIds === undefined || (except && siteIds.length > 1)) return because(PER_SITE);
  const base = { key, dimension, field, bit, type, except, siteIds };
  if (found !== undefined && test.operator === 'eq') return { ...base, test, found };
  if (found !== undefined && test.operator === 'in') {
    const [first, ...others] = test.values;
    return first === undefined || others.length > 0
      ? { ...base, test, found: 'few' }
      : { ...base, test: { operator: 'eq', value: first }, found };
  }
  if (siteIds.length > 1) return because(PER_SITE);
  if (!isWhole) return because('A list is read in order up to its limit, with the text of each row.');
  if (!isWorthReadingDimension(key, input))
    return because(
      'Finding the ids requires reading the whole dimension, which pays off only over a long range with an index on the id.',
    );
  return { ...base, test, found: 'any' };
}

/** Returns the opposite of a negated test. Any other test is returned unchanged. */
function positiveOf(test: ResolvedTest): { readonly test: ResolvedTest; readonly except: boolean } {
  if ('value' in test) {
    const operator = NEGATED[test.operator];
    if (operator !== null) return { test: { ...test, operator }, except: true };
  } else if ('values' in test) {
    const operator = NEGATED[test.operator];
    if (operator !== null) return { test: { ...test, operator }, except: true };
  }
  return { test, except: false };
}

/** How many dimension rows an index finds for a given text value. Undefined if there is no index. */
function foundBy({ dimension, field }: Lookup, manifest: Manifest): 'one' | 'few' | undefined {
  const { unique, fields = [] } = manifest.dimensions.get(dimension) ?? {};
  if (unique === field) return 'one';
  // The site may have assigned the same id to several visitors.
  return unique === undefined && fields.length === 1 && fields[0] === field ? 'few' : undefined;
}

/** The sites whose ids the key may have. Empty for a shared dimension, undefined if unknown. */
function sitesOf({ perSite, siteId }: Lookup, input: PlanNode): readonly number[] | undefined {
  if (!perSite) return [];
  return siteId === null ? scanBelow(input)?.siteIds : [siteId];
}

/** Whether a computed or joined column has the same name as a stored field. */
function isRedefined(name: string, node: PlanNode): boolean {
  if (node.kind === 'filter') return isRedefined(name, node.input);
  if (node.kind !== 'extend' && node.kind !== 'join') return false;
  const isHere = node.columns.some((column) => column.name === name);
  return isHere || isRedefined(name, node.kind === 'join' ? node.left : node.input);
}

/** For each material, the id whose index returns rows in chronological order. */
const FOUND_BY: ReadonlyMap<string, string> = new Map([
  ['allpv', 'page_id'],
  ['click_event', 'selector_id'],
  ['datalayer_event', 'event_name_id'],
  ['gsc', 'page_id'],
]);

/** A range of at least this many days has so many more rows than ids that finding the rows for each id is faster. */
const LONG_DAYS = 60;

/**
 * Whether to read a whole dimension for its ids and then find the rows for each id. With many ids and few rows, this takes longer than
 * looking up every row, but the extra time is at most twice the time to read the dimension.
 */
function isWorthReadingDimension(key: string, rows: PlanNode): boolean {
  const scan = scanBelow(rows);
  return scan !== undefined && FOUND_BY.get(scan.material) === key && daysOf(scan) >= LONG_DAYS;
}

function daysOf({ bounds }: ScanNode): number {
  switch (bounds.kind) {
    case 'range':
      return (bounds.end - bounds.start) / DAY_SECONDS;
    case 'days':
      return (Date.parse(bounds.end) - Date.parse(bounds.first)) / 1000 / DAY_SECONDS;
    case 'always':
      return Number.POSITIVE_INFINITY;
    case 'period':
      return 0;
  }
}
