import type { ColumnType } from '../../../manifests/reader/schema';
import {
  afterLocalDateTime,
  instantOf,
  isLocalDate,
  isLocalDateTime,
  repairedLocalDateTime,
} from '../time/local-time';
import { scalarText } from '../types/json';
import type { Scalar } from '../types/parsed-query';
import type { BoundColumn, ResolvedValue } from '../types/resolved-query';

interface ValueType {
  readonly expected: string;
  /** The value converted to the column's type. Undefined if the value has a different type. */
  read(value: Scalar, zone: string): ResolvedValue | undefined;
  /** The meaning of a value of a different type, and whether that meaning is certain. */
  repaired?(value: Scalar): { readonly value: Scalar; readonly certain: boolean } | undefined;
}

const DECIMAL = /^\s*-?\d{1,15}(\.\d{1,15})?\s*$/;

const FLAGS: ReadonlyMap<string, number> = new Map([
  ['true', 1],
  ['false', 0],
  ['1', 1],
  ['0', 0],
]);

const number: ValueType = {
  expected: 'a number',
  read: (value) => (typeof value === 'number' ? value : undefined),
  repaired: (value) =>
    typeof value === 'string' && DECIMAL.test(value) ? { value: Number(value), certain: true } : undefined,
};

const isStorableText = (text: string): boolean => !text.includes('\u0000') && text.isWellFormed();

/** The maximum number of seconds before or after 1970: about the years 5 to 3934. */
const MAX_SECONDS = 62_000_000_000;

export const VALUE_TYPES: Readonly<Record<ColumnType, ValueType>> = {
  id: number,
  int: number,
  num: number,
  flag: {
    expected: '0, 1, true or false',
    read: (value) => (value === 0 || value === 1 || typeof value === 'boolean' ? Number(value) : undefined),
    repaired: (value) => {
      const flag = typeof value === 'string' ? FLAGS.get(value.trim().toLowerCase()) : undefined;
      return flag === undefined ? undefined : { value: flag, certain: true };
    },
  },
  text: {
    expected: 'text without U+0000 or unpaired surrogates',
    read: (value) => (typeof value === 'string' && isStorableText(value) ? value : undefined),
    repaired: (value) =>
      typeof value === 'number' || typeof value === 'boolean'
        ? { value: scalarText(value), certain: Number.isSafeInteger(value) }
        : undefined,
  },
  datetime: {
    expected: 'a local date-time YYYY-MM-DDTHH:mm:ss in the tz of the query, or UNIX seconds',
    read: (value, zone) => {
      if (typeof value === 'number') return Math.abs(value) <= MAX_SECONDS ? value : undefined;
      return typeof value === 'string' && isLocalDateTime(value) ? instantOf(value, zone) : undefined;
    },
    repaired: (value) => {
      // A large number may be in milliseconds.
      const seconds = typeof value === 'number' ? Math.floor(value / 1000) : Number.NaN;
      if (Math.abs(seconds) <= MAX_SECONDS) return { value: seconds, certain: seconds * 1000 === value };
      const local = typeof value === 'string' ? repairedLocalDateTime(value) : undefined;
      if (local === undefined) return undefined;
      // A day or minute may mean only its first second, or all of it.
      return { value: local, certain: afterLocalDateTime(scalarText(value)) === undefined };
    },
  },
  date: {
    expected: 'a date YYYY-MM-DD',
    read: (value) => (typeof value === 'string' && isLocalDate(value) ? value : undefined),
    repaired: (value) =>
      typeof value === 'string' && isLocalDateTime(value)
        ? { value: value.slice(0, 10), certain: value.endsWith('T00:00:00') }
        : undefined,
  },
};

/** Months are strings that include the year. A number alone is not a month. */
const MONTH: ValueType = {
  expected: 'a month with its year, YYYY-MM, such as "2026-05"',
  read: VALUE_TYPES.text.read,
};
const MONTHS: ReadonlySet<string> = new Set(['access_month', 'month']);

export const valueTypeOf = ({ type, name, origin }: BoundColumn): ValueType =>
  type === 'text' && origin.kind !== 'computed' && MONTHS.has(name) ? MONTH : VALUE_TYPES[type];

/** Instants between these two, in epoch seconds, are in the years 1 to 9999 in every zone. */
const FIRST_INSTANT = -62_135_500_000;
const LAST_INSTANT = 253_402_200_000;

interface FillType {
  readonly expected: string;
  isValid(value: ResolvedValue): boolean;
}

const wholeFill: FillType = { expected: 'a whole number', isValid: Number.isSafeInteger };
const anyFill = ({ expected }: ValueType): FillType => ({ expected, isValid: () => true });

/** Additional requirements for a value that fills a column instead of being compared with it. */
export const FILL_TYPES: Readonly<Record<ColumnType, FillType>> = {
  id: wholeFill,
  int: wholeFill,
  num: anyFill(VALUE_TYPES.num),
  flag: anyFill(VALUE_TYPES.flag),
  text: anyFill(VALUE_TYPES.text),
  datetime: {
    expected: `${VALUE_TYPES.datetime.expected}, in the years 1 to 9999`,
    isValid: (value) =>
      typeof value === 'number' &&
      Number.isSafeInteger(value) &&
      value > FIRST_INSTANT &&
      value < LAST_INSTANT,
  },
  date: anyFill(VALUE_TYPES.date),
};
