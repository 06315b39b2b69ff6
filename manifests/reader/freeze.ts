/** Freezes plain data recursively. For maps, use frozenMap. */
export function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) deepFreeze(inner);
  }
  return value;
}

/** A map that throws on any change and whose values are frozen. Object.freeze does not protect the entries of a Map. */
export function frozenMap<V>(entries: Iterable<readonly [string, V]>): ReadonlyMap<string, V> {
  const map = new Map<string, V>();
  for (const [key, value] of entries) map.set(key, deepFreeze(value));
  const refuse = () => {
    throw new TypeError('The manifest cannot be changed.');
  };
  return Object.freeze(Object.assign(map, { set: refuse, delete: refuse, clear: refuse }));
}
