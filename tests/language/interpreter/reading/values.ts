// Single values: how they are ordered, compared by filters, and printed.
import type { ColumnType } from './columns';
import { instantOf, localText } from './local-clock';
import type { Operand, Test } from './query';
import type { Value } from './tables';

/** Nulls come last in both directions. Numbers are compared by value, and text is compared bytewise. */
export function compare(a: Value, b: Value, order: 'asc' | 'desc' = 'asc'): number {
  if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1;
  const ascending =
    typeof a === 'number' ? a - Number(b) : Buffer.compare(Buffer.from(a), Buffer.from(String(b)));
  return order === 'desc' ? -ascending : ascending;
}

/** Converts a value in a query to the form of the column: datetimes are instants, and flags are 0 and 1. */
export function readValue(given: Value | boolean, type: ColumnType, zone: string): Value {
  if (typeof given === 'boolean') return Number(given);
  return type === 'datetime' && typeof given === 'string' ? instantOf(given, zone) : given;
}

/** Prints datetimes in the query's time zone. Returns all other values unchanged. */
export const printed = (value: Value, type: ColumnType, zone: string): Value =>
  type === 'datetime' && typeof value === 'number' ? localText(value, zone) : value;

/** Whether a value passes a test. */
export function passes(
  value: Value,
  { operator, value: given }: Test,
  type: ColumnType,
  zone: string,
): boolean {
  const read = (one: Value | boolean): Value => readValue(one, type, zone);
  const list = isList(given) ? given.map(read) : [read(given)];
  const [first = null, second = null] = list;
  switch (operator) {
    case 'eq':
      return value === first;
    case 'neq':
      return value !== first;
    case 'not_in':
      return value === null || !list.includes(value);
    case 'not_contains':
      return value === null || !String(value).includes(String(first));
    case 'not_prefix':
      return value === null || !String(value).startsWith(String(first));
    case 'not_suffix':
      return value === null || !String(value).endsWith(String(first));
    case 'in':
      return value !== null && list.includes(value);
    default:
      return value !== null && passesOrder(value, operator, first, second);
  }
}

/** Whether a value passes a comparison with the value of another column. */
export function passesComparison(value: Value, operator: string, other: Value): boolean {
  if (value === null || other === null) return false;
  if (operator === 'eq') return value === other;
  return operator === 'neq' ? value !== other : passesOrder(value, operator, other, null);
}

const isList = (given: Operand): given is readonly (Value | boolean)[] => Array.isArray(given);

function passesOrder(value: Value, operator: string, first: Value, second: Value): boolean {
  switch (operator) {
    case 'gt':
      return compare(value, first) > 0;
    case 'gte':
      return compare(value, first) >= 0;
    case 'lt':
      return compare(value, first) < 0;
    case 'lte':
      return compare(value, first) <= 0;
    case 'between':
      return compare(value, first) >= 0 && compare(value, second) <= 0;
    case 'contains':
      return String(value).includes(String(first));
    case 'prefix':
      return String(value).startsWith(String(first));
    case 'suffix':
      return String(value).endsWith(String(first));
    default:
      throw new Error(`The interpreter has no operator ${operator}.`);
  }
}
