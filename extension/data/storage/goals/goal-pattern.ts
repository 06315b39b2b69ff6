// Goals use JavaScript's syntax for regular expressions. PostgreSQL evaluates them, without backtracking. Brackets, classes, the
// dot and escapes, which the two interpret differently, are translated to character ranges.
import { DatabaseError } from 'pg';
import type { Queryable } from '../../../../host-shim/extension-api';

/** Returns the reason why a pattern is invalid, if it can be determined without the database. */
export function patternFault(pattern: string): string | undefined {
  try {
    new RegExp(pattern, 'u');
  } catch (error) {
    if (error instanceof SyntaxError) return `must be a regular expression (${error.message})`;
    throw error;
  }
  for (const part of partsOf(pattern)) {
    for (const escaped of part.match(ESCAPE) ?? []) {
      if (/[pP]/.test(escaped)) return 'must not use character properties (\\p); list the characters';
      if (/^\\u\{?d[89a-f]/i.test(escaped))
        return 'must not contain lone surrogates (\\ud83d); write \\u{1f600}';
    }
    if (/^\\[1-9k]/.test(part)) return 'must not use back references (\\1); repeat the text';
    if (part === '(?<') return 'must not use named groups; write (...)';
    if (part === '[]' || part === '[^]') return 'must not contain empty brackets ([] or [^])';
  }
  return undefined;
}

/** The pattern in PostgreSQL's syntax. Use it with COLLATE "C", under which \y considers only ASCII word characters. */
export function postgresPattern(pattern: string): string {
  return partsOf(pattern).map(postgresPart).join('');
}

function postgresPart(part: string): string {
  if (part === '\\b') return '\\y';
  if (part === '\\B') return '\\Y';
  if (part === '.') return `[${complementOf(LINE_BREAKS).map(rangeText).join('')}]`;
  if (part.startsWith('[')) {
    const { negated, ranges } = listOf(part);
    return `[${negated ? '^' : ''}${ranges.map(rangeText).join('')}]`;
  }
  const ranges = CLASSES.get(part);
  if (ranges !== undefined) return `[${ranges.map(rangeText).join('')}]`;
  return /^\\[xuc]/.test(part) ? listOf(`[${part}]`).ranges.map(rangeText).join('') : part;
}

const ESCAPE = /\\u[0-9a-fA-F]{4}|\\u\{[0-9a-fA-F]{4}\}|\\./gu;

/** Splits a pattern into brackets, escapes, the start of a named group, and single characters. */
function partsOf(pattern: string): readonly string[] {
  return (
    pattern.match(
      /\[(?:\\.|[^\]\\])*\]|\\x[0-9a-fA-F]{2}|\\u\{[0-9a-fA-F]+\}|\\u[0-9a-fA-F]{4}|\\c[a-zA-Z]|\\.|\(\?<(?![=!])|[\s\S]/gu,
    ) ?? []
  );
}

const CHECK_MS = 5000;

/** Returns the reason why PostgreSQL rejects a pattern, if it does. The transaction can continue in either case. */
export async function databasePatternFault(client: Queryable, pattern: string): Promise<string | undefined> {
  await client.query('SAVEPOINT pattern');
  try {
    await client.query(`SET LOCAL statement_timeout = ${CHECK_MS}`);
    await client.query(`SELECT 'https://example.com/a?b=c' COLLATE "C" ~ $1`, [postgresPattern(pattern)]);
    return undefined;
  } catch (error) {
    if (error instanceof DatabaseError)
      return `must be a regular expression that PostgreSQL accepts (${error.message})`;
    throw error;
  } finally {
    await client.query('ROLLBACK TO SAVEPOINT pattern');
  }
}

/** The first and last code point. */
type Range = readonly [number, number];

const LAST = 0x10ffff;
const DIGITS = hexRanges('30-39');
const WORDS = hexRanges('30-39 41-5a 5f 61-7a');
const SPACES = hexRanges('9-d 20 a0 1680 2000-200a 2028-2029 202f 205f 3000 feff');
const LINE_BREAKS = hexRanges('a d 2028-2029');

const CLASSES: ReadonlyMap<string, readonly Range[]> = new Map([
  ['\\d', DIGITS],
  ['\\D', complementOf(DIGITS)],
  ['\\w', WORDS],
  ['\\W', complementOf(WORDS)],
  ['\\s', SPACES],
  ['\\S', complementOf(SPACES)],
]);

function hexRanges(text: string): readonly Range[] {
  return text.split(' ').map((range) => {
    const [first = 0, last = first] = range.split('-').map((code) => Number.parseInt(code, 16));
    return [first, last];
  });
}

/** All other characters except U+0000, which text cannot contain. `ranges` must be sorted. */
function complementOf(ranges: readonly Range[]): readonly Range[] {
  const others: Range[] = [];
  let from = 1;
  for (const [first, last] of ranges) {
    if (first > from) others.push([from, first - 1]);
    from = last + 1;
  }
  return [...others, [from, LAST]];
}

/** The characters of a bracket expression. */
function listOf(list: string): { readonly negated: boolean; readonly ranges: readonly Range[] } {
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

const ESCAPED: Readonly<Record<string, number>> = {
  '\\t': 0x09,
  '\\n': 0x0a,
  '\\v': 0x0b,
  '\\f': 0x0c,
  '\\r': 0x0d,
  '\\b': 0x08,
  '\\0': 0x00,
};

function codeOf(member: string): number {
  const escaped = ESCAPED[member];
  if (escaped !== undefined) return escaped;
  if (/^\\[xu]./.test(member)) return Number.parseInt(member.replace(/[^0-9a-fA-F]/g, ''), 16);
  if (/^\\c./.test(member)) return (member.codePointAt(2) ?? 0) % 32;
  return member.codePointAt(member.length > 1 && member.startsWith('\\') ? 1 : 0) ?? 0;
}

/** A range with every special character escaped. */
function rangeText([first, last]: Range): string {
  return first === last ? character(first) : `${character(first)}-${character(last)}`;
}

function character(code: number): string {
  const text = String.fromCodePoint(code);
  return /[0-9A-Za-z]/.test(text) ? text : `\\U${code.toString(16).padStart(8, '0')}`;
}
