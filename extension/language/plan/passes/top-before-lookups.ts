// Sorts groups by a number, and looks up texts only for those that may pass the cut; the texts then break ties.

// Proof: the whole order refines the order by the columns before its first text. So its first rows are among the first rows
// by those columns, including all that tie with the last of them. A look-up neither drops nor multiplies rows, so the whole
// order and the cut above find the same rows. The total is counted below, before any row is dropped.
import { columnsOf } from '../../types/columns-of';
import type { ComputedColumn, LimitNode, PlanNode } from '../../types/plan';
import { rowSteps } from '../../types/walk-plan';
import { extended } from '../build-nodes';
import type { Pass } from '../pass';
import { definitionOf, isLookedUp } from '../plan-facts';

/** A greater cut leaves too few rows without texts. */
const MOST = 10_000;

export const topBeforeLookups: Pass = {
  name: 'top-before-lookups',
  rewrites: {
    limit(limit, { because }) {
      const order = limit.input;
      if (limit.withTies === true || order.kind !== 'order') return undefined;
      const { rows, late } = withoutLookups(order.input);
      const names = new Set(late.map(({ name }) => name));
      const first = order.by.findIndex(({ column }) => names.has(column));
      const reason = first === -1 ? textsBelow(order.input) : (whyNot(limit, rows, first) ?? fewGroups(late));
      if (reason !== undefined) return because(reason);
      if (first === -1) return undefined;
      const { offset = 0, ...cut } = limit;
      const top: PlanNode = {
        ...cut,
        count: cut.count + offset,
        input: { kind: 'order', input: rows, by: order.by.slice(0, first) },
        withTies: true,
      };
      return { ...limit, input: { ...order, input: extended(top, late) }, countAs: null };
    },
  },
};

interface Split {
  readonly rows: PlanNode;
  readonly late: readonly ComputedColumn[];
}

/** Separates the look-ups on top of the rows, if nothing else is computed from them. */
function withoutLookups(node: PlanNode): Split {
  if (node.kind !== 'extend') return { rows: node, late: [] };
  const own = node.columns.filter(isLookedUp);
  const others = node.columns.filter((column) => !isLookedUp(column));
  const below = withoutLookups(node.input);
  const lookedUp = new Set(below.late.map(({ name }) => name));
  const isRead = node.columns.some(({ name, value }) =>
    [name, ...columnsOf(value)].some((column) => lookedUp.has(column)),
  );
  return isRead
    ? { rows: extended(node.input, others), late: own }
    : { rows: extended(below.rows, others), late: [...below.late, ...own] };
}

function whyNot({ count, offset = 0 }: LimitNode, rows: PlanNode, first: number): string | undefined {
  if (first === 0) return 'The rows are sorted by a text, which must be known of all of them.';
  if (count + offset > MOST)
    return `The cut is at more than ${MOST} rows, which leaves few without their texts.`;
  return isGrouped(rows) ? undefined : 'Rows that are not grouped may all tie in what they are sorted by.';
}

/** Why groups keyed by a text cannot be cut early: several ids may share the text. */
function textsBelow(group: PlanNode): string | undefined {
  if (group.kind !== 'group') return undefined;
  const isByText = group.keys.some((key) => definitionOf(key, group.input)?.kind === 'lookup');
  return isByText ? 'Several ids may have the same text: their groups are merged before the cut.' : undefined;
}

/** A dimension that all sites share has few rows. */
function fewGroups(late: readonly ComputedColumn[]): string | undefined {
  const isShared = late.every(({ value }) => value.kind === 'lookup' && !value.perSite);
  return isShared ? 'There are few groups, so looking up their texts takes no time.' : undefined;
}

function isGrouped(node: PlanNode): boolean {
  const { base } = rowSteps(node);
  if (base.kind === 'join') return isGrouped(base.left) && isGrouped(base.right);
  return base.kind !== 'scan' && base.kind !== 'number';
}
