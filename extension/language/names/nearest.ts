/** Longer strings are not compared with names. */
const MAX_LENGTH = 64;

/** The most similar of `names`, ignoring letter case, if the difference could be a typo. */
export function nearest(wanted: string, names: Iterable<string>): string | undefined {
  if (wanted.length > MAX_LENGTH) return undefined;
  const folded = wanted.toLowerCase();
  const maxTypos = Math.max(2, Math.floor(wanted.length / 3));
  const near = [...names].flatMap((name) => {
    const typos = typosBetween(folded, name.toLowerCase(), maxTypos);
    return typos > maxTypos ? [] : [{ name, typos }];
  });
  const [best] = near.sort((a, b) => a.typos - b.typos);
  if (best === undefined || wanted.length >= 4 || best.typos < 2) return best?.name;
  // Two typos make a short word a different one, unless only one name starts with the same letter.
  const alike = near.filter(({ name }) => name.length > 2 && name.toLowerCase().startsWith(folded.charAt(0)));
  return wanted.length === 3 && alike.length === 1 ? alike[0]?.name : undefined;
}

/** `login` means `events.login`, and event names are compared without their prefix. */
export function nearMaterial(name: string, available: readonly string[]): string | undefined {
  const event = name.replace(/^events?\./, '');
  const events = available.flatMap((other) =>
    other.startsWith('events.') ? [other.slice('events.'.length)] : [],
  );
  const near = events.includes(event) || event !== name ? nearest(event, events) : undefined;
  return near === undefined ? nearest(name, available) : `events.${near}`;
}

/**
 * The number of letters that are missing, added, replaced or swapped with their neighbor (optimal string alignment).
 * A result above `maxTypos` is not exact.
 */
export function typosBetween(a: string, b: string, maxTypos: number): number {
  if (Math.abs(a.length - b.length) > maxTypos) return maxTypos + 1;
  const tooMany = maxTypos + 1;
  const cells = () => Array<number>(b.length + 1).fill(tooMany);
  let [before, above, current] = [cells(), cells(), cells()];
  for (let column = 0; column <= maxTypos; column++) above[column] = column;
  for (let row = 1; row <= a.length; row++) {
    current.fill(tooMany);
    current[0] = row;
    let lowest = row;
    // Cells farther from the diagonal need more than `maxTypos` additions.
    for (let column = Math.max(1, row - maxTypos); column <= Math.min(b.length, row + maxTypos); column++) {
      const [inA, inB] = [a.charCodeAt(row - 1), b.charCodeAt(column - 1)];
      const replaced = (above[column - 1] ?? 0) + (inA === inB ? 0 : 1);
      let typos = Math.min(replaced, (above[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1);
      if (inA === b.charCodeAt(column - 2) && inB === a.charCodeAt(row - 2))
        typos = Math.min(typos, (before[column - 2] ?? 0) + 1);
      current[column] = typos;
      lowest = Math.min(lowest, typos);
    }
    // The minimum of a row is never lower than that of the previous row.
    if (lowest > maxTypos) return tooMany;
    [before, above, current] = [above, current, before];
  }
  return above[b.length] ?? tooMany;
}
