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

export interface NumberTable {
  /** undefined where the key is not there. */
  get(key: number): number | undefined;
  set(key: number, value: number): void;
  /** Whether `more` new keys still fit. */
  hasRoom(more: number): boolean;
  clear(): void;
}

const FIRST_SLOTS = 256;

/** A table for up to `capacity` keys. */
export function numberTable(capacity: number): NumberTable {
  let slots = FIRST_SLOTS;
  let keys = new Float64Array(slots);
  let values = new Float64Array(slots);
  let size = 0;

  const find = (key: number): number => {
    let at = hash(key) & (slots - 1);
    while (keys[at] !== 0 && keys[at] !== key) at = (at + 1) & (slots - 1);
    return at;
  };

  const grow = (): void => {
    const oldKeys = keys;
    const oldValues = values;
    slots *= 2;
    keys = new Float64Array(slots);
    values = new Float64Array(slots);
    for (let i = 0; i < oldKeys.length; i += 1) {
      const key = oldKeys[i] ?? 0;
      if (key === 0) continue;
      const at = find(key);
      keys[at] = key;
      values[at] = oldValues[i] ?? 0;
    }
  };

  return {
    get(key) {
      const at = find(key);
      return keys[at] === 0 ? undefined : values[at];
    },
    set(key, value) {
      let at = find(key);
      if (keys[at] === 0) {
        if (size * 10 >= slots * 7) {
          grow();
          at = find(key);
        }
        keys[at] = key;
        size += 1;
      }
      values[at] = value;
    },
    hasRoom: (more) => size + more <= capacity,
    clear() {
      slots = FIRST_SLOTS;
      keys = new Float64Array(slots);
      values = new Float64Array(slots);
      size = 0;
    },
  };
}

function hash(key: number): number {
  const mixed = Math.imul((key | 0) ^ Math.imul((key / 4294967296) | 0, 0x9e3779b1), 0x85ebca6b);
  return mixed ^ (mixed >>> 15);
}
