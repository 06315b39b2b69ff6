// What happens to rows whose key another row already has.

/**
 * What happens to a row that is stored already, with other values: `replace` takes the values of the file and keeps what
 * is not in the file, `keep` leaves the stored row unchanged, `refuse` rejects the row in the file.
 */
export const CONFLICT_RULES = ['replace', 'keep', 'refuse'] as const;
export type ConflictRule = (typeof CONFLICT_RULES)[number];

/**
 * Rows of one file with the same key and different values: `refuse` rejects the later one with both lines, `last` lets it
 * replace the earlier one, `sum` adds up figures and weights positions (search figures only). Equal ones always count once.
 */
export type DuplicateRule = 'refuse' | 'last' | 'sum';
