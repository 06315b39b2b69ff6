import type { Row } from '../shared/query-answer';

export type Direction = 'ascending' | 'descending';

/** Returns a stably sorted copy in the server's order: numbers by value, text by UTF-8 bytes, null last. */
export function sortRows(rows: readonly Row[], column: number, direction: Direction): readonly Row[] {
  const sign = direction === 'ascending' ? 1 : -1;
  return rows.toSorted((a, b) => {
    const one = a[column] ?? null;
    const other = b[column] ?? null;
    if (one === null || other === null) return Number(one === null) - Number(other === null);
    return sign * compare(one, other);
  });
}

function compare(one: string | number, other: string | number): number {
  if (typeof one === 'number') return typeof other === 'number' ? one - other : -1;
  return typeof other === 'number' ? 1 : compareText(one, other);
}

/** UTF-8 bytes sort in the same order as code points, but JavaScript compares UTF-16 units. */
function compareText(one: string, other: string): number {
  const end = Math.min(one.length, other.length);
  let i = 0;
  while (i < end && one.charCodeAt(i) === other.charCodeAt(i)) i++;
  if (i === end) return one.length - other.length;
  // If the low surrogates differ, compare from the high surrogate before them.
  const start = i > 0 && /[\udc00-\udfff]/.test(one[i] ?? '') ? i - 1 : i;
  return (one.codePointAt(start) ?? 0) - (other.codePointAt(start) ?? 0);
}
