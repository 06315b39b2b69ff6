// Owns the look down to the table that rows are read from, and what is known of finding rows there by an id.
import type { PlanNode, ScanNode } from '../types/plan';

/** The scan whose rows these are, each once at most, below filters and computed columns. */
export function scanBelow(node: PlanNode): ScanNode | undefined {
  if (node.kind === 'scan') return node;
  return node.kind === 'extend' || node.kind === 'filter' ? scanBelow(node.input) : undefined;
}

/** By these ids the rows of a material are found by an index, in the order of time. */
const FOUND_BY: ReadonlyMap<string, string> = new Map([
  ['allpv', 'page_id'],
  ['click_event', 'selector_id'],
  ['datalayer_event', 'event_name_id'],
  ['gsc', 'page_id'],
]);

const DAY = 86_400;
/** From so many days on, the rows in range are so many more than the ids that asking for every id costs less. */
const LONG = 60;

/**
 * Whether to look through a whole dimension for ids, and for the rows of each: many ids of few rows would cost more
 * than the look-up of every row, by twice the dimension at most.
 */
export function paysToLookThrough(key: string, rows: PlanNode): boolean {
  const scan = scanBelow(rows);
  return scan !== undefined && FOUND_BY.get(scan.material) === key && daysOf(scan) >= LONG;
}

function daysOf({ bounds }: ScanNode): number {
  switch (bounds.kind) {
    case 'range':
      return (bounds.end - bounds.start) / DAY;
    case 'days':
      return (Date.parse(bounds.end) - Date.parse(bounds.first)) / 1000 / DAY;
    case 'always':
      return Number.POSITIVE_INFINITY;
    case 'period':
      return 0;
  }
}
