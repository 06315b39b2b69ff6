// Maps of bounded size. Strings from a file are slices of the chunk that was read, so a map that stored them
// directly would keep the whole file in memory. These maps store copies.

/**
 * A cache of at most `entries` strings with at most `characters` in total. It has two generations: when the young one is full, it
 * becomes the old one, and the old one is dropped, which is faster than ordering entries by use.
 */
export function recentTexts<Value>(entries: number, characters = 4_000_000) {
  let young = new Map<string, Value>();
  let old = new Map<string, Value>();
  let length = 0;

  const set = (key: string, value: Value): void => {
    if (young.size * 2 >= entries || length * 2 >= characters) {
      old = young;
      young = new Map();
      length = 0;
    }
    if (young.has(key)) young.set(key, value);
    else {
      length += key.length;
      young.set(copyOf(key), value);
    }
  };

  return {
    get(key: string): Value | undefined {
      const found = young.get(key);
      if (found !== undefined) return found;
      const older = old.get(key);
      if (older !== undefined) set(key, older);
      return older;
    },
    set,
  };
}

/** Counts how often a number has occurred among the most recent distinct numbers: at least `window`, and at most twice as many. */
export function occurrenceCounter(window: number): (key: number) => number {
  let young = new Map<number, number>();
  let old = new Map<number, number>();
  return (key) => {
    const count = (young.get(key) ?? old.get(key) ?? 0) + 1;
    if (young.size >= window) [young, old] = [new Map(), young];
    young.set(key, count);
    return count;
  };
}

/** Memoizes the function for recent strings. The function receives copies of the strings, so its results may refer to them. */
export function memoized<Value>(entries: number, compute: (text: string) => Value): (text: string) => Value {
  const known = recentTexts<Value>(entries);
  return (text) => {
    let value = known.get(text);
    if (value === undefined) {
      const copy = copyOf(text);
      value = compute(copy);
      known.set(copy, value);
    }
    return value;
  };
}

/** A copy of the string with its own memory: joining strings creates a new one. */
export const copyOf = (text: string): string => `${text} `.slice(0, -1);
