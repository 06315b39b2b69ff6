// Owns a map from text to number that cannot grow without end: what was not used lately is forgotten.
// Two generations: when the young one is full it becomes the old one, and the old one goes. A lost entry costs a look-up.

export interface BoundedMap {
  get(key: string): number | undefined;
  set(key: string, value: number): void;
}

/** A map that holds at most `entries` texts, together at most `characters` long. */
export function boundedMap(entries: number, characters: number): BoundedMap {
  let young = new Map<string, number>();
  let old = new Map<string, number>();
  let length = 0;

  const set = (key: string, value: number): void => {
    if (young.size * 2 >= entries || length * 2 >= characters) {
      old = young;
      young = new Map();
      length = 0;
    }
    if (!young.has(key)) length += key.length;
    young.set(key, value);
  };

  return {
    get(key) {
      const found = young.get(key);
      if (found !== undefined) return found;
      const kept = old.get(key);
      if (kept !== undefined) set(key, kept);
      return kept;
    },
    set,
  };
}
