// The names of prepared statements: a statement that comes again is parsed once per connection, and in the end planned
// once for all values.
import { createHash } from 'node:crypto';

/** Each takes some ten kilobytes on every connection. */
const MOST_NAMED = 64;
/** Texts that came once. Then the count starts anew. */
const MOST_SEEN = 1_000;

export interface PreparedStatements {
  /** The name of a statement; undefined when its text comes for the first time, or when enough texts have one. */
  nameOf(text: string): string | undefined;
}

/** Names for the statements of one process. */
export function namePreparedStatements(): PreparedStatements {
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
      // Behind a pooler, processes share connections of the server: a name must mean one text to all of them.
      const name = `query-${createHash('sha256').update(text).digest('base64url').slice(0, 32)}`;
      names.set(text, name);
      return name;
    },
  };
}
