// Pass: of groups sorted by a number, only those that may be above the cut get their texts, which then break the ties.

// Proof: the whole order refines the order by the columns before the first text, so the first rows of it are among the
// first ones by those columns with all that are equal to the last of them. A look-up neither drops nor multiplies rows:
// the whole order and the cut above find the same rows. Rows before the cut are counted before any of them goes.
import type { Manifest } from '../../../../manifests/reader/manifest';
import { columnsOf } from '../../types/columns-of';
import type { ComputedColumn, LimitNode, PlanNode } from '../../types/plan';
import { definitionOf } from '../definition-of';
import { mapInputs } from '../map-inputs';
import type { PassContext } from '../pass';
import { perSiteIn } from '../per-site';

/** A cut at more rows than this leaves too few without texts. */
const MOST = 10_000;

export function topBeforeLookups(node: PlanNode, context: PassContext): PlanNode {
  const mapped = mapInputs(node, (input) => topBeforeLookups(input, context));
  if (mapped.kind !== 'limit' || mapped.withTies === true || mapped.input.kind !== 'order') return mapped;
  const { by, input } = mapped.input;
  const { rows, late } = withoutLookups(input, context);
  const names = new Set(late.map(({ name }) => name));
  const first = by.findIndex(({ column }) => names.has(column));
  const reason =
    first === -1 ? textsBelow(mapped) : (whyNot(mapped, rows, first) ?? fewGroups(late, context.manifest));
  if (reason !== undefined) context.because(reason);
  if (first === -1 || reason !== undefined) return mapped;
  const top: PlanNode = {
    ...mapped,
    input: { kind: 'order', input: rows, by: by.slice(0, first) },
    withTies: true,
  };
  const lookedUp: PlanNode = { kind: 'extend', input: top, columns: late };
  return { ...mapped, input: { ...mapped.input, input: lookedUp }, countAs: null };
}

interface Split {
  readonly rows: PlanNode;
  readonly late: readonly ComputedColumn[];
}

/** The rows without the look-ups above them, as far as nothing else is computed of these. */
function withoutLookups(node: PlanNode, context: PassContext): Split {
  if (node.kind !== 'extend') return { rows: node, late: [] };
  const own = node.columns.filter(({ value }) => value.kind === 'lookup' || value.kind === 'joined-texts');
  const others = node.columns.filter((column) => !own.includes(column));
  const below = withoutLookups(node.input, context);
  const looked = new Set(below.late.map(({ name }) => name));
  const isPerSite = perSiteIn(context.manifest);
  const isRead = node.columns.some(
    ({ name, value }) => looked.has(name) || columnsOf(value, isPerSite).some((read) => looked.has(read)),
  );
  const input = isRead ? node.input : below.rows;
  return {
    rows: others.length === 0 ? input : { ...node, input, columns: others },
    late: isRead ? own : [...below.late, ...own],
  };
}

function whyNot({ count }: LimitNode, rows: PlanNode, first: number): string | undefined {
  if (first === 0) return 'The rows are sorted by a text, which must be known of all of them.';
  if (count > MOST) return `The cut is at more than ${MOST} rows, which leaves few without their texts.`;
  return isGrouped(rows)
    ? undefined
    : 'Rows that are not grouped may all be equal in what they are sorted by.';
}

/** Whether the groups are put together by texts, of which several ids may have the same one. */
function textsBelow({ input }: LimitNode): string | undefined {
  if (input.kind !== 'order' || input.input.kind !== 'group') return undefined;
  const group = input.input;
  const isByText = group.keys.some((key) => definitionOf(key, group.input)?.kind === 'lookup');
  return isByText
    ? 'Several ids may have the same text: its groups are put together before the cut.'
    : undefined;
}

/** A dimension that sites share has a handful of entries. */
function fewGroups(late: readonly ComputedColumn[], manifest: Manifest): string | undefined {
  const isShared = late.every(
    ({ value }) => value.kind === 'lookup' && manifest.dimensions.get(value.dimension)?.scope === 'shared',
  );
  return isShared ? 'There are few groups: their texts are soon looked up.' : undefined;
}

function isGrouped(node: PlanNode): boolean {
  if (node.kind === 'extend' || node.kind === 'filter') return isGrouped(node.input);
  if (node.kind === 'join') return isGrouped(node.left) && isGrouped(node.right);
  return node.kind !== 'scan' && node.kind !== 'number';
}
