/** Enough for all dashboards of an installation. A full cache is cleared so that queries cannot exhaust memory. */
const MOST = 2_000;

/** Memoizes a pure function. */
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
