// Owns the regular expressions of goals: PostgreSQL's engine runs them, for it cannot be sent into endless backtracking.
// Pattern -> the same in PostgreSQL's spelling, or why it is none. Allowed is what both JavaScript and PostgreSQL read alike.
import { type ClientBase, DatabaseError } from 'pg';

/** Why a pattern cannot be used, as far as it can be told without the database. */
export function patternFault(pattern: string): string | undefined {
  try {
    new RegExp(pattern, 'u');
  } catch (error) {
    if (error instanceof SyntaxError) return `must be a regular expression (${error.message})`;
    throw error;
  }
  for (const part of partsOf(pattern)) {
    if (/^\\[1-9k]/.test(part)) return 'must not refer back to a group (\\1); write out what repeats';
    if (part === '(?<') return 'must not name groups; write (...)';
  }
  return undefined;
}

/** The pattern as PostgreSQL spells it: a word boundary is \y there, and \x takes any number of digits. */
export function postgresPattern(pattern: string): string {
  const spelled = partsOf(pattern).map((part) => {
    if (part === '\\b') return '\\y';
    if (part === '\\B') return '\\Y';
    return part.startsWith('\\x') ? `\\u00${part.slice(2)}` : part;
  });
  return spelled.join('');
}

/** Lists in brackets as they are, escapes, the beginning of a named group, and everything else by character. */
function partsOf(pattern: string): readonly string[] {
  return pattern.match(/\[(?:\\.|[^\]\\])*\]|\\x[0-9a-fA-F]{2}|\\.|\(\?<(?![=!])|[\s\S]/gu) ?? [];
}

const CHECK_MS = 5000;

/** What PostgreSQL has against a pattern. Runs inside a transaction, and leaves it as it was. */
export async function databasePatternFault(client: ClientBase, pattern: string): Promise<string | undefined> {
  await client.query('SAVEPOINT pattern');
  try {
    await client.query(`SET LOCAL statement_timeout = ${CHECK_MS}`);
    await client.query("SELECT 'https://example.com/a?b=c' ~ $1", [postgresPattern(pattern)]);
    return undefined;
  } catch (error) {
    if (error instanceof DatabaseError)
      return `must be a regular expression of PostgreSQL (${error.message})`;
    throw error;
  } finally {
    await client.query('ROLLBACK TO SAVEPOINT pattern');
  }
}
