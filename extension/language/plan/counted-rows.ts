// Reads the columnar copy's unique counts instead of rows: chooses the counts that suit a grouping and its filters.
import type { Manifest } from '../../../manifests/reader/manifest';
import { columnsOf } from '../types/columns-of';
import { columnsOfFilter } from '../types/filter-parts';
import { type GroupNode, type PlanCondition, type PlanNode, SITE_FIELD } from '../types/plan';
import type { ScanNode } from '../types/scan-node';
import type { UniqueCounts, UniqueCountsNode } from '../types/unique-counts';
import { rowSteps } from '../types/walk-plan';
import { extended } from './build-nodes';
import type { PassContext } from './pass';
import { definitionOf } from './plan-facts';

const COUNT = 'count';

/** The group with each of its counts replaced by a sum of the counts in `input`. */
export const summed = (group: GroupNode, input: PlanNode): GroupNode => ({
  ...group,
  input,
  aggregates: group.aggregates.map((it) => ({
    ...it,
    function: 'SUM',
    column: COUNT,
    type: 'int',
    within: [],
  })),
});

export interface Grouping extends Pick<UniqueCountsNode, 'periods' | 'start' | 'end'> {
  /** The stored fields among the keys, without the site. */
  readonly fields: readonly string[];
}

interface CountedRows {
  readonly counts: UniqueCounts;
  readonly rows: PlanNode;
}

/**
 * Finds the unique counts with the fewest keys that suit the grouping and the filters of `input`, and returns their rows with
 * the columns `keys`. If there are none, records the reason.
 */
export function countedRows(
  counted: Pick<UniqueCounts, 'value' | 'repeatedIn'>,
  { fields, ...range }: Grouping,
  { input, keys }: Pick<GroupNode, 'input' | 'keys'>,
  { material, siteIds }: ScanNode,
  { manifest, countedUntil, because }: PassContext,
): CountedRows | undefined {
  const { uniqueCounts = [], unique } = manifest.materials.get(material) ?? {};
  const suitable = uniqueCounts.filter(
    ({ value, repeatedIn, by }) =>
      value === counted.value && repeatedIn === counted.repeatedIn && fields.every((it) => by.includes(it)),
  );
  if (suitable.length === 0) return because('The values are not counted in advance by these keys.');
  const fixed = new Set([...fields, ...fixedFields(input, manifest)]);
  for (const one of suitable.toSorted((a, b) => a.by.length - b.by.length)) {
    if (one.value !== unique && !one.by.every((field) => fixed.has(field))) continue;
    const counts = { material, ...one };
    const rows = withSteps(input, keys, { kind: 'unique-counts', counts, siteIds, ...range });
    if (rows === undefined) continue;
    return countedUntil(counts, siteIds) < range.end
      ? because('The columnar copy has not yet counted the values of the whole range.')
      : { counts, rows };
  }
  return because('The values are not counted in advance with this filter.');
}

/** The stored fields that have the same value in all rows that pass the filters. */
const fixedFields = (input: PlanNode, manifest: Manifest): readonly string[] =>
  rowSteps(input).steps.flatMap((step) =>
    step.kind === 'extend' ? [] : step.conditions.flatMap((it) => fixedField(it, step.input, manifest) ?? []),
  );

function fixedField(condition: PlanCondition, input: PlanNode, manifest: Manifest): string | undefined {
  if (!('test' in condition)) return undefined;
  const { column, test } = condition;
  if (test.operator !== 'eq' && !(test.operator === 'in' && test.values.length === 1)) return undefined;
  const value = definitionOf(column, input);
  if (value === undefined) return column;
  if (value.kind === 'column') return value.column;
  const isOneId = value.kind === 'lookup' && manifest.dimensions.get(value.dimension)?.unique === value.field;
  return isOneId && value.bit === null ? value.key : undefined;
}

/** The counts, with the columns computed from them. Undefined if a filter or `keys` has any other column, or a name is ambiguous. */
function withSteps(input: PlanNode, keys: readonly string[], counts: UniqueCountsNode): PlanNode | undefined {
  const periods = counts.periods.map(({ name }) => name);
  const stored = new Set([SITE_FIELD, ...counts.counts.by, ...periods]);
  const known = new Set(stored);
  let rows: PlanNode = counts;
  for (const step of rowSteps(input).steps.toReversed()) {
    if (step.kind === 'filter') {
      if (!columnsOfFilter(step.conditions).every((column) => known.has(column))) return undefined;
      rows = { ...step, input: rows };
    } else {
      const others = step.columns.filter(({ name }) => !periods.includes(name));
      if (others.some(({ name }) => stored.has(name))) return undefined;
      const columns = others.filter(({ value }) => columnsOf(value).every((column) => known.has(column)));
      for (const { name } of others) known.delete(name);
      for (const { name } of columns) known.add(name);
      rows = extended(rows, columns);
    }
  }
  return keys.every((key) => known.has(key)) ? rows : undefined;
}
