// Picks operands for filters and fills from the data and from lists of unusual values.
import fc from 'fast-check';
import { type Column, type ColumnType, materialsOf } from '../reading/columns';
import { localText } from '../reading/local-clock';
import { materialRows } from '../reading/materials/materials';
import { DEVICES } from '../reading/materials/view-values';
import type { Operand } from '../reading/query';
import type { Tables, Value } from '../reading/tables';
import { LOCAL_TEXTS, NUMBERS, TEXTS } from './awkward-values';

/** A random number whose remainder picks an item from a list. It shrinks to the first item. */
export const number = fc.noBias(fc.nat(0xffffff));

export function at<T>(list: readonly T[], choice: number): T {
  const picked = list[choice % list.length];
  if (picked === undefined) throw new Error('There is nothing to choose from.');
  return picked;
}

/** The values in the data by column name, and the instants. */
export interface Samples {
  readonly values: ReadonlyMap<string, readonly (string | number)[]>;
  readonly moments: readonly number[];
}

const ALL_TIME = { start: '2025-12-01T00:00:00', end: '2027-02-01T00:00:00', tz: 'UTC' };

export function samplesOf(tables: Tables): Samples {
  const values = new Map<string, Set<string | number>>();
  for (const { site_id } of tables.site) {
    for (const name of materialsOf(tables, [site_id], false)) {
      for (const row of materialRows(name, tables, { sites: [site_id], time: ALL_TIME, isJoined: false })) {
        for (const [column, value] of row.values) {
          const known = values.get(column) ?? new Set();
          values.set(column, known);
          if (value !== null) known.add(value);
        }
      }
    }
  }
  const moments = [...tables.page_view, ...tables.click].map((row) => row.at);
  return { values: new Map([...values].map(([name, known]) => [name, [...known]])), moments };
}

const DATES = ['2026-03-29', '2026-11-01', '2026-01-01', '2024-02-29'];

/** A value that a filter may compare a column with. */
function randomOperand(
  { name, type }: Column,
  choice: number,
  { values, moments }: Samples,
  tz: string,
): Value | boolean {
  const known = values.get(name) ?? [];
  switch (type) {
    case 'flag':
      return at<number | boolean>([1, 0, true, false], choice);
    case 'text':
      // Any other device type would be rejected.
      if (name === 'device_type') return at(DEVICES, choice);
      return at([...known.filter((value) => typeof value === 'string'), ...TEXTS], choice);
    case 'date':
      return at([...known.filter((value) => /^\d{4}-\d{2}-\d{2}$/.test(String(value))), ...DATES], choice);
    case 'datetime': {
      const moment = at(moments, choice);
      return at([localText(moment, tz), moment, at(LOCAL_TEXTS, choice >> 4)], choice >> 8);
    }
    case 'id':
    case 'int':
    case 'num':
      return at([...known.filter((value) => typeof value === 'number'), ...NUMBERS], choice);
  }
}

const ORDERED = ['gt', 'gte', 'lt', 'lte', 'between'];
const EQUAL = ['eq', 'neq', 'in', 'not_in'];
const OPERATORS: Readonly<Record<ColumnType, readonly string[]>> = {
  id: [...EQUAL, ...ORDERED],
  int: [...EQUAL, ...ORDERED],
  num: [...EQUAL, ...ORDERED],
  flag: [...EQUAL, ...ORDERED],
  text: [...EQUAL, ...ORDERED, 'contains', 'prefix', 'suffix', 'not_contains', 'not_prefix', 'not_suffix'],
  datetime: [...EQUAL, ...ORDERED],
  date: [...EQUAL, ...ORDERED],
};

/** Returns an operator for the type. neq is more likely, because many rows pass it. */
export const randomOperator = (type: ColumnType, choice: number): string =>
  at(['neq', ...OPERATORS[type]], choice);

/** Returns the operand of an operator: a value, null, two values, or a list. */
export function randomOperands(
  column: Column,
  operator: string,
  choices: readonly number[],
  samples: Samples,
  tz: string,
): Operand {
  const [first = 0, second = 0, third = 0] = choices;
  const value = (choice: number): Value | boolean => randomOperand(column, choice, samples, tz);
  switch (operator) {
    case 'in':
    case 'not_in':
      return [first, second, third].slice(0, third % 4).map(value);
    case 'between':
      return [value(first), value(second)];
    case 'contains':
    case 'prefix':
    case 'not_contains':
    case 'not_prefix':
      return [...String(value(first))].slice(0, 1 + (second % 3)).join('');
    case 'suffix':
    case 'not_suffix':
      return [...String(value(first))].slice(-1 - (second % 3)).join('');
    case 'eq':
    case 'neq':
      return second % 4 === 0 ? null : value(first);
    default:
      return value(first);
  }
}

/** Returns a fill value that is valid for all of these types, or null. */
export function randomFill(types: readonly ColumnType[], choice: number): Value {
  const has = (...some: readonly ColumnType[]): boolean => types.some((type) => some.includes(type));
  const hasOnly = (...some: readonly ColumnType[]): boolean => types.every((type) => some.includes(type));
  if (hasOnly('num')) return at([0, 0.1, 1e15, -3], choice);
  if (hasOnly('id', 'int', 'num')) return at([0, 1, 3, 4_294_967_297], choice);
  if (hasOnly('id', 'int', 'num', 'flag')) return at([0, 1], choice);
  if (hasOnly('text')) return at(TEXTS, choice);
  if (hasOnly('text', 'date')) return at(DATES, choice);
  if (hasOnly('text', 'datetime')) return at(LOCAL_TEXTS, choice);
  if (hasOnly('id', 'int', 'num', 'datetime') && has('datetime')) return 1_774_746_000;
  return null;
}
