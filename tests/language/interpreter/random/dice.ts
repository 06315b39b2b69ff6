// Seeded randomness for the data: the same seed generates the same numbers.
export interface Dice {
  /** A whole number that is at least 0 and less than `end`. */
  below(end: number): number;
  pick<T>(list: readonly T[]): T;
  /** An item of the list, or null one time in four. */
  maybe<T>(list: readonly T[]): T | null;
  shuffled<T>(list: readonly T[]): readonly T[];
  chance(oneIn: number): boolean;
}

export function newDice(seed: number): Dice {
  let state = seed >>> 0;
  const below = (end: number): number => {
    // mulberry32
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * end);
  };
  const pick = <T>(list: readonly T[]): T => {
    const picked = list[below(list.length)];
    if (picked === undefined) throw new Error('There is nothing to pick from.');
    return picked;
  };
  return {
    below,
    pick,
    maybe: (list) => (below(4) === 0 ? null : pick(list)),
    chance: (oneIn) => below(oneIn) === 0,
    shuffled(list) {
      const rest = [...list];
      return list.flatMap(() => rest.splice(below(rest.length), 1));
    },
  };
}
