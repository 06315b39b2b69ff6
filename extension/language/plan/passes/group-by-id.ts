// Groups rows by id, and looks up text values once per group instead of once per row.

// Proof: a text value is a function of its id, so groups by id are never coarser than groups by text. If the id is one-to-one
// with a kept text column, the groups are the same. Otherwise, a second grouping by text merges them, which works for COUNT,
// SUM, MIN and MAX. For COUNTUNIQUE, the first grouping is also by the counted values, and the second one counts the distinct
// values. This pays off if the first grouping leaves about as many rows as there are sessions.

import type { Manifest } from '../../../../manifests/reader/manifest';
import { columnsOf, columnsOfAggregate, eachOnce } from '../../types/columns-of';
import {
  type ComputedColumn,
  type Expression,
  type GroupNode,
  type Lookup,
  type PlanNode,
  SITE_FIELD,
} from '../../types/plan';
import { isUniqueCount, merged, NEEDS_ROWS, splitAggregates } from '../merge-aggregates';
import type { Pass, PassContext } from '../pass';
import { definitionOf, isSessionConstant } from '../plan-facts';

export const groupById: Pass = {
  name: 'group-by-id',
  rewrites: {
    group(group, context) {
      const late = lookedUp(group.keys, group);
      if (late.length === 0) return valuesById(group, context);
      if (isOneToOne(late, context.manifest)) {
        const byId = { ...group, keys: idsFor(group.keys, late) };
        return { kind: 'extend', input: valuesById(byId, context), columns: late };
      }
      const { unmergeable: values } = splitAggregates(group);
      if (!values.every(isUniqueCount)) return context.because(NEEDS_ROWS);
      return values.length === 0 || isWorthGroupingById(group, context)
        ? mergedByText(group)
        : context.because(
            'Ids share strings, and grouping by all ids and counted values leaves about as many groups as rows.',
          );
    },
  },
};

/** Counts distinct text values by id: the ids become keys of a first grouping. */
function valuesById(group: GroupNode, context: PassContext): PlanNode {
  if (lookedUp(valueColumns(group), group).length === 0) return group;
  const keep = (reason: string): PlanNode => context.because(reason) ?? group;
  if (!splitAggregates(group).unmergeable.every(isUniqueCount)) return keep(NEEDS_ROWS);
  return isWorthGroupingById(group, context)
    ? mergedByText(group)
    : keep('Grouping by all ids and counted values leaves about as many groups as rows.');
}

/** The columns whose distinct values are counted, and the columns that keep equal values apart, such as the site. */
const valueColumns = (group: GroupNode): readonly string[] =>
  eachOnce(splitAggregates(group).unmergeable.flatMap(columnsOfAggregate));

/** Whether also grouping by the counted values leaves far fewer rows. A single text value has few ids anyway. */
function isWorthGroupingById(group: GroupNode, { manifest }: PassContext): boolean {
  const values = valueColumns(group);
  const isOneText = values.length === 1 && lookedUp(values, group).length === 1;
  const texts = lookedUp(group.keys, group).map(({ name }) => name);
  return isSessionConstant(isOneText ? texts : [...group.keys, ...values], group.input, manifest);
}

/** The columns that consist only of looked-up text values. */
const lookedUp = (columns: readonly string[], { input }: GroupNode): readonly ComputedColumn[] =>
  columns.flatMap((name) => {
    const value = definitionOf(name, input);
    return value !== undefined && lookupsOf(value) !== undefined ? [{ name, value }] : [];
  });

/** The lookups that a value consists of. Undefined if it reads anything else. */
function lookupsOf(value: Expression): readonly Lookup[] | undefined {
  if (value.kind === 'lookup') return [value];
  if (value.kind === 'channel')
    return value.numberIn === undefined ? [value.source, value.medium] : undefined;
  if (value.kind !== 'joined-texts') return undefined;
  const parts = value.parts.map(lookupsOf);
  return parts.every((part) => part !== undefined) ? parts.flat() : undefined;
}

/** Replaces text values with their ids, and with the sites that the ids belong to. */
function idsFor(columns: readonly string[], late: readonly ComputedColumn[]): readonly string[] {
  const texts = new Set(late.map(({ name }) => name));
  const read = late.flatMap(({ value }) => columnsOf(value));
  const ids = read.filter((column) => column !== SITE_FIELD);
  const sites = read.filter((column) => column === SITE_FIELD);
  return eachOnce([...columns.filter((column) => !texts.has(column)), ...ids, ...sites]);
}

/** Whether every id is one-to-one with a text column that the groups keep, so grouping by id is grouping by text. */
function isOneToOne(late: readonly ComputedColumn[], manifest: Manifest): boolean {
  const lookups = late.flatMap(({ value }) => lookupsOf(value) ?? []);
  const hasUniqueText = ({ dimension, field, bit, perSite, siteId }: Lookup): boolean =>
    bit === null && manifest.dimensions.get(dimension)?.unique === field && !(perSite && siteId === null);
  const kept = late.flatMap(({ value }) =>
    value.kind === 'lookup' && hasUniqueText(value) ? [value.key] : [],
  );
  return lookups.every(({ key }) => kept.includes(key));
}

/** Groups by ids and counted values, looks up the text values, and merges the groups by text. */
function mergedByText(group: GroupNode): PlanNode {
  const { partials, unmergeable: values } = splitAggregates(group);
  const columns = eachOnce([...group.keys, ...valueColumns(group)]);
  const late = lookedUp(columns, group);
  const byId: PlanNode = { ...group, keys: idsFor(columns, late), aggregates: partials };
  const named: PlanNode = { kind: 'extend', input: byId, columns: late };
  return { ...group, input: named, aggregates: [...partials.map(merged), ...values] };
}
