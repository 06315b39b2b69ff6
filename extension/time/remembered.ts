// Owns the memory of pure functions that clients call with the same few arguments again and again.

/** Enough for all dashboards of an installation; then it begins anew, so that nobody can fill the memory. */
const MOST = 2_000;

/** The function, asked once for the same key. */
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
