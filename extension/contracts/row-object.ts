// Owns the spelling of rows as objects keyed by column name.
import type { Value } from '../qal/types/query-result';

type Row = readonly Value[];
type RowObject = Readonly<Record<string, Value>>;

/** The values of each row under the names of their columns. */
export function rowObjects(columns: readonly string[], rows: readonly Row[]): readonly RowObject[] {
  // Assigned, it would be no key but the object's prototype.
  return rows.map(columns.includes('__proto__') ? ofEntries(columns) : assigned(columns));
}

/** Several times as fast as from entries: V8 gives all rows one layout. */
const assigned = (columns: readonly string[]) => (row: Row) => {
  const object: Record<string, Value> = {};
  for (let index = 0; index < columns.length; index++) object[columns[index] ?? ''] = row[index] ?? null;
  return object;
};

const ofEntries =
  (columns: readonly string[]) =>
  (row: Row): RowObject =>
    Object.fromEntries(columns.map((column, index) => [column, row[index] ?? null]));
