// Memoizes pure functions that are called with the same few arguments again and again.

/** Enough for all dashboards of an installation. A full cache is cleared, so that nobody can fill the memory. */
const MOST = 2_000;

/** The function, computed once for the same arguments. */
export function remembered<Arguments extends readonly (string | number)[], Result>(
  compute: (...given: Arguments) => Result,
): (...given: Arguments) => Result {
  const known = new Map<string, Result>();
  return (...given) => {
    const key = given.join(' ');
    const found = known.get(key);
    if (found !== undefined) return found;
    if (known.size >= MOST) known.clear();
    const result = compute(...given);
    known.set(key, result);
    return result;
  };
}
