// Cuts many texts into statements of limited size: the driver holds a parameter several times over while it is sent.

/** Cuts items into slices of about `limit` characters, in order. An item that is longer stands alone. */
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
