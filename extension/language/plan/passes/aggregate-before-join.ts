// If both sides of a join are only aggregated, aggregates each by the join's keys first, which joins few rows instead of
// every matching pair.

// Proof: rows of one side with equal keys and equal kept columns match the same rows of the other side. So each of them
// counts once per matching row: COUNT and SUM are multiplied by their number; MIN, MAX and distinct values do not change.
// With the right side aggregated, a left row matches one row per combination of kept columns. If only the rows of the left
// side are counted, and nothing of it is summed, it may stay ungrouped, which is faster if few of its rows share a key.
import type { Manifest } from '../../../../manifests/reader/manifest';
import { columnsOfAggregate, eachOnce } from '../../types/columns-of';
import {
  type Aggregate,
  type ComputedColumn,
  type GroupNode,
  type JoinedColumn,
  type JoinNode,
  type PlanNode,
  SITE_FIELD,
} from '../../types/plan';
import { countRows, extended } from '../build-nodes';
import { isMergeable, isUniqueCount, merged, mergedGroup, splitAggregates } from '../merge-aggregates';
import type { Pass } from '../pass';
import { isUnique, storedFieldOf } from '../plan-facts';

const LEFT_ROWS = 'left.rows';
const RIGHT_ROWS = 'right.rows';

export const aggregateBeforeJoin: Pass = {
  name: 'aggregate-before-join',
  rewrites: {
    group(group, { manifest, because }) {
      const join = group.input;
      if (join.kind !== 'join') return undefined;
      if (!splitAggregates(group).unmergeable.every(isUniqueCount))
        return because('FIRST, LAST and PERCENTILE can be computed only from the rows of a group.');
      const parts = group.aggregates.filter(isMergeable);
      if (parts.some(({ column }) => joinedColumn(join, column)?.fill != null))
        return because('A value that stands in rows without a match is counted or summed.');
      const sides = sidesOf(group, join);
      if (isUnique(join.left, sides.left.keys, manifest) || isUnique(join.right, sides.right.keys, manifest))
        return because(
          'The rows of one side have keys of their own, so the join multiplies the rows of one side alone.',
        );
      return keepsLeftRows(join, sides.left, manifest)
        ? aggregateRight(group, join, sides)
        : aggregateBoth(group, join, sides);
    },
  },
};

const joinedColumn = ({ columns }: JoinNode, name: string | null): JoinedColumn | undefined =>
  columns.find((column) => column.name === name);

interface Side {
  readonly keys: readonly string[];
  readonly aggregates: readonly Aggregate[];
}

interface Sides {
  readonly left: Side;
  readonly right: Side;
  /** Right columns that are keys of the groups, or whose distinct values are counted. */
  readonly kept: readonly JoinedColumn[];
  /** The partial aggregates of both sides, under names of the joined rows. */
  readonly partials: readonly Aggregate[];
  readonly values: readonly Aggregate[];
}

/** The keys and aggregates of each side; aggregates of the right side read its original columns. */
function sidesOf(group: GroupNode, join: JoinNode): Sides {
  const { partials, unmergeable: values } = splitAggregates(group);
  const outer = eachOnce([...group.keys, ...values.flatMap(columnsOfAggregate)]);
  const kept = join.columns.filter(({ name }) => outer.includes(name));
  const ofRight = partials.flatMap((partial) => {
    const joined = joinedColumn(join, partial.column);
    return joined === undefined ? [] : [{ ...partial, column: joined.column }];
  });
  const ofLeft = partials.filter(({ column }) => column !== null && joinedColumn(join, column) === undefined);
  const leftKeys = outer.filter((key) => joinedColumn(join, key) === undefined);
  return {
    left: {
      keys: eachOnce([...leftKeys, ...join.on.map((pair) => pair.left)]),
      aggregates: [...ofLeft, countRows(LEFT_ROWS)],
    },
    right: {
      keys: eachOnce([...kept.map(({ column }) => column), ...join.on.map((pair) => pair.right)]),
      aggregates: [...ofRight, countRows(RIGHT_ROWS)],
    },
    kept,
    partials,
    values,
  };
}

/** Whether the left side is only counted, by a key without dimension: many rows share the key of a dimension. */
function keepsLeftRows({ left, on }: JoinNode, { aggregates }: Side, manifest: Manifest): boolean {
  const isKeyOfDimension = ({ left: column }: JoinNode['on'][number]): boolean => {
    const field = storedFieldOf(column, left);
    return field !== SITE_FIELD && [...manifest.materials.values()].some(({ keys }) => keys.has(field));
  };
  return aggregates.every(({ name }) => name === LEFT_ROWS) && !on.some(isKeyOfDimension);
}

/** Aggregates the right side; `rowsWithoutMatch` is the number of right rows for a left row without a match. */
const joinAggregated = (
  join: JoinNode,
  { right, kept }: Sides,
  rowsWithoutMatch: number | null,
): JoinNode => ({
  ...join,
  right: { kind: 'group', input: join.right, ...right },
  columns: [
    ...kept,
    ...right.aggregates.map(({ name, type }) => ({
      name,
      column: name,
      type,
      fill: name === RIGHT_ROWS ? rowsWithoutMatch : null,
    })),
  ],
});

/** Joins left rows with the aggregates of their right rows; a left row without a match counts once. */
function aggregateRight(group: GroupNode, join: JoinNode, sides: Sides): PlanNode {
  const summed = (partial: Aggregate): Aggregate =>
    partial.column === null ? { ...merged(partial), column: RIGHT_ROWS } : merged(partial);
  return mergedGroup(group, joinAggregated(join, sides, 1), [...sides.partials.map(summed), ...sides.values]);
}

/** Aggregates both sides: counts and sums of one side are multiplied by the rows of the other. */
function aggregateBoth(group: GroupNode, join: JoinNode, sides: Sides): PlanNode {
  const { left, right, partials, values } = sides;
  const ofRight = new Set(right.aggregates.map(({ name }) => name));
  const products = partials.filter(isScaled).map((partial): ComputedColumn => {
    const factors = ofRight.has(partial.name)
      ? { value: LEFT_ROWS, times: partial.name, missing: 0 }
      : { value: partial.column === null ? LEFT_ROWS : partial.name, times: RIGHT_ROWS, missing: 1 };
    return { name: productName(partial), value: { kind: 'product', ...factors } };
  });
  const joined: JoinNode = {
    ...joinAggregated(join, sides, null),
    left: { kind: 'group', input: join.left, ...left },
  };
  return mergedGroup(group, extended(joined, products), [
    ...partials.map((partial) => ({
      ...merged(partial),
      column: isScaled(partial) ? productName(partial) : partial.name,
    })),
    ...values,
  ]);
}

/** Repeated rows do not change the least and the greatest value. */
const isScaled = ({ function: fn }: Aggregate): boolean => fn === 'COUNT' || fn === 'SUM';

const productName = ({ name }: Aggregate): string => `${name}:product`;
