/** Converts to lower case, and removes spaces, `$`, `_` and `-`. Long words are truncated, because no synonym is that long. */
export const fold = (word: string): string =>
  word
    .slice(0, 40)
    .toLowerCase()
    .replace(/[$\s_-]/g, '');

/** Returns a lookup for synonyms in `{ word: 'synonym synonym' }`, ignoring letter case, spaces, `$`, `_` and `-`. */
export function byWord<Right extends string>(
  words: Readonly<Record<Right, string>>,
): (word: string) => Right | undefined;
export function byWord(words: Readonly<Record<string, string>>): (word: string) => string | undefined {
  const known = new Map(
    Object.entries(words).flatMap(([right, others]) => others.split(' ').map((other) => [other, right])),
  );
  return (word) => known.get(fold(word));
}
