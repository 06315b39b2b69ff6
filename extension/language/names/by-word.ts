// Looks up synonyms, ignoring letter case, spaces and punctuation.

/** Lower case without spaces and punctuation; longer words match nothing. */
export const fold = (word: string): string =>
  word
    .slice(0, 40)
    .toLowerCase()
    .replace(/[$\s_-]/g, '');

/** A look-up from `{ word: 'synonym synonym' }`. */
export function byWord<Right extends string>(
  words: Readonly<Record<Right, string>>,
): (word: string) => Right | undefined;
export function byWord(words: Readonly<Record<string, string>>): (word: string) => string | undefined {
  const known = new Map(
    Object.entries(words).flatMap(([right, others]) => others.split(' ').map((other) => [other, right])),
  );
  return (word) => known.get(fold(word));
}
