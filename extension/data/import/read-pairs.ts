import { BadValue } from './import-error';
import { MAX_COLUMNS, MAX_PAIRS_LENGTH } from './limits';

/** Used instead of a column for a field that is not imported. */
export const LEFT_OUT = '-';

/**
 * Parses a string such as `a=b,c=d` as pairs, in order. In a name, commas, and spaces at either end, are escaped with a
 * backslash. The name may be empty, or occur again with the same value. Throws a RangeError that describes the problem.
 */
export function readPairs(text: string): ReadonlyMap<string, string> {
  if (text.length > MAX_PAIRS_LENGTH) throw new RangeError(`takes at most ${MAX_PAIRS_LENGTH} characters.`);
  const pairs = text.split(/(?<!\\),/);
  if (pairs.length > MAX_COLUMNS) throw new RangeError(`takes at most ${MAX_COLUMNS} pairs.`);
  const read = new Map<string, string>();
  for (const pair of pairs) {
    const equals = pair.lastIndexOf('=');
    if (equals < 0 || equals === pair.length - 1)
      throw new RangeError(
        `takes pairs such as created_at=access_time, with commas between them; ${pair} is not one.`,
      );
    const given = pair.slice(0, equals).trimStart();
    const { length } = given.trimEnd();
    const escaped = given.slice(0, given[length - 1] === '\\' ? length + 1 : length);
    const name = escaped.replaceAll(/\\([,\s])/g, '$1');
    const value = pair.slice(equals + 1).trim();
    const other = read.get(name) ?? value;
    if (other !== value)
      throw new RangeError(`takes one value for ${name || 'an empty name'}, not ${other} and ${value}.`);
    read.set(name, value);
  }
  return read;
}

function writeName(name: string): string {
  const first = name.length - name.trimStart().length;
  const end = name.trimEnd().length;
  return name.replaceAll(/[,\s]/g, (char, at: number) =>
    char === ',' || at < first || at >= end ? `\\${char}` : char,
  );
}

/** Returns the string that `readPairs` parses into these pairs. */
export const writePairs = (pairs: readonly (readonly [name: string, value: string])[]): string =>
  pairs.map(([name, value]) => `${writeName(name)}=${value}`).join(',');

/** Renames the keys of a row. Throws a BadValue if the row has a key and another one that is renamed to it. */
export function renameKeys(
  row: Record<string, unknown>,
  renamed: ReadonlyMap<string, string>,
): Record<string, unknown> {
  if (renamed.size === 0) return row;
  const entries = Object.entries(row)
    .map(([key, value]) => [renamed.get(key) ?? key, value] as const)
    .filter(([name]) => name !== LEFT_OUT);
  const named = Object.fromEntries(entries);
  if (Object.keys(named).length === entries.length) return named;
  const name = entries.map(([one]) => one).find((one, place, all) => all.indexOf(one) < place);
  throw new BadValue(
    name,
    undefined,
    'occurs twice, because another field is mapped to it; to leave out the field, map it to -',
  );
}
