// Owns the small phrases that several entries of the error table share.

/** A received value as JSON, shortened for a sentence (the query itself is never shortened). */
export function quote(value: unknown): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(value);
  return text.length > 120 ? `${text.slice(0, 117)}...` : text;
}

/** `a, b and c`. */
export function list(items: readonly string[]): string {
  if (items.length === 0) return 'none';
  if (items.length === 1) return items.join('');
  return `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`;
}

/** What takes the place of a column that only another contract has. */
export type Instead =
  | { readonly by: 'division'; readonly dividend: string; readonly divisor: string }
  | { readonly by: 'days'; readonly columns: readonly string[]; readonly day: 'first' | 'last' }
  | { readonly by: 'view'; readonly name: string; readonly expression: string };

export function wordInstead(instead: Instead): string {
  switch (instead.by) {
    case 'division':
      return `Calculate ${quote(instead.dividend)} and ${quote(instead.divisor)}, and divide the one by the other.`;
    case 'days':
      return `Keep ${list(instead.columns.map(quote))}: the row of the ${instead.day} day has it.`;
    case 'view':
      return `Calculate "${instead.name}": "${instead.expression}" in an earlier view, and read it from there.`;
  }
}

/** "Did you mean ...?" when there is a near name. */
export function didYouMean(nearest: string | undefined): string | undefined {
  return nearest === undefined ? undefined : `Did you mean "${nearest}"?`;
}
