// Splits many strings into statements of limited size: the driver holds several copies of a parameter while it is sent.

/** Splits items into slices of about `limit` characters, in order. A longer item gets its own slice. */
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
