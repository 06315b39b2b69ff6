// Removes a join if nothing is read of one side, and the join can neither drop nor multiply rows of the other.

// Proof, for rows that are only grouped: (1) With keep-left every left row stays, and matches at most one row if the right
// side is unique in the join's keys. (2) A click or an event belongs to exactly one page view. Joined by that key to all page
// views of the range, it matches that one or none, depending on the time of its page view, which it stores.
import type { Manifest } from '../../../../manifests/reader/manifest';
import { columnsOfAggregate } from '../../types/columns-of';
import {
  type ComputedColumn,
  type GroupNode,
  type JoinNode,
  type PlanCondition,
  type PlanNode,
  SITE_FIELD,
} from '../../types/plan';
import { rowSteps } from '../../types/walk-plan';
import type { Pass } from '../pass';
import { isUnique, scanBelow, storedFieldOf } from '../plan-facts';

export const dropUnreadJoins: Pass = {
  name: 'drop-unread-joins',
  rewrites: {
    group(group, { manifest, because }) {
      const join = group.input;
      if (join.kind !== 'join') return undefined;
      const read = sidesRead(group, join);
      const rows =
        join.mode === 'drop' ? withoutViews(join, read, manifest) : withoutRight(join, read, manifest);
      return rows === undefined ? because(whyKept(join, read)) : { ...group, input: rows };
    },
  },
};

interface SidesRead {
  readonly left: boolean;
  readonly right: boolean;
}

function sidesRead({ keys, aggregates }: GroupNode, { columns }: JoinNode): SidesRead {
  const ofRight = new Set(columns.map(({ name }) => name));
  const read = [...keys, ...aggregates.flatMap(columnsOfAggregate)];
  return {
    left: read.some((column) => !ofRight.has(column)),
    right: read.some((column) => ofRight.has(column)),
  };
}

function whyKept({ mode }: JoinNode, { left, right }: SidesRead): string {
  if (left && right) return 'Columns of both sides of the join are read.';
  return mode === 'keep-left'
    ? 'The joined side is read, or a row may meet several of its rows.'
    : 'The join may drop rows, and it does not join clicks or events to all page views of the range by their key.';
}

/** The left rows, if the right ones are not read and each left row stays exactly once. */
function withoutRight({ left, right, on }: JoinNode, read: SidesRead, manifest: Manifest) {
  const rightKeys = on.map((pair) => pair.right);
  return !read.right && isUnique(right, rightKeys, manifest) ? left : undefined;
}

/** The clicks or events of the page views in the range, if the page views are not read. */
function withoutViews(join: JoinNode, read: SidesRead, manifest: Manifest): PlanNode | undefined {
  const left: Side = { rows: join.left, keys: join.on.map((pair) => pair.left) };
  const right: Side = { rows: join.right, keys: join.on.map((pair) => pair.right) };
  const fromLeft = read.right ? undefined : childrenOf(right, left, manifest);
  if (fromLeft !== undefined || read.left) return fromLeft;
  const rows = childrenOf(left, right, manifest);
  const columns = join.columns.map(
    ({ name, column }): ComputedColumn => ({ name, value: { kind: 'column', column } }),
  );
  return rows && { kind: 'extend', input: rows, columns };
}

/** One side of a join with its keys. */
interface Side {
  readonly rows: PlanNode;
  readonly keys: readonly string[];
}

/** The children with parents in the range; undefined unless `parents` are all rows of the range, joined by their key. */
function childrenOf(parents: Side, children: Side, manifest: Manifest): PlanNode | undefined {
  const all = rowSteps(parents.rows);
  const scan = scanBelow(children.rows);
  const parent = scan && manifest.materials.get(scan.material)?.parent;
  if (scan === undefined || parent === undefined) return undefined;
  if (all.base.kind !== 'scan' || all.steps.some(({ kind }) => kind === 'filter')) return undefined;
  const { material, siteIds, bounds } = all.base;
  if (parent.material !== material || bounds.kind !== 'range') return undefined;
  if (siteIds.join() !== scan.siteIds.join()) return undefined;
  const key = siteIds.length === 1 ? [parent.key] : [parent.key, SITE_FIELD];
  if (![parents, children].every((side) => isJoinedBy(key, side))) return undefined;
  const time = { column: parent.time, type: 'datetime' } as const;
  const conditions: readonly PlanCondition[] = [
    { ...time, test: { operator: 'gte', value: bounds.start } },
    { ...time, test: { operator: 'lt', value: bounds.end } },
  ];
  return { kind: 'filter', input: children.rows, conditions };
}

const isJoinedBy = (key: readonly string[], { rows, keys }: Side): boolean =>
  [...new Set(keys.map((column) => storedFieldOf(column, rows)))].sort().join() === [...key].sort().join();
