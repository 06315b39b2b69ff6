// Sorts groups by a number, and looks up text values only for the groups that may pass the limit. The text then breaks ties.

// Proof: the whole order refines the order by the columns before its first text column. So its first rows are among the first rows
// by those columns, if all rows that tie with the last one are included. A lookup neither drops nor multiplies rows, so the whole
// order and the limit above find the same rows. The total is counted below, before any row is dropped.
import { columnsOf } from '../../types/columns-of';
import type { ComputedColumn, LimitNode, PlanNode } from '../../types/plan';
import { rowSteps } from '../../types/walk-plan';
import { extended } from '../build-nodes';
import type { Pass, PassContext } from '../pass';
import { definitionOf, isLookedUp, SORTED_BY_TEXT } from '../plan-facts';

const MAX_ROWS = 10_000;
/** In the columnar copy, looking up this many strings takes less time than planning and computing the rank of each group. */
const FEW_STRINGS = 3_000;

export const topBeforeLookups: Pass = {
  name: 'top-before-lookups',
  rewrites: {
    limit(limit, context) {
      const { because } = context;
      const order = limit.input;
      if (limit.withTies === true || order.kind !== 'order') return undefined;
      const { rows, late } = withoutLookups(order.input);
      const names = new Set(late.map(({ name }) => name));
      const first = order.by.findIndex(({ column }) => names.has(column));
      const reason = first === -1 ? textsBelow(order.input) : whyNot(limit, rows, first, late, context);
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

/** Separates the lookups on top of the rows, if no other column is computed from them. */
function withoutLookups(node: PlanNode): { rows: PlanNode; late: readonly ComputedColumn[] } {
  if (node.kind !== 'extend') return { rows: node, late: [] };
  const nodeLookups = node.columns.filter(isLookedUp);
  const others = node.columns.filter((column) => !isLookedUp(column));
  const below = withoutLookups(node.input);
  const lookedUp = new Set(below.late.map(({ name }) => name));
  const isRead = node.columns.some(({ name, value }) =>
    [name, ...columnsOf(value)].some((column) => lookedUp.has(column)),
  );
  return isRead
    ? { rows: extended(node.input, others), late: nodeLookups }
    : { rows: extended(below.rows, others), late: [...below.late, ...nodeLookups] };
}

function whyNot(
  { count, offset = 0 }: LimitNode,
  rows: PlanNode,
  first: number,
  late: readonly ComputedColumn[],
  context: PassContext,
): string | undefined {
  if (first === 0) return SORTED_BY_TEXT;
  if (count + offset > MAX_ROWS) return `The limit is above ${MAX_ROWS} rows, so few lookups would be saved.`;
  if (!isGrouped(rows)) return 'Rows that are not grouped may all tie on the sort keys.';
  return late.every((column) => hasFewStrings(column, context))
    ? 'There are few groups, so looking up their strings is fast.'
    : undefined;
}

/** A dimension that all sites share has few rows. */
const hasFewStrings = ({ value }: ComputedColumn, { manifest, dimensionRows }: PassContext): boolean =>
  value.kind === 'lookup' &&
  (!value.perSite || dimensionRows(manifest.dimensions.get(value.dimension)?.table ?? '') <= FEW_STRINGS);

/** Why groups by a text column cannot be limited early. */
function textsBelow(group: PlanNode): string | undefined {
  if (group.kind !== 'group') return undefined;
  const isByText = group.keys.some((key) => definitionOf(key, group.input)?.kind === 'lookup');
  return isByText
    ? 'Several ids may have the same text, so their groups are merged before the limit.'
    : undefined;
}

function isGrouped(node: PlanNode): boolean {
  const { base } = rowSteps(node);
  if (base.kind === 'join') return isGrouped(base.left) && isGrouped(base.right);
  return base.kind !== 'scan' && base.kind !== 'number';
}
