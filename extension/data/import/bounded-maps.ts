// Maps of bounded size. Strings from a file are slices of the chunk that was read, so a map that stored them
// directly would keep the whole file in memory. These maps store copies.

interface RecentValues<Key, Value> {
  get(key: Key): Value | undefined;
  set(key: Key, value: Value): void;
}

/** How the keys of a map count towards its limits. */
interface Keys<Key> {
  readonly entries: number;
  readonly characters: number;
  lengthOf(key: Key): number;
  ownOf(key: Key): Key;
}

/**
 * A cache of recent keys with two generations: when the young one is full, it becomes the old one, and the old one is dropped, which is
 * faster than ordering entries by use.
 */
function recentValues<Key, Value>({
  entries,
  characters,
  lengthOf,
  ownOf,
}: Keys<Key>): RecentValues<Key, Value> {
  let young = new Map<Key, Value>();
  let old = new Map<Key, Value>();
  let length = 0;

  const set = (key: Key, value: Value): void => {
    if (young.size * 2 >= entries || length * 2 >= characters) {
      old = young;
      young = new Map();
      length = 0;
    }
    if (young.has(key)) young.set(key, value);
    else {
      length += lengthOf(key);
      young.set(ownOf(key), value);
    }
  };

  return {
    get(key) {
      const found = young.get(key);
      if (found !== undefined) return found;
      const older = old.get(key);
      if (older !== undefined) set(key, older);
      return older;
    },
    set,
  };
}

/** A cache of at most `entries` strings with at most `characters` in total. */
export const recentTexts = <Value>(entries: number, characters = 4_000_000): RecentValues<string, Value> =>
  recentValues({ entries, characters, lengthOf: ({ length }) => length, ownOf: copyOf });

/** Counts how often a number has occurred among the last `window` different numbers, or at most twice as many. */
export function occurrenceCounter(window: number): (key: number) => number {
  const counts = recentValues<number, number>({
    entries: 2 * window,
    characters: 1,
    lengthOf: () => 0,
    ownOf: (key) => key,
  });
  return (key) => {
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    return count;
  };
}

/** Memoizes the function for recent strings. The function gets copies of them, so its results may refer to them. */
export function remembering<Value>(
  entries: number,
  compute: (text: string) => Value,
): (text: string) => Value {
  const known = recentTexts<Value>(entries);
  return (text) => {
    let value = known.get(text);
    if (value === undefined) {
      const own = copyOf(text);
      value = compute(own);
      known.set(own, value);
    }
    return value;
  };
}

/** A copy of the string with its own memory: joining strings creates a new one. */
const copyOf = (text: string): string => `${text} `.slice(0, -1);
