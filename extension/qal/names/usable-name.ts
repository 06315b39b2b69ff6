// Owns the making of an allowed name out of one that is not.

/** Longer names are not repaired: nobody wants the repair, and it would cost time. */
const LONGEST = 64;

/** Letters, digits and "_" of a text; `fallback` when none is left. */
export function usableName(text: string, fallback: string): string {
  const words = text.slice(0, LONGEST).match(/[A-Za-z0-9]+/g) ?? [];
  return words.length === 0 ? fallback : words.join('_');
}
