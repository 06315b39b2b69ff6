// What happens to rows whose key another row already has.

/**
 * What happens to a row that is already stored with other values: `replace` updates it with the values in the
 * file, `keep` leaves it unchanged, `refuse` rejects the row in the file.
 */
export const CONFLICT_RULES = ['replace', 'keep', 'refuse'] as const;
export type ConflictRule = (typeof CONFLICT_RULES)[number];

/**
 * Rows of one file with the same key and different values: `refuse` rejects the later one, and reports both lines, `last` lets it
 * replace the earlier one, `sum` adds up figures and weights positions (search figures only). Identical rows
 * always count once.
 */
export type DuplicateRule = 'refuse' | 'last' | 'sum';
