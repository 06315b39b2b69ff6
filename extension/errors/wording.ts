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

/** "Did you mean ...?" when there is a near name. */
export function didYouMean(nearest: string | undefined): string | undefined {
  return nearest === undefined ? undefined : `Did you mean "${nearest}"?`;
}
