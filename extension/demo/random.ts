// Owns the randomness of the demo site: a small seeded generator, so that the same seed gives the same site.
// Seed in -> a stream of numbers, and the few ways in which the demo draws from it.

export interface Random {
  /** A number in [0, 1). */
  next(): number;
  /** A whole number from `low` to `high`, both in. */
  between(low: number, high: number): number;
  chance(probability: number): boolean;
  /** The place of one of the weights, drawn by weight. */
  weighted(cumulative: Float64Array): number;
  /** A positive number around `typical` with a long tail, as durations have. */
  spread(typical: number): number;
}

/** mulberry32: one multiplication chain over a 32-bit counter. */
export function seededRandom(seed: number): Random {
  let state = seed | 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  return {
    next,
    between: (low, high) => low + Math.floor(next() * (high - low + 1)),
    chance: (probability) => next() < probability,
    weighted(cumulative) {
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
    spread: (typical) => typical * Math.exp((next() + next() + next() - 1.5) * 1.3),
  };
}

/** Running sums of weights, for `weighted`. */
export function cumulative(weights: readonly number[]): Float64Array {
  let sum = 0;
  return Float64Array.from(weights, (weight) => {
    sum += weight;
    return sum;
  });
}
