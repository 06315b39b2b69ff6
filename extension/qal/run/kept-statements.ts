// Owns the names by which the database keeps statements ready: parsed, and in the end with one plan for all values.
// Text of a statement -> its name once it comes again. So few have one that they cost little on every connection.
import { createHash } from 'node:crypto';

/** The database keeps each on every connection, some ten kilobytes a time. */
const MOST_NAMED = 64;
/** Texts that came once; then their memory begins anew. */
const MOST_SEEN = 1_000;

export interface KeptStatements {
  /** The name of a statement; undefined for one that comes for the first time, or when there are enough. */
  nameOf(text: string): string | undefined;
}

/** Names for the statements of one process. */
export function keepStatements(): KeptStatements {
  const names = new Map<string, string>();
  const seen = new Set<string>();
  return {
    nameOf(text) {
      const known = names.get(text);
      if (known !== undefined || names.size === MOST_NAMED) return known;
      if (!seen.delete(text)) {
        if (seen.size === MOST_SEEN) seen.clear();
        seen.add(text);
        return undefined;
      }
      const name = nameFor(text);
      names.set(text, name);
      return name;
    },
  };
}

/**
 * Behind a pooler, processes may meet statements of each other on one connection of the server: a name stands for one text
 * only, whoever gave it.
 */
const nameFor = (text: string): string =>
  `query-${createHash('sha256').update(text).digest('base64url').slice(0, 32)}`;
