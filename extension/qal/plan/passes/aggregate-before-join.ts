// Pass: where both sides of a join are only aggregated, each is aggregated by the join's keys first, and the few rows
// of both are joined instead of every row with every other.

// Proof: rows of one side with equal keys, and equal kept columns, meet the same rows of the other side. So each of them
// counts as often as the other side has rows: COUNT and SUM are multiplied by that, MIN, MAX and the different values stay.
// With the right side aggregated a left row meets one row for each of its kept columns; where nothing of the left side is
// counted or summed but its rows, it may stay as it is, which is sooner done when few of its rows share a key.
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
import { definitionOf } from '../definition-of';
import { isUnique } from '../is-unique';
import { mapInputs } from '../map-inputs';
import { isMergeable, merged, partialsOf, withRatios } from '../merge-aggregates';
import type { PassContext } from '../pass';

const LEFT_ROWS = 'left.rows';
const RIGHT_ROWS = 'right.rows';

export function aggregateBeforeJoin(node: PlanNode, context: PassContext): PlanNode {
  const { manifest, because } = context;
  const mapped = mapInputs(node, (input) => aggregateBeforeJoin(input, context));
  if (mapped.kind !== 'group' || mapped.input.kind !== 'join') return mapped;
  const join = mapped.input;
  if (!mapped.aggregates.every((aggregate) => isMergeable(aggregate) || isUniqueCount(aggregate))) {
    because('What is first or last in a group is found by its rows alone.');
    return mapped;
  }
  const parts = mapped.aggregates.filter(isMergeable);
  if (parts.some(({ column }) => joinedColumn(join, column)?.fill != null)) {
    because('A value that stands in rows without a match is counted or summed.');
    return mapped;
  }
  const sides = sidesOf(mapped, join);
  if (isUnique(join.left, sides.left.keys, manifest) || isUnique(join.right, sides.right.keys, manifest)) {
    because(
      'The rows of one side have keys of their own, so that the join multiplies the rows of one side alone.',
    );
    return mapped;
  }
  return staysAsItIs(join, sides.left, manifest)
    ? groupsOfJoined(mapped, join, sides)
    : joinedGroups(mapped, join, sides);
}

const isUniqueCount = (aggregate: Aggregate): boolean => aggregate.function === 'COUNTUNIQUE';

const joinedColumn = ({ columns }: JoinNode, name: string | null): JoinedColumn | undefined =>
  columns.find((column) => column.name === name);

interface Side {
  readonly keys: readonly string[];
  readonly aggregates: readonly Aggregate[];
}

interface Sides {
  readonly left: Side;
  readonly right: Side;
  /** What the groups keep of the right side, and what is counted of it. */
  readonly kept: readonly JoinedColumn[];
}

/** What each side is grouped by, and what is computed of it; aggregates of the right side read its own columns. */
function sidesOf({ keys, aggregates }: GroupNode, join: JoinNode): Sides {
  const counted = aggregates.filter(isUniqueCount).flatMap(columnsOfAggregate);
  const outer = eachOnce([...keys, ...counted]);
  const kept = join.columns.filter(({ name }) => outer.includes(name));
  const partials = aggregates.filter(isMergeable).flatMap(partialsOf);
  const ofRight = partials.flatMap((partial) => {
    const joined = joinedColumn(join, partial.column);
    return joined === undefined ? [] : [{ ...partial, column: joined.column }];
  });
  const ofLeft = partials.filter(({ column }) => column !== null && joinedColumn(join, column) === undefined);
  const leftKeys = outer.filter((key) => joinedColumn(join, key) === undefined);
  return {
    left: {
      keys: eachOnce([...leftKeys, ...join.on.map((pair) => pair.left)]),
      aggregates: [...ofLeft, rows(LEFT_ROWS)],
    },
    right: {
      keys: eachOnce([...kept.map(({ column }) => column), ...join.on.map((pair) => pair.right)]),
      aggregates: [...ofRight, rows(RIGHT_ROWS)],
    },
    kept,
  };
}

const rows = (name: string): Aggregate => ({
  name,
  function: 'COUNT',
  column: null,
  type: 'int',
  within: [],
});

/** Whether the left side is only counted, by a key of which no dimension says that many rows share it. */
function staysAsItIs({ left, on }: JoinNode, { aggregates }: Side, manifest: Manifest): boolean {
  const isCounted = aggregates.every(({ name }) => name === LEFT_ROWS);
  const opensDimension = ({ left: column }: JoinNode['on'][number]): boolean => {
    const value = definitionOf(column, left);
    const field = value?.kind === 'column' ? value.column : column;
    return field !== SITE_FIELD && [...manifest.materials.values()].some(({ keys }) => keys.has(field));
  };
  return isCounted && !on.some(opensDimension);
}

/** The left rows with what the right side comes to for each; a left row without a match counts once. */
function groupsOfJoined(group: GroupNode, join: JoinNode, { right, kept }: Sides): PlanNode {
  const joined: JoinNode = {
    ...join,
    right: { kind: 'group', input: join.right, ...right },
    columns: [
      ...kept,
      ...right.aggregates.map(({ name, type }) => ({
        name,
        column: name,
        type,
        fill: name === RIGHT_ROWS ? 1 : null,
      })),
    ],
  };
  const summed = (partial: Aggregate): Aggregate =>
    partial.column === null ? { ...merged(partial), column: RIGHT_ROWS } : merged(partial);
  const partials = group.aggregates.filter(isMergeable).flatMap(partialsOf).map(summed);
  const outer: PlanNode = {
    ...group,
    input: joined,
    aggregates: [...partials, ...group.aggregates.filter(isUniqueCount)],
  };
  return withRatios(outer, group.aggregates);
}

function joinedGroups(group: GroupNode, join: JoinNode, { left, right, kept }: Sides): PlanNode {
  const joined: JoinNode = {
    ...join,
    left: { kind: 'group', input: join.left, ...left },
    right: { kind: 'group', input: join.right, ...right },
    columns: [
      ...kept,
      ...right.aggregates.map(({ name, type }) => ({ name, column: name, type, fill: null })),
    ],
  };
  const partials = group.aggregates.filter(isMergeable).flatMap(partialsOf);
  const ofRight = new Set(right.aggregates.map(({ name }) => name));
  const counted = partials.flatMap((partial) => scaled(partial, ofRight.has(partial.name)));
  const extended: PlanNode =
    counted.length === 0 ? joined : { kind: 'extend', input: joined, columns: counted };
  const products = new Set(counted.map(({ name }) => name));
  const outer: PlanNode = {
    ...group,
    input: extended,
    aggregates: [
      ...partials.map((partial) => ({
        ...merged(partial),
        column: products.has(productOf(partial)) ? productOf(partial) : partial.name,
      })),
      ...group.aggregates.filter(isUniqueCount),
    ],
  };
  return withRatios(outer, group.aggregates);
}

const productOf = ({ name }: Aggregate): string => `${name}:product`;

/** A partial result of one side, times the rows of the other; what is greatest or least needs none of it. */
function scaled(partial: Aggregate, isOfRight: boolean): readonly ComputedColumn[] {
  if (partial.function !== 'COUNT' && partial.function !== 'SUM') return [];
  const factors = isOfRight
    ? { value: LEFT_ROWS, times: partial.name, missing: 0 }
    : { value: partial.column === null ? LEFT_ROWS : partial.name, times: RIGHT_ROWS, missing: 1 };
  return [{ name: productOf(partial), value: { kind: 'product', ...factors } }];
}
