// Computes groups of groups directly from the rows, if the outer groups only merge the inner ones.

// Proof: the inner groups partition the rows. The outer groups partition the inner ones by functions of the inner keys, so the
// rows of an outer group are exactly those of its inner groups. A sum of counts is the count of all rows, a sum of sums is
// their sum, and a minimum of minimums is their minimum. A function of a key is the same for every row of the group.
// Conditions between the groupings read only keys, so they keep or drop an inner group as a whole.
import { columnsOf, columnsOfAggregate } from '../../types/columns-of';
import { columnsOfFilter } from '../../types/filter-parts';
import type { Aggregate, ComputedColumn, PlanNode } from '../../types/plan';
import { extended } from '../build-nodes';
import type { Pass, PassContext } from '../pass';

export const mergeGroups: Pass = {
  name: 'merge-groups',
  rewrites: {
    group(group, { because }) {
      const inner = innerGroups(group.input, because);
      if (inner === undefined) return undefined;
      if (group.aggregates.some(({ column }) => column === null))
        return because('The inner groups themselves are counted.');
      const aggregates = group.aggregates.flatMap((aggregate) => overRows(aggregate, inner) ?? []);
      const isSum = aggregates.length === group.aggregates.length;
      if (!isSum || !group.keys.every((key) => inner.ofKeys.has(key)))
        return because('An outer key or aggregate cannot be computed from the rows of the inner groups.');
      return { ...group, input: inner.rows, aggregates };
    },
  },
};

interface InnerGroups {
  /** The rows of the inner groups, with the steps above the groups applied to them. */
  readonly rows: PlanNode;
  /** Functions of the inner keys, which have the same values in the rows. */
  readonly ofKeys: ReadonlySet<string>;
  /** The inner aggregates, under every name that they have in the steps above. */
  readonly aggregates: ReadonlyMap<string, Aggregate>;
  /** The columns that the inner group reads. No other column may have one of these names. */
  readonly read: ReadonlySet<string>;
}

function innerGroups(node: PlanNode, because: PassContext['because']): InnerGroups | undefined {
  switch (node.kind) {
    case 'group': {
      const { input, keys, aggregates } = node;
      return {
        rows: input,
        ofKeys: new Set(keys),
        aggregates: new Map(aggregates.map((aggregate) => [aggregate.name, aggregate])),
        read: new Set([...keys, ...aggregates.flatMap(columnsOfAggregate)]),
      };
    }
    case 'join':
      return (innerGroups(node.left, because) ?? innerGroups(node.right, because)) === undefined
        ? undefined
        : because('The inner groups are joined first.');
    case 'order':
    case 'limit':
      return innerGroups(node.input, because) && because('The inner groups are limited first.');
    case 'extend': {
      const below = innerGroups(node.input, because);
      if (below === undefined) return undefined;
      return node.columns.some(({ name }) => below.read.has(name))
        ? because('A column has the same name as a column that the inner groups read.')
        : withColumns(below, node.columns);
    }
    case 'filter': {
      const below = innerGroups(node.input, because);
      if (below === undefined) return undefined;
      return columnsOfFilter(node.conditions).every((column) => below.ofKeys.has(column))
        ? { ...below, rows: { ...node, input: below.rows } }
        : because('A filter reads an aggregate of the inner groups.');
    }
    case 'fill':
      return because('The periods of the inner groups are filled first.');
    case 'scan':
    case 'unique-counts':
    case 'calendar':
    case 'steps':
    case 'number':
    case 'per-period':
      return undefined;
  }
}

/** Moves functions of keys down and renames aggregates. Other columns become unavailable. */
function withColumns(below: InnerGroups, columns: readonly ComputedColumn[]): InnerGroups {
  const moved = columns.filter(({ value }) => columnsOf(value).every((column) => below.ofKeys.has(column)));
  const names = new Set(columns.map(({ name }) => name));
  const renamed = columns.flatMap(({ name, value }): readonly (readonly [string, Aggregate])[] => {
    const aggregate = value.kind === 'column' ? below.aggregates.get(value.column) : undefined;
    return aggregate === undefined ? [] : [[name, aggregate]];
  });
  return {
    ...below,
    rows: extended(below.rows, moved),
    ofKeys: new Set([
      ...[...below.ofKeys].filter((name) => !names.has(name)),
      ...moved.map(({ name }) => name),
    ]),
    aggregates: new Map([...[...below.aggregates].filter(([name]) => !names.has(name)), ...renamed]),
  };
}

/** The outer aggregate as an aggregate over the rows. Undefined if it does not merge inner aggregates. */
function overRows(outer: Aggregate, { ofKeys, aggregates }: InnerGroups): Aggregate | undefined {
  const { function: fn, column } = outer;
  if (column === null) return undefined;
  if (ofKeys.has(column)) {
    const isSameInAnyRow = fn === 'MIN' || fn === 'MAX' || fn === 'COUNTUNIQUE';
    return isSameInAnyRow && outer.within.every((field) => ofKeys.has(field)) ? outer : undefined;
  }
  const inner = aggregates.get(column);
  if (inner === undefined) return undefined;
  const isSum = fn === 'SUM' && (inner.function === 'SUM' || inner.function === 'COUNT');
  const isExtreme = (fn === 'MIN' || fn === 'MAX') && fn === inner.function;
  return isSum || isExtreme ? { ...inner, name: outer.name } : undefined;
}
