// Owns the sets of characters in a regular expression of JavaScript: lists in brackets and classes such as \w.
// A list -> ranges of code points, spelled so that PostgreSQL cannot read them otherwise: no letter means anything there.

/** First and last code point. */
export type Range = readonly [number, number];

const LAST = 0x10ffff;
const DIGITS: readonly Range[] = [[0x30, 0x39]];
const WORDS: readonly Range[] = [
  [0x30, 0x39],
  [0x41, 0x5a],
  [0x5f, 0x5f],
  [0x61, 0x7a],
];
const SPACES: readonly Range[] = [
  [0x09, 0x0d],
  [0x20, 0x20],
  [0xa0, 0xa0],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
  [0xfeff, 0xfeff],
];
/** What the point does not stand for. */
export const NO_LINE_BREAK: readonly Range[] = [
  [0x0a, 0x0a],
  [0x0d, 0x0d],
  [0x2028, 0x2029],
];

export const CLASSES: ReadonlyMap<string, readonly Range[]> = new Map([
  ['\\d', DIGITS],
  ['\\D', complementOf(DIGITS)],
  ['\\w', WORDS],
  ['\\W', complementOf(WORDS)],
  ['\\s', SPACES],
  ['\\S', complementOf(SPACES)],
]);

/** All other characters; `ranges` ascend. U+0000 is none that a text can hold. */
export function complementOf(ranges: readonly Range[]): readonly Range[] {
  const others: Range[] = [];
  let from = 1;
  for (const [first, last] of ranges) {
    if (first > from) others.push([from, first - 1]);
    from = last + 1;
  }
  return [...others, [from, LAST]];
}

/** A list with its brackets, which JavaScript could read. */
export function listOf(list: string): { readonly negated: boolean; readonly ranges: readonly Range[] } {
  const negated = list.startsWith('[^');
  const members = list.slice(negated ? 2 : 1, -1).match(MEMBER) ?? [];
  const ranges: Range[] = [];
  for (let place = 0; place < members.length; place += 1) {
    const member = members[place] ?? '';
    const end = members[place + 1] === '-' ? members[place + 2] : undefined;
    const known = CLASSES.get(member);
    if (known !== undefined) ranges.push(...known);
    else if (end === undefined) ranges.push([codeOf(member), codeOf(member)]);
    else {
      ranges.push([codeOf(member), codeOf(end)]);
      place += 2;
    }
  }
  return { negated, ranges };
}

const MEMBER = /\\x[0-9a-fA-F]{2}|\\u\{[0-9a-fA-F]+\}|\\u[0-9a-fA-F]{4}|\\c[a-zA-Z]|\\.|[\s\S]/gu;

const NAMED: ReadonlyMap<string, number> = new Map([
  ['\\t', 0x09],
  ['\\n', 0x0a],
  ['\\v', 0x0b],
  ['\\f', 0x0c],
  ['\\r', 0x0d],
  ['\\b', 0x08],
  ['\\0', 0x00],
]);

function codeOf(member: string): number {
  const named = NAMED.get(member);
  if (named !== undefined) return named;
  if (/^\\[xu]./.test(member)) return Number.parseInt(member.replace(/[^0-9a-fA-F]/g, ''), 16);
  if (/^\\c./.test(member)) return (member.codePointAt(2) ?? 0) % 32;
  return member.codePointAt(member.length > 1 && member.startsWith('\\') ? 1 : 0) ?? 0;
}

/** A range as PostgreSQL reads it, inside of a list or, where it is one character, outside too. */
export function spelled([first, last]: Range): string {
  return first === last ? character(first) : `${character(first)}-${character(last)}`;
}

function character(code: number): string {
  const text = String.fromCodePoint(code);
  return /[0-9A-Za-z]/.test(text) ? text : `\\U${code.toString(16).padStart(8, '0')}`;
}
