// Owns the regular expressions of goals: PostgreSQL's engine runs them, for it cannot be sent into endless backtracking.
// Pattern -> the same in PostgreSQL's spelling, or why it is none. Allowed is what both JavaScript and PostgreSQL know;
// what they read differently (lists, classes, the point, escapes) is spelled out, character range by character range.
import { type ClientBase, DatabaseError } from 'pg';
import { CLASSES, complementOf, listOf, NO_LINE_BREAK, spelled } from './pattern-list';

/** Why a pattern cannot be used, as far as it can be told without the database. */
export function patternFault(pattern: string): string | undefined {
  try {
    new RegExp(pattern, 'u');
  } catch (error) {
    if (error instanceof SyntaxError) return `must be a regular expression (${error.message})`;
    throw error;
  }
  for (const part of partsOf(pattern)) {
    for (const escaped of part.match(ESCAPE) ?? []) {
      if (/[pP]/.test(escaped)) return 'must not name properties of characters (\\p); list the characters';
      if (/^\\u\{?d[89a-f]/i.test(escaped))
        return 'must not write halves of characters (\\ud83d); write \\u{1f600}';
    }
    if (/^\\[1-9k]/.test(part)) return 'must not refer back to a group (\\1); write out what repeats';
    if (part === '(?<') return 'must not name groups; write (...)';
    if (part === '[]' || part === '[^]') return 'must not hold an empty list ([] or [^])';
  }
  return undefined;
}

/** The pattern as PostgreSQL spells it. To be run under COLLATE "C", where \y knows the word characters of ASCII alone. */
export function postgresPattern(pattern: string): string {
  return partsOf(pattern).map(postgresPart).join('');
}

function postgresPart(part: string): string {
  if (part === '\\b') return '\\y';
  if (part === '\\B') return '\\Y';
  if (part === '.') return `[${complementOf(NO_LINE_BREAK).map(spelled).join('')}]`;
  if (part.startsWith('[')) {
    const { negated, ranges } = listOf(part);
    return `[${negated ? '^' : ''}${ranges.map(spelled).join('')}]`;
  }
  const ranges = CLASSES.get(part);
  if (ranges !== undefined) return `[${ranges.map(spelled).join('')}]`;
  return /^\\[xuc]/.test(part) ? listOf(`[${part}]`).ranges.map(spelled).join('') : part;
}

const ESCAPE = /\\u[0-9a-fA-F]{4}|\\u\{[0-9a-fA-F]{4}\}|\\./gu;

/** Lists in brackets, escapes, the beginning of a named group, and everything else by character. */
function partsOf(pattern: string): readonly string[] {
  return (
    pattern.match(
      /\[(?:\\.|[^\]\\])*\]|\\x[0-9a-fA-F]{2}|\\u\{[0-9a-fA-F]+\}|\\u[0-9a-fA-F]{4}|\\c[a-zA-Z]|\\.|\(\?<(?![=!])|[\s\S]/gu,
    ) ?? []
  );
}

const CHECK_MS = 5000;

/** What PostgreSQL has against a pattern. Runs inside a transaction, and leaves it as it was. */
export async function databasePatternFault(client: ClientBase, pattern: string): Promise<string | undefined> {
  await client.query('SAVEPOINT pattern');
  try {
    await client.query(`SET LOCAL statement_timeout = ${CHECK_MS}`);
    await client.query(`SELECT 'https://example.com/a?b=c' COLLATE "C" ~ $1`, [postgresPattern(pattern)]);
    return undefined;
  } catch (error) {
    if (error instanceof DatabaseError)
      return `must be a regular expression of PostgreSQL (${error.message})`;
    throw error;
  } finally {
    await client.query('ROLLBACK TO SAVEPOINT pattern');
  }
}
