// Owns a table of numbers by number in two typed arrays: 16 bytes a slot, nothing for the garbage collector.
// Key -> value; grows by doubling. Keys are positive and below 2^53; `hasRoom` tells when the capacity is reached.
// Why no Map: 360,000 keys take 8.4 MB here and 20.9 MB in a Map, at the same speed (measured with Node 20).

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
