// Owns the search for the name that was probably meant.
import { distance } from 'fastest-levenshtein';

/** Longer than any name of ours; comparing it would only cost time. */
const LONGEST = 64;

/** The nearest of `names` when it is near enough to be a slip of the keys, else undefined. */
export function nearest(wanted: string, names: Iterable<string>): string | undefined {
  if (wanted.length > LONGEST) return undefined;
  const folded = wanted.toLowerCase();
  let best: string | undefined;
  // Two slips in a word of four letters or more; in a shorter one, two would be another word.
  let bestDistance = Math.max(wanted.length < 4 ? 1 : 2, Math.floor(wanted.length / 3)) + 1;
  for (const name of names) {
    const gap = distance(folded, name.toLowerCase());
    if (gap < bestDistance) [best, bestDistance] = [name, gap];
  }
  return best;
}
