// Joins two lists of rows: each left row, in order, with its matches on the right, in their order.
import type { Join } from './query';
import type { Value } from './tables';

/** A row of a material or view: its values, and its site if it belongs to one. */
export interface Row {
  readonly site: number | null;
  readonly values: ReadonlyMap<string, Value>;
}

/** A row of the from side and its match. One of the two is null if the other has no match. */
export type Pair =
  | { readonly left: Row; readonly right: Row | null }
  | { readonly left: null; readonly right: Row };

/** Thrown if a query has so many rows that a test would take too long. */
export class TooMany extends Error {}

const MAX_PAIRS = 4000;

/** The site of a pair is that of its left row or, if there is none, that of its right row. */
export const siteOf = ({ left, right }: Pair): number | null => left?.site ?? right?.site ?? null;

/**
 * Rows match if all keys are equal and, with `withinSite`, also the sites. Null equals nothing or, with `nullsMatch`, only null.
 */
export function joinRows(
  left: readonly Row[],
  right: readonly Row[],
  { on, mode, nullsMatch }: Join,
  withinSite: boolean,
): readonly Pair[] {
  const pairs: Pair[] = [];
  const matched = new Set<Row>();
  for (const row of left) {
    const matches = right.filter(
      (other) =>
        (!withinSite || (row.site !== null && row.site === other.site)) &&
        on.every((key) => {
          const value = row.values.get(key.left) ?? null;
          return (nullsMatch || value !== null) && value === (other.values.get(key.right) ?? null);
        }),
    );
    for (const match of matches) {
      pairs.push({ left: row, right: match });
      matched.add(match);
    }
    if (matches.length === 0 && mode !== 'drop') pairs.push({ left: row, right: null });
    if (pairs.length > MAX_PAIRS) throw new TooMany();
  }
  if (mode !== 'keep-both') return pairs;
  const unmatched = right.filter((row) => !matched.has(row));
  return [...pairs, ...unmatched.map((row) => ({ left: null, right: row }))];
}
