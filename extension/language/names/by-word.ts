// Words of other languages, whatever their case and signs -> the word here.

/** Small letters without spaces and signs; longer words are none of ours. */
export const fold = (word: string): string =>
  word
    .slice(0, 40)
    .toLowerCase()
    .replace(/[$\s_-]/g, '');

/** A look-up by folded words: `{ right: 'wrong other' }`. */
export function byWord<Right extends string>(
  words: Readonly<Record<Right, string>>,
): (word: string) => Right | undefined;
export function byWord(words: Readonly<Record<string, string>>): (word: string) => string | undefined {
  const known = new Map(
    Object.entries(words).flatMap(([right, others]) => others.split(' ').map((other) => [other, right])),
  );
  return (word) => known.get(fold(word));
}
