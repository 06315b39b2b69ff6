// Finds the name that a misspelled one probably means.

/** Longer texts match no name, so they are not compared. */
const LONGEST = 64;

/** The nearest of `names` if the difference can be a typo, ignoring letter case; otherwise undefined. */
export function nearest(wanted: string, names: Iterable<string>): string | undefined {
  if (wanted.length > LONGEST) return undefined;
  const folded = wanted.toLowerCase();
  const most = Math.max(2, Math.floor(wanted.length / 3));
  const near = [...names].flatMap((name) => {
    const slips = slipsBetween(folded, name.toLowerCase(), most);
    return slips > most ? [] : [{ name, slips }];
  });
  const [best] = near.sort((a, b) => a.slips - b.slips);
  if (best === undefined || wanted.length >= 4 || best.slips < 2) return best?.name;
  // Two typos turn a short word into another one, unless only one name has the same beginning.
  const alike = near.filter(({ name }) => name.length > 2 && name.toLowerCase().startsWith(folded.charAt(0)));
  return wanted.length === 3 && alike.length === 1 ? alike[0]?.name : undefined;
}

/**
 * The number of letters that are missing, added, replaced, or swapped with their neighbour (optimal string alignment).
 * Any number above `most` means more than `most`.
 */
export function slipsBetween(a: string, b: string, most: number): number {
  if (Math.abs(a.length - b.length) > most) return most + 1;
  let before: number[] = [];
  let above = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const [inA, inB] = [a[row - 1], b[column - 1]];
      const replaced = (above[column - 1] ?? 0) + (inA === inB ? 0 : 1);
      let slips = Math.min(replaced, (above[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1);
      if (inA === b[column - 2] && inB === a[row - 2]) slips = Math.min(slips, (before[column - 2] ?? 0) + 1);
      current.push(slips);
    }
    [before, above] = [above, current];
  }
  return above[b.length] ?? 0;
}
