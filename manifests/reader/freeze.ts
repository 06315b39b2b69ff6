// Owns making manifest data unchangeable, maps included.
// Plain data in -> the same data, frozen all the way down. Object.freeze alone leaves a Map open.

/** Freezes the value and everything in it. */
export function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) deepFreeze(inner);
  }
  return value;
}

/** A map whose entries are frozen and that refuses to be changed. */
export function frozenMap<V>(entries: Iterable<readonly [string, V]>): ReadonlyMap<string, V> {
  const map = new Map<string, V>();
  for (const [key, value] of entries) map.set(key, deepFreeze(value));
  const refuse = () => {
    throw new TypeError('the manifest cannot be changed');
  };
  return Object.freeze(Object.assign(map, { set: refuse, delete: refuse, clear: refuse }));
}
