// Owns the cut of many texts into statements that stay small: a parameter is held several times over while it is sent.
// Items in -> slices whose texts together are about `limit` characters long, in the same order.

/** Cuts items into slices. A single item may be longer than the limit: it stands alone then. */
export function* textSlices<T>(
  items: readonly T[],
  lengthOf: (item: T) => number,
  limit: number,
): Generator<readonly T[]> {
  let from = 0;
  let length = 0;
  for (const [place, item] of items.entries()) {
    const more = lengthOf(item);
    if (place > from && length + more > limit) {
      yield items.slice(from, place);
      from = place;
      length = 0;
    }
    length += more;
  }
  if (from < items.length) yield items.slice(from);
}
