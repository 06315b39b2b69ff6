// Pass: a join of whose other side nothing is read is left out, where it can neither drop nor multiply rows.

// Proof, for rows that are only grouped: (1) with keep-left a left row stays whatever it meets, and it meets one row at
// most where the right side is unique on the join's keys. (2) A click or a push belongs to exactly one page view; joined
// to all page views of the range by that key, it meets its own or none, and which of the two its time of the view tells.
import type { Manifest } from '../../../../manifests/reader/manifest';
import { columnsOfAggregate } from '../../types/columns-of';
import type {
  ComputedColumn,
  GroupNode,
  JoinNode,
  PlanCondition,
  PlanNode,
  ScanNode,
} from '../../types/plan';
import { SITE_FIELD } from '../../types/plan';
import { definitionOf } from '../definition-of';
import { isUnique } from '../is-unique';
import { mapInputs } from '../map-inputs';
import type { PassContext } from '../pass';
import { scanBelow } from '../scan-below';

export function dropUnreadJoins(node: PlanNode, context: PassContext): PlanNode {
  const { manifest } = context;
  const mapped = mapInputs(node, (input) => dropUnreadJoins(input, context));
  if (mapped.kind !== 'group' || mapped.input.kind !== 'join') return mapped;
  const join = mapped.input;
  const read = columnsRead(mapped);
  const rows = withoutRight(join, read, manifest) ?? withoutViews(join, read, manifest);
  if (rows !== undefined) return { ...mapped, input: rows };
  context.because(whyKept(join, read));
  return mapped;
}

function whyKept({ columns, mode }: JoinNode, read: ReadonlySet<string>): string {
  const ofRight = new Set(columns.map(({ name }) => name));
  const isOfBoth =
    [...read].some((name) => ofRight.has(name)) && [...read].some((name) => !ofRight.has(name));
  if (isOfBoth) return 'Columns of both sides of the join are read.';
  return mode === 'keep-left'
    ? 'The joined side is read, or a row may meet several of its rows.'
    : 'The join may drop rows, and it is none of clicks or events with all page views of the range by their key.';
}

const columnsRead = ({ keys, aggregates }: GroupNode): ReadonlySet<string> =>
  new Set([...keys, ...aggregates.flatMap(columnsOfAggregate)]);

/** The left rows, when the right ones are never read and each left row stays once. */
function withoutRight(join: JoinNode, read: ReadonlySet<string>, manifest: Manifest): PlanNode | undefined {
  const isUnread = !join.columns.some(({ name }) => read.has(name));
  const meetsOne = isUnique(
    join.right,
    join.on.map((pair) => pair.right),
    manifest,
  );
  return join.mode === 'keep-left' && isUnread && meetsOne ? join.left : undefined;
}

interface Sides {
  /** All page views of the range. */
  readonly views: PlanNode;
  readonly viewKeys: readonly string[];
  /** Clicks or pushes. */
  readonly children: PlanNode;
  readonly childKeys: readonly string[];
}

/** The clicks or pushes of the views in range, when nothing is read of the views. */
function withoutViews(join: JoinNode, read: ReadonlySet<string>, manifest: Manifest): PlanNode | undefined {
  if (join.mode !== 'drop') return undefined;
  const left = join.on.map((pair) => pair.left);
  const right = join.on.map((pair) => pair.right);
  const ofRight = new Set(join.columns.map(({ name }) => name));
  const isRightRead = [...read].some((name) => ofRight.has(name));
  const isLeftRead = [...read].some((name) => !ofRight.has(name));
  const ofLeftViews = { views: join.left, viewKeys: left, children: join.right, childKeys: right };
  const ofRightViews = { views: join.right, viewKeys: right, children: join.left, childKeys: left };
  const fromLeft = isRightRead ? undefined : childrenOfViews(ofRightViews, manifest);
  if (fromLeft !== undefined || isLeftRead) return fromLeft;
  const renamed = join.columns.map(
    ({ name, column }): ComputedColumn => ({ name, value: { kind: 'column', column } }),
  );
  const rows = childrenOfViews(ofLeftViews, manifest);
  return rows && { kind: 'extend', input: rows, columns: renamed };
}

function childrenOfViews(
  { views, viewKeys, children, childKeys }: Sides,
  manifest: Manifest,
): PlanNode | undefined {
  const all = wholeScan(views);
  const scan = scanBelow(children);
  const parent = scan && manifest.materials.get(scan.material)?.parent;
  if (all === undefined || scan === undefined || parent === undefined) return undefined;
  if (parent.material !== all.material || all.bounds.kind !== 'range') return undefined;
  if (all.siteIds.join() !== scan.siteIds.join()) return undefined;
  const wanted = all.siteIds.length === 1 ? [parent.key] : [parent.key, SITE_FIELD];
  const isOnKey = (keys: readonly string[], side: PlanNode) =>
    sameNames(
      keys.map((key) => storedOf(key, side)),
      wanted,
    );
  if (!isOnKey(viewKeys, views) || !isOnKey(childKeys, children)) return undefined;
  const { start, end } = all.bounds;
  const time = { column: parent.time, type: 'datetime' } as const;
  const conditions: readonly PlanCondition[] = [
    { ...time, test: { operator: 'gte', value: start } },
    { ...time, test: { operator: 'lt', value: end } },
  ];
  return { kind: 'filter', input: children, conditions };
}

/** The stored field that a column of a side is. */
function storedOf(column: string, side: PlanNode): string {
  const value = definitionOf(column, side);
  return value?.kind === 'column' ? value.column : column;
}

const sameNames = (left: readonly string[], right: readonly string[]): boolean =>
  [...new Set(left)].sort().join() === [...right].sort().join();

/** The scan of rows none of which is left out. */
function wholeScan(node: PlanNode): ScanNode | undefined {
  if (node.kind === 'extend') return wholeScan(node.input);
  return node.kind === 'scan' ? node : undefined;
}
