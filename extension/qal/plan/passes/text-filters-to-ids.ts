// Pass: a filter on a looked-up text becomes one on the id: the ids of that text are found once, not a text for each row.

// Proof: a looked-up value is that of the one entry that the key opens, so it passes a test just when the key is among
// the keys of the entries that do. A missing value passes neq and is-null alone: neq keeps all rows but those whose key
// opens an equal text, and is-null keeps its look-up. Look-ups that no condition reads any more go above the filter.
import type { Manifest } from '../../../../manifests/reader/manifest';
import { columnsOf } from '../../types/columns-of';
import type { DimensionFilter } from '../../types/dimension-filter';
import type { Expression, ExtendNode, FilterNode, PlanCondition, PlanNode } from '../../types/plan';
import { SITE_FIELD } from '../../types/plan';
import { definitionOf } from '../definition-of';
import { mapInputs } from '../map-inputs';
import type { PassContext } from '../pass';
import { perSiteIn } from '../per-site';
import { paysToLookThrough, scanBelow } from '../scan-below';

type Lookup = Extract<Expression, { readonly kind: 'lookup' }>;

export function textFiltersToIds(node: PlanNode, context: PassContext): PlanNode {
  return rewritten(node, context, false);
}

/** `isWhole`: all rows are read anyway, since they are grouped and not cut. */
function rewritten(node: PlanNode, context: PassContext, isWhole: boolean): PlanNode {
  const below = node.kind === 'group' || (isWhole && node.kind !== 'limit');
  const mapped = mapInputs(node, (input) => rewritten(input, context, below));
  if (mapped.kind === 'extend') return mapped === node ? node : joinedExtends(mapped, context);
  if (mapped.kind !== 'filter') return mapped;
  const entries = new Map<PlanCondition, DimensionFilter>();
  for (const condition of mapped.conditions) {
    const entry = entryOf(condition, mapped.input, context, isWhole);
    if (entry !== undefined) entries.set(condition, entry);
  }
  if (entries.size === 0) return mapped;
  const conditions = mapped.conditions.filter((condition) => !entries.has(condition));
  return lookedUpAbove({ ...mapped, conditions, entries: [...entries.values()] });
}

/** The filter without look-ups that it does not read below it. */
function lookedUpAbove(filter: FilterNode): PlanNode {
  const { input, conditions } = filter;
  if (input.kind !== 'extend') return filter;
  const read = new Set(conditions.map(({ column }) => column));
  const late = input.columns.filter(({ name, value }) => value.kind === 'lookup' && !read.has(name));
  if (late.length === 0) return filter;
  const early = input.columns.filter((column) => !late.includes(column));
  const rows = early.length === 0 ? input.input : { ...input, columns: early };
  return { kind: 'extend', input: { ...filter, input: rows }, columns: late };
}

/** One node instead of two, so that a cut above finds all look-ups in it. */
function joinedExtends(outer: ExtendNode, { manifest }: PassContext): PlanNode {
  const inner = outer.input;
  if (inner.kind !== 'extend') return outer;
  const isPerSite = perSiteIn(manifest);
  const known = new Set(inner.columns.map(({ name }) => name));
  const isApart = outer.columns.every(
    ({ name, value }) => !known.has(name) && !columnsOf(value, isPerSite).some((read) => known.has(read)),
  );
  return isApart ? { ...outer, input: inner.input, columns: [...inner.columns, ...outer.columns] } : outer;
}

function entryOf(
  { column, type, test }: PlanCondition,
  input: PlanNode,
  { manifest, because }: PassContext,
  isWhole: boolean,
): DimensionFilter | undefined {
  const lookup = definitionOf(column, input);
  if (lookup?.kind !== 'lookup') return undefined;
  if (isMadeAbove(lookup.key, input) || isMadeAbove(SITE_FIELD, input)) {
    because('Another column has the name of the id, or of the site.');
    return undefined;
  }
  const { dimension, key, field, bit } = lookup;
  const siteIds = sitesOf(lookup, input, manifest);
  const found = type === 'text' ? foundBy(lookup, manifest) : undefined;
  const except = test.operator === 'neq';
  const entry = { key, dimension, field, bit, type, except, siteIds: siteIds ?? [] };
  if (test.operator === 'is-null' || (except && found === undefined)) {
    because('Rows without a value pass is-null and neq, so the value of each row must be looked up.');
  } else if (siteIds === undefined || (except && siteIds.length > 1)) {
    because('An id is another one on each of the sites.');
  } else if (found !== undefined && test.operator === 'neq') {
    return { ...entry, test: { operator: 'eq', value: test.value }, found };
  } else if (found !== undefined && test.operator === 'in') {
    const [first, ...others] = test.values;
    if (first === undefined || others.length > 0) return { ...entry, test, found: 'few' };
    return { ...entry, test: { operator: 'eq', value: first }, found };
  } else if (found !== undefined && test.operator === 'eq') {
    return { ...entry, test, found };
  } else if (siteIds.length > 1) {
    because('An id is another one on each of the sites.');
  } else if (!isWhole) {
    because('A list is read in its order up to its cut, for which the texts of its rows are looked up.');
  } else if (!paysToLookThrough(key, input)) {
    because(
      'Which ids pass is known only after looking through the dimension: that pays over a long range, where rows are found by the id.',
    );
  } else {
    return { ...entry, test, found: 'any' };
  }
  return undefined;
}

/** Whether entries are found by this very text, and how many have it. */
function foundBy({ dimension, field }: Lookup, manifest: Manifest): 'one' | 'few' | undefined {
  const { unique, fields = [] } = manifest.dimensions.get(dimension) ?? {};
  if (unique === field) return 'one';
  // Visitors to whom the site gave the same id are entries of their own.
  return unique === undefined && fields.length === 1 && fields[0] === field ? 'few' : undefined;
}

/** The sites whose ids a key may be; undefined where the rows are of several, and it is not known which. */
function sitesOf(
  { dimension, siteId }: Lookup,
  input: PlanNode,
  manifest: Manifest,
): readonly number[] | undefined {
  if (manifest.dimensions.get(dimension)?.scope === 'shared') return [];
  return siteId === null ? scanBelow(input)?.siteIds : [siteId];
}

/** Whether a name of a stored field is that of another column here. */
function isMadeAbove(name: string, node: PlanNode): boolean {
  if (node.kind === 'filter') return isMadeAbove(name, node.input);
  if (node.kind !== 'extend' && node.kind !== 'join') return false;
  const isMade = node.columns.some((column) => column.name === name);
  return isMade || isMadeAbove(name, node.kind === 'join' ? node.left : node.input);
}
