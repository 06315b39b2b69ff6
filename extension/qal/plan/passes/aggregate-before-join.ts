// Pass: where both sides of a join are only aggregated, each is aggregated by the join's keys first, and the few rows
// of both are joined instead of every row with every other.

import type {
  Aggregate,
  ComputedColumn,
  GroupNode,
  JoinedColumn,
  JoinNode,
  PlanNode,
} from '../../types/plan';
import { isUnique } from '../is-unique';
import { mapInputs } from '../map-inputs';
import { isMergeable, merged, partialsOf, ratiosOf } from '../merge-aggregates';
import type { PassContext } from '../pass';

const LEFT_ROWS = 'left.rows';
const RIGHT_ROWS = 'right.rows';

export function aggregateBeforeJoin(node: PlanNode, context: PassContext): PlanNode {
  const { manifest } = context;
  const mapped = mapInputs(node, (input) => aggregateBeforeJoin(input, context));
  if (mapped.kind !== 'group' || mapped.input.kind !== 'join') return mapped;
  const join = mapped.input;
  if (!mapped.aggregates.every((aggregate) => isMergeable(aggregate) || isUniqueCount(aggregate)))
    return mapped;
  const parts = mapped.aggregates.filter(isMergeable);
  if (parts.some(({ column }) => joinedColumn(join, column)?.fill != null)) return mapped;
  const sides = sidesOf(mapped, join);
  const pays =
    !isUnique(join.left, sides.left.keys, manifest) && !isUnique(join.right, sides.right.keys, manifest);
  return pays ? joinedGroups(mapped, join, sides) : mapped;
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
  const counted = aggregates
    .filter(isUniqueCount)
    .flatMap(({ column, within }) => (column === null ? within : [column, ...within]));
  const outer = unique([...keys, ...counted]);
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
      keys: unique([...leftKeys, ...join.on.map((pair) => pair.left)]),
      aggregates: [...ofLeft, rows(LEFT_ROWS)],
    },
    right: {
      keys: unique([...kept.map(({ column }) => column), ...join.on.map((pair) => pair.right)]),
      aggregates: [...ofRight, rows(RIGHT_ROWS)],
    },
    kept,
  };
}

const unique = (names: readonly string[]): readonly string[] => [...new Set(names)];

const rows = (name: string): Aggregate => ({
  name,
  function: 'COUNT',
  column: null,
  type: 'int',
  within: [],
});

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
  const ratios = ratiosOf(group.aggregates);
  return ratios.length === 0 ? outer : { kind: 'extend', input: outer, columns: ratios };
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
