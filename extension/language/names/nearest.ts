/** Longer strings are not compared with names. */
const LONGEST = 64;

/** The most similar of `names`, ignoring letter case, if the difference could be a typo. */
export function nearest(wanted: string, names: Iterable<string>): string | undefined {
  if (wanted.length > LONGEST) return undefined;
  const folded = wanted.toLowerCase();
  const most = Math.max(2, Math.floor(wanted.length / 3));
  const near = [...names].flatMap((name) => {
    const typos = typosBetween(folded, name.toLowerCase(), most);
    return typos > most ? [] : [{ name, typos }];
  });
  const [best] = near.sort((a, b) => a.typos - b.typos);
  if (best === undefined || wanted.length >= 4 || best.typos < 2) return best?.name;
  // Two typos make a short word a different one, unless only one name starts with the same letter.
  const alike = near.filter(({ name }) => name.length > 2 && name.toLowerCase().startsWith(folded.charAt(0)));
  return wanted.length === 3 && alike.length === 1 ? alike[0]?.name : undefined;
}

/**
 * The number of letters that are missing, added, replaced or swapped with their neighbor (optimal string alignment).
 * A result above `most` only means that the number is above `most`.
 */
export function typosBetween(a: string, b: string, most: number): number {
  if (Math.abs(a.length - b.length) > most) return most + 1;
  const tooMany = most + 1;
  const cells = () => Array<number>(b.length + 1).fill(tooMany);
  let [before, above, current] = [cells(), cells(), cells()];
  for (let column = 0; column <= most; column++) above[column] = column;
  for (let row = 1; row <= a.length; row++) {
    current.fill(tooMany);
    current[0] = row;
    let least = row;
    // Cells further from the diagonal need more than `most` additions.
    for (let column = Math.max(1, row - most); column <= Math.min(b.length, row + most); column++) {
      const [inA, inB] = [a.charCodeAt(row - 1), b.charCodeAt(column - 1)];
      const replaced = (above[column - 1] ?? 0) + (inA === inB ? 0 : 1);
      let typos = Math.min(replaced, (above[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1);
      if (inA === b.charCodeAt(column - 2) && inB === a.charCodeAt(row - 2))
        typos = Math.min(typos, (before[column - 2] ?? 0) + 1);
      current[column] = typos;
      least = Math.min(least, typos);
    }
    // The minimum of a row is never lower than that of the previous row.
    if (least > most) return tooMany;
    [before, above, current] = [above, current, before];
  }
  return above[b.length] ?? tooMany;
}
