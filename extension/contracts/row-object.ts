// Owns the spelling of a row as an object keyed by column name.
import type { Value } from '../qal/types/query-result';

/** The values of a row under the names of their columns. */
export const rowObject = (columns: readonly string[], row: readonly Value[]): Record<string, Value> =>
  Object.fromEntries(columns.map((column, index) => [column, row[index] ?? null]));
