// Rules for rows that have the same key as another row.

/**
 * The rule for a row that is already stored with different values: `replace` updates it with the values in the
 * file, `keep` leaves it unchanged, `refuse` rejects the row in the file.
 */
export const CONFLICT_RULES = ['replace', 'keep', 'refuse'] as const;
export type ConflictRule = (typeof CONFLICT_RULES)[number];

/**
 * The rule for rows in one file with the same key and different values: `refuse` rejects the later one and reports both lines,
 * `last` lets it replace the earlier one, and `sum` adds up figures and averages positions, weighted by impressions (search
 * figures only). Identical rows are always imported as one.
 */
export type DuplicateRule = 'refuse' | 'last' | 'sum';
