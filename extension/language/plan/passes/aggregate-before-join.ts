// Aggregates each side of a join by the join's keys before joining, if the columns of both sides are used only in aggregates.
// This joins a few groups instead of every matching pair of rows.

// Proof: rows of one side with equal keys and equal kept columns match the same rows of the other side, so each of them is
// counted once per matching row. COUNT and SUM are multiplied by the number of those rows. MIN, MAX and distinct values do not
// change. Once the right side is aggregated, a left row matches one row per combination of kept columns. The left side may
// stay ungrouped if it is only counted, which is faster if few of its rows share a key.
import type { Manifest } from '../../../../manifests/reader/manifest';
import { columnsOfAggregate, eachOnce } from '../../types/columns-of';
import {
  type ComputedColumn,
  type GroupNode,
  type JoinedColumn,
  type JoinNode,
  type PlanNode,
  SITE_FIELD,
} from '../../types/plan';
import { countRows, extended } from '../build-nodes';
import {
  isMergeable,
  isScaled,
  isUniqueCount,
  merged,
  NEEDS_ROWS,
  productName,
  splitAggregates,
} from '../merge-aggregates';
import type { Pass } from '../pass';
import { isUnique, KEEPS_BOTH, storedFieldOf } from '../plan-facts';

const LEFT_ROWS = 'left.rows';
const RIGHT_ROWS = 'right.rows';

export const aggregateBeforeJoin: Pass = {
  name: 'aggregate-before-join',
  rewrites: {
    group(group, { manifest, because }) {
      const join = group.input;
      if (join.kind !== 'join') return undefined;
      if (join.mode === 'keep-both') return because(KEEPS_BOTH);
      if (!splitAggregates(group).unmergeable.every(isUniqueCount)) return because(NEEDS_ROWS);
      const parts = group.aggregates.filter(isMergeable);
      if (parts.some(({ column }) => joinedColumn(join, column)?.fill != null))
        return because('An aggregate reads a column with a fill value.');
      const sides = sidesOf(group, join);
      if (isUnique(join.left, sides.left.keys, manifest) || isUnique(join.right, sides.right.keys, manifest))
        return because(
          'The keys of one side are unique, so the join does not multiply the rows of the other side.',
        );
      return keepsLeftRows(join, sides.left, manifest)
        ? aggregateRight(group, join, sides)
        : aggregateBoth(group, join, sides);
    },
  },
};

const joinedColumn = ({ columns }: JoinNode, name: string | null): JoinedColumn | undefined =>
  columns.find((column) => column.name === name);

type Side = Pick<GroupNode, 'keys' | 'aggregates'>;

type Sides = ReturnType<typeof sidesOf>;

/** `kept` lists the right columns that are keys of the groups, or whose distinct values are counted. */
function sidesOf(group: GroupNode, join: JoinNode) {
  const { partials, unmergeable: uniqueCounts } = splitAggregates(group);
  const outer = eachOnce([...group.keys, ...uniqueCounts.flatMap(columnsOfAggregate)]);
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
    uniqueCounts,
  };
}

/** Whether the left side is only counted, and not joined by a dimension's key, which many rows share. */
function keepsLeftRows({ left, on }: JoinNode, { aggregates }: Side, manifest: Manifest): boolean {
  const isKeyOfDimension = ({ left: column }: JoinNode['on'][number]): boolean => {
    const field = storedFieldOf(column, left);
    return field !== SITE_FIELD && [...manifest.materials.values()].some(({ keys }) => keys.has(field));
  };
  return aggregates.every(({ name }) => name === LEFT_ROWS) && !on.some(isKeyOfDimension);
}

/** Aggregates the right side. `rowsWithoutMatch` is the row count to use for a left row without a match. */
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

/** Joins left rows with the aggregates of their right rows. A left row without a match is counted once. */
function aggregateRight(group: GroupNode, join: JoinNode, sides: Sides): PlanNode {
  const sums = sides.partials.map((partial) =>
    partial.column === null ? { ...merged(partial), column: RIGHT_ROWS } : merged(partial),
  );
  return { ...group, input: joinAggregated(join, sides, 1), aggregates: [...sums, ...sides.uniqueCounts] };
}

/** Aggregates both sides, and multiplies the counts and sums of each side by the row counts of the other. */
function aggregateBoth(group: GroupNode, join: JoinNode, sides: Sides): PlanNode {
  const { left, right, partials, uniqueCounts } = sides;
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
  const sums = partials.map((partial) => ({
    ...merged(partial),
    column: isScaled(partial) ? productName(partial) : partial.name,
  }));
  return { ...group, input: extended(joined, products), aggregates: [...sums, ...uniqueCounts] };
}
