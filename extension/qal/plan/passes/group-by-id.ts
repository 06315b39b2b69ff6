// Pass: rows are grouped by ids; texts are looked up once per group instead of once per row.

// Proof: a text is a function of its id, so groups by id are never coarser than groups by text. Where the id is
// one-to-one with a kept text, they are the same groups; elsewhere a second grouping by text merges them, which
// COUNT, SUM, MIN, MAX and AVERAGE (sum and count) allow. For COUNTUNIQUE the first grouping is by the counted values as
// well, and the second counts the different ones: worth it where that leaves about as many rows as there are visits.
import type { Manifest } from '../../../../manifests/reader/manifest';
import { columnsOfAggregate, eachOnce } from '../../types/columns-of';
import {
  type Aggregate,
  type ComputedColumn,
  type Expression,
  type GroupNode,
  type PlanNode,
  SITE_FIELD,
} from '../../types/plan';
import { definitionOf } from '../definition-of';
import { mapInputs } from '../map-inputs';
import { isMergeable, merged, partialsOf, withRatios } from '../merge-aggregates';
import { isOfVisit } from '../of-visit';
import type { PassContext } from '../pass';
import { perSiteIn } from '../per-site';

type Lookup = Extract<Expression, { readonly kind: 'lookup' }>;

export function groupById(node: PlanNode, context: PassContext): PlanNode {
  const mapped = mapInputs(node, (input) => groupById(input, context));
  if (mapped.kind !== 'group') return mapped;
  const late = lookedUp(mapped.keys, mapped);
  if (late.length === 0) return valuesById(mapped, context);
  const keys = byIds(mapped.keys, late, context.manifest);
  if (pinned(late, context.manifest)) {
    return { kind: 'extend', input: valuesById({ ...mapped, keys }, context), columns: late };
  }
  const values = valuesOf(mapped);
  if (values.some((aggregate) => aggregate.function !== 'COUNTUNIQUE')) {
    context.because('Ids share texts, and what is first or last among several of them would be lost.');
    return mapped;
  }
  if (values.length === 0 || isWorthIt(mapped, context)) {
    return mergedByText(mapped, context);
  }
  context.because(
    'Ids share texts, and by all ids and counted values there are about as many groups as rows.',
  );
  return mapped;
}

const valuesOf = ({ aggregates }: GroupNode): readonly Aggregate[] =>
  aggregates.filter((aggregate) => !isMergeable(aggregate));

/** The columns whose different values are counted, with those that tell them apart. */
const valueColumns = (group: GroupNode): readonly string[] =>
  eachOnce(valuesOf(group).flatMap(columnsOfAggregate));

/** Groups of which different texts are counted: their ids become keys of a first grouping. */
function valuesById(group: GroupNode, context: PassContext): PlanNode {
  if (lookedUp(valueColumns(group), group).length === 0) return group;
  if (valuesOf(group).some((aggregate) => aggregate.function !== 'COUNTUNIQUE')) {
    context.because('What is first or last in a group is found by its rows alone.');
    return group;
  }
  if (isWorthIt(group, context)) return mergedByText(group, context);
  context.because('By all ids and counted values there are about as many groups as rows.');
  return group;
}

/** Whether a first grouping by counted values as well leaves clearly fewer rows; ids of one text are few by themselves. */
function isWorthIt(group: GroupNode, { manifest }: PassContext): boolean {
  const values = valueColumns(group);
  const isOneText = values.length === 1 && lookedUp(values, group).length === 1;
  const texts = lookedUp(group.keys, group).map(({ name }) => name);
  return isOfVisit(isOneText ? texts : [...group.keys, ...values], group.input, manifest);
}

/** Those of the columns that are looked up. */
const lookedUp = (columns: readonly string[], { input }: GroupNode): readonly ComputedColumn[] =>
  columns.flatMap((name) => {
    const value = definitionOf(name, input);
    return value !== undefined && lookupsOf(value) !== undefined ? [{ name, value }] : [];
  });

const isOfManySites = (late: readonly ComputedColumn[]): boolean =>
  late.some(({ value }) => lookupsOf(value)?.some(({ siteId }) => siteId === null));

/** The columns with ids, and the sites that ids belong to, in the place of those that are looked up by them. */
function byIds(
  columns: readonly string[],
  late: readonly ComputedColumn[],
  manifest: Manifest,
): readonly string[] {
  const lookups = late.flatMap(({ value }) => lookupsOf(value) ?? []);
  const others = columns.filter((column) => !late.some(({ name }) => name === column));
  return eachOnce([...others, ...idKeys(lookups, manifest, isOfManySites(late))]);
}

/** The look-ups that a value is made of; undefined when it is made of anything else too. */
function lookupsOf(value: Expression): readonly Lookup[] | undefined {
  if (value.kind === 'lookup') return [value];
  if (value.kind !== 'joined-texts') return undefined;
  const parts = value.parts.map(lookupsOf);
  return parts.every((part) => part !== undefined) ? parts.flat() : undefined;
}

function idKeys(lookups: readonly Lookup[], manifest: Manifest, manySites: boolean): readonly string[] {
  const isPerSite = perSiteIn(manifest);
  const site = manySites && lookups.some(({ dimension }) => isPerSite(dimension)) ? [SITE_FIELD] : [];
  return [...lookups.map(({ key }) => key), ...site];
}

/** Whether every id is one-to-one with a text that the groups keep: then groups by id are groups by text. */
function pinned(late: readonly ComputedColumn[], manifest: Manifest): boolean {
  const manySites = isOfManySites(late);
  const isPerSite = perSiteIn(manifest);
  const isOneToOne = (lookup: Lookup): boolean => {
    const { unique } = manifest.dimensions.get(lookup.dimension) ?? {};
    return lookup.bit === null && unique === lookup.field && !(manySites && isPerSite(lookup.dimension));
  };
  const pinnedIds = new Set(
    late.flatMap(({ value }) => (value.kind === 'lookup' && isOneToOne(value) ? [value.key] : [])),
  );
  return late.flatMap(({ value }) => lookupsOf(value) ?? []).every(({ key }) => pinnedIds.has(key));
}

/** Group by ids and counted values with partial aggregates, look the texts up, group by text with the partials merged. */
function mergedByText(group: GroupNode, { manifest }: PassContext): PlanNode {
  const columns = eachOnce([...group.keys, ...valueColumns(group)]);
  const late = lookedUp(columns, group);
  const keys = byIds(columns, late, manifest);
  const partials = group.aggregates.filter(isMergeable).flatMap(partialsOf);
  const byId: PlanNode = { ...group, keys, aggregates: partials };
  const byText: PlanNode = {
    kind: 'group',
    input: { kind: 'extend', input: byId, columns: late },
    keys: group.keys,
    aggregates: [...partials.map(merged), ...valuesOf(group)],
  };
  return withRatios(byText, group.aggregates);
}
