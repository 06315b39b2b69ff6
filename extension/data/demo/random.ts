// A seeded random number generator.

export type Random = ReturnType<typeof seededRandom>;

/** The mulberry32 generator. */
export function seededRandom(seed: number) {
  let state = seed | 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  return {
    /** In [0, 1). */
    next,
    /** An integer from `low` to `high`, inclusive. */
    between: (low: number, high: number): number => low + Math.floor(next() * (high - low + 1)),
    chance: (probability: number): boolean => next() < probability,
    /** Draws an index, given cumulative weights. */
    weighted(cumulative: Float64Array): number {
      const drawn = next() * (cumulative[cumulative.length - 1] ?? 0);
      let low = 0;
      let high = cumulative.length - 1;
      while (low < high) {
        const middle = (low + high) >> 1;
        if ((cumulative[middle] ?? 0) > drawn) high = middle;
        else low = middle + 1;
      }
      return low;
    },
    /** A positive number around `typical`, with a long tail like that of durations. */
    spread: (typical: number): number => typical * Math.exp((next() + next() + next() - 1.5) * 1.3),
  };
}

/** Cumulative weights for `weighted`. */
export function cumulative(weights: readonly number[]): Float64Array {
  let sum = 0;
  return Float64Array.from(weights, (weight) => {
    sum += weight;
    return sum;
  });
}

/** Returns a function that draws items by weight. It throws if there are no items. */
export function weightedDraw<T>(weighted: readonly (readonly [T, number])[]): (random: Random) => T {
  const sums = cumulative(weighted.map(([, weight]) => weight));
  return (random) => {
    const drawn = weighted[random.weighted(sums)];
    if (drawn === undefined) throw new Error('There are no items to draw from.');
    return drawn[0];
  };
}
