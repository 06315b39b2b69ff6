// Limits rows before looking up their text values, so that only the remaining rows need lookups.

// Proof: a lookup neither drops nor multiplies rows, and the order reads none of the moved columns, so the same rows pass the limit. The
// order is repeated above the lookups, since a join guarantees no order.
import { withoutColumns } from '../build-nodes';
import type { Pass } from '../pass';
import { isLookedUp, SORTED_BY_TEXT } from '../plan-facts';

export const limitBeforeLookups: Pass = {
  name: 'limit-before-lookups',
  rewrites: {
    limit(limit, { because }) {
      const order = limit.input;
      if (order.kind !== 'order' || order.input.kind !== 'extend') return undefined;
      const sorted = new Set(order.by.map(({ column }) => column));
      const lookups = order.input.columns.filter(isLookedUp);
      const late = lookups.filter(({ name }) => !sorted.has(name));
      if (lookups.length > late.length) because(SORTED_BY_TEXT);
      if (late.length === 0) return undefined;
      const cut = { ...limit, input: { ...order, input: withoutColumns(order.input, late) } };
      return { ...order, input: { kind: 'extend', input: cut, columns: late } };
    },
  },
};
