// Removes a join if one side is not read, and the join neither drops nor multiplies rows of the other side.

// Proof, for rows that are only grouped: (1) With keep-left, every left row stays. It matches at most one row if the right
// side is unique on the join keys. (2) A click or an event belongs to exactly one page view. Joined by that key to all page
// views in the range, it matches that page view or nothing, depending on the page view's time, which is stored with the click
// or event. The tables have no foreign key, because it would be checked for each row. Instead, clicks and events without their page
// view wait in another table, and removing page views also removes or moves their clicks and events. Only SQL from outside the
// program can leave such clicks and events behind; both engines then count them until they are removed.
import type { Manifest } from '../../../../manifests/reader/manifest';
import { columnsOfAggregate, eachOnce } from '../../types/columns-of';
import {
  type ComputedColumn,
  type GroupNode,
  type JoinNode,
  type PlanCondition,
  type PlanNode,
  SITE_FIELD,
} from '../../types/plan';
import type { Pass } from '../pass';
import { isUnique, KEEPS_BOTH, scanBelow, storedFieldOf, wholeScan } from '../plan-facts';

export const dropUnreadJoins: Pass = {
  name: 'drop-unread-joins',
  rewrites: {
    group(group, { manifest, because }) {
      const join = group.input;
      if (join.kind !== 'join') return undefined;
      if (join.mode === 'keep-both') return because(KEEPS_BOTH);
      const read = sidesRead(group, join);
      if (read.left && read.right) return because('Columns of both sides of the join are read.');
      if (join.mode === 'drop') {
        const input = withoutPageViews(join, read, manifest);
        if (input !== undefined) return { ...group, input };
        return because(
          'The join may drop rows, and does not join clicks or events to all page views in the range by their key.',
        );
      }
      const rightKeys = join.on.map((pair) => pair.right);
      return !read.right && isUnique(join.right, rightKeys, manifest)
        ? { ...group, input: join.left }
        : because('The joined side is read, or a row may match several of its rows.');
    },
  },
};

function sidesRead({ keys, aggregates }: GroupNode, { columns }: JoinNode) {
  const ofRight = new Set(columns.map(({ name }) => name));
  const read = [...keys, ...aggregates.flatMap(columnsOfAggregate)];
  return {
    left: read.some((column) => !ofRight.has(column)),
    right: read.some((column) => ofRight.has(column)),
  };
}

/** The clicks or events of the page views in the range, if the page views are not read. */
function withoutPageViews(
  join: JoinNode,
  read: ReturnType<typeof sidesRead>,
  manifest: Manifest,
): PlanNode | undefined {
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

interface Side {
  readonly rows: PlanNode;
  /** The columns that the join compares. */
  readonly keys: readonly string[];
}

/** The children with parents in the range. Undefined unless `parents` are all rows in the range, joined by their key. */
function childrenOf(parents: Side, children: Side, manifest: Manifest): PlanNode | undefined {
  const all = wholeScan(parents.rows);
  const scan = scanBelow(children.rows);
  const parent = scan && manifest.materials.get(scan.material)?.parent;
  if (scan === undefined || parent === undefined || all === undefined) return undefined;
  const { material, siteIds, bounds } = all;
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

function isJoinedBy(key: readonly string[], { rows, keys }: Side): boolean {
  const fields = eachOnce(keys.map((column) => storedFieldOf(column, rows)));
  return fields.length === key.length && fields.every((field) => key.includes(field));
}
