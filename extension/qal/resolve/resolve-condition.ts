// Owns the check of a filter's values against the type of its column.
// parsed test -> test with values of the column's type; throws E_FILTER_INVALID.
import type { ColumnType } from '../../../manifests/reader/schema';
import type { Contract } from '../../contracts/contract';
import { queryError } from '../../errors/query-error';
import { instantOf, isLocalDate, isLocalDateTime, repairedLocalDateTime } from '../time/local-time';
import type { ParsedCondition, Scalar } from '../types/parsed-query';
import type { BoundColumn, ResolvedCondition, ResolvedTest, ResolvedValue } from '../types/resolved-query';

interface ValueType {
  readonly expected: string;
  /** The value of the column's type, or undefined when it is of another. */
  read(value: Scalar, zone: string): ResolvedValue | undefined;
  hint?(value: Scalar): string | undefined;
}

const number: ValueType = {
  expected: 'a number',
  read: (value) => (typeof value === 'number' ? value : undefined),
  hint: (value) =>
    typeof value === 'string' && value.trim() !== '' && Number.isFinite(Number(value))
      ? `Write ${Number(value)}.`
      : undefined,
};

const isStorableText = (text: string): boolean => !text.includes('\u0000') && text.isWellFormed();

/** Seconds to either side of 1970 that are within the years 0 to 9999, and within what PostgreSQL can hold. */
const MOST_SECONDS = 62_000_000_000;

const VALUE_TYPES: Readonly<Record<ColumnType, ValueType>> = {
  id: number,
  int: number,
  num: number,
  flag: {
    expected: '0, 1, true or false',
    read: (value) => (value === 0 || value === 1 || typeof value === 'boolean' ? Number(value) : undefined),
  },
  text: {
    expected: 'text without U+0000 and half characters',
    read: (value) => (typeof value === 'string' && isStorableText(value) ? value : undefined),
    hint: (value) =>
      typeof value === 'number' || typeof value === 'boolean' ? `Write "${value}".` : undefined,
  },
  datetime: {
    expected: 'a local date-time YYYY-MM-DDTHH:mm:ss in the tz of the query, or UNIX seconds',
    read: (value, zone) => {
      if (typeof value === 'number') return Math.abs(value) <= MOST_SECONDS ? value : undefined;
      return typeof value === 'string' && isLocalDateTime(value) ? instantOf(value, zone) : undefined;
    },
    hint: (value) => {
      const seconds = typeof value === 'number' ? Math.floor(value / 1000) : Number.NaN;
      if (Math.abs(seconds) <= MOST_SECONDS) return `These are milliseconds; write the seconds ${seconds}.`;
      const repaired = typeof value === 'string' ? repairedLocalDateTime(value) : undefined;
      return repaired === undefined ? undefined : `Write "${repaired}".`;
    },
  },
  date: {
    expected: 'a date YYYY-MM-DD',
    read: (value) => (typeof value === 'string' && isLocalDate(value) ? value : undefined),
    hint: (value) =>
      typeof value === 'string' && isLocalDateTime(value) ? `Write "${value.slice(0, 10)}".` : undefined,
  },
};

/** Checks one condition; `zone` is the query's time zone, in which local texts are read. */
export function resolveCondition(
  parsed: ParsedCondition,
  column: BoundColumn,
  contract: Contract,
  zone: string,
): ResolvedCondition {
  const { operator, at } = parsed;
  const { type, name } = column;
  const operators = contract.rules.request.filter_operators;
  if (operators[operator]?.types.includes(type) !== true) {
    const possible = Object.keys(operators).filter((key) => operators[key]?.types.includes(type));
    throw queryError('E_FILTER_INVALID', at, {
      problem: 'operator-for-type',
      operator,
      column: name,
      type,
      operators: possible,
    });
  }
  const read = (value: Scalar, place: string): ResolvedValue => {
    const { read: readValue, expected, hint } = VALUE_TYPES[type];
    const resolved = readValue(value, zone);
    if (resolved !== undefined) return resolved;
    throw queryError('E_FILTER_INVALID', place, {
      problem: 'value',
      column: name,
      type,
      received: value,
      expected,
      hint: value === null ? 'Only eq and neq take null: {"eq": null}, {"neq": null}.' : hint?.(value),
    });
  };
  return { column, test: resolveTest(parsed, read) };
}

function resolveTest(
  parsed: ParsedCondition,
  read: (value: Scalar, at: string) => ResolvedValue,
): ResolvedTest {
  switch (parsed.operator) {
    case 'in':
      return {
        operator: 'in',
        values: parsed.values.map((value, index) => read(value, `${parsed.at}[${index}]`)),
      };
    case 'between':
      return {
        operator: 'between',
        low: read(parsed.low, `${parsed.at}[0]`),
        high: read(parsed.high, `${parsed.at}[1]`),
      };
    case 'eq':
    case 'neq':
      if (parsed.value === null) return { operator: parsed.operator === 'eq' ? 'is-null' : 'is-not-null' };
      return { operator: parsed.operator, value: read(parsed.value, parsed.at) };
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
    case 'contains':
    case 'prefix':
      return { operator: parsed.operator, value: read(parsed.value, parsed.at) };
  }
}
