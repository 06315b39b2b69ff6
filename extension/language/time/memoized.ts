/** Enough for all of an installation's dashboards. A full cache is cleared so that queries cannot exhaust memory. */
const MAX_RESULTS = 2_000;

/** Memoizes a pure function. */
export function memoized<Arguments extends readonly (string | number)[], Result>(
  compute: (...given: Arguments) => Result,
): (...given: Arguments) => Result {
  const known = new Map<string, Result>();
  return (...given) => {
    const key = given.join(' ');
    const found = known.get(key);
    if (found !== undefined) return found;
    if (known.size >= MAX_RESULTS) known.clear();
    const result = compute(...given);
    known.set(key, result);
    return result;
  };
}
