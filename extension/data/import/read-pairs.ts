import { LONGEST_PAIRS, MOST_COLUMNS } from './limits';

/** Instead of a column, for one of the file that is not imported. */
export const LEFT_OUT = '-';

/** A text as pairs, in its order: `a=b,c=d`. A comma in a name is written `\\,`. Throws a RangeError that says what is wrong. */
export function readPairs(text: string): ReadonlyMap<string, string> {
  if (text.length > LONGEST_PAIRS) throw new RangeError(`takes at most ${LONGEST_PAIRS} characters.`);
  const pairs = text.split(/(?<!\\),/);
  if (pairs.length > MOST_COLUMNS) throw new RangeError(`takes at most ${MOST_COLUMNS} pairs.`);
  return new Map(
    pairs.map((pair) => {
      const sign = pair.lastIndexOf('=');
      if (sign < 1 || sign === pair.length - 1)
        throw new RangeError(
          `takes pairs such as created_at=access_time, with commas between them; ${pair} is none.`,
        );
      return [pair.slice(0, sign).trim().replaceAll('\\,', ','), pair.slice(sign + 1).trim()] as const;
    }),
  );
}
