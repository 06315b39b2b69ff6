// Finds conditions in filters that cannot match anything, or do not mean what people expect.
import type { Column } from '../../../manifests/reader/manifest';
import { operatorSynonym } from '../names/foreign-operators';
import { nearest } from '../names/nearest';
import { mondayOf } from '../time/calendar';
import { instantOf, isLocalDate, isLocalDateTime } from '../time/local-time';
import { type Contract, isEnabled } from '../types/contract';
import {
  FILTER_OPERATORS,
  type FilterOperator,
  type ParsedCondition,
  type Scalar,
} from '../types/parsed-query';
import type { Note } from '../types/query-result';
import { noteAt } from './note-at';
import type { NoteName } from './note-table';

interface ValueRule {
  readonly note: NoteName;
  /** If absent, the rule applies to all columns. */
  readonly columns?: readonly string[];
  readonly operators: readonly FilterOperator[];
  /** The feature that the hint needs. */
  readonly feature?: string;
  readonly isWrong: (value: string) => boolean;
  readonly right?: (value: string) => string | undefined;
}

const EQUALITY = ['eq', 'neq', 'in', 'not_in'] as const;
const MONDAY = 1;
const WHOLE_URL = /^https?:\/\//i;
const TWO_LETTERS = /^[a-z]{2}$/i;
const NULL_TEXT =
  /^(?:|null|none|nil|undefined|n\/a|direct \/ none|\((?:direct|none|not set|not provided)\))$/i;
const DIGITS_OF_MONTH = /^(\d{4})[-/.]?(0?[1-9]|1[0-2])(?!\d)/;

const MONTHS = {
  note: 'month form',
  columns: ['access_month', 'month'],
  right: (value: string) => {
    const [, year, month] = DIGITS_OF_MONTH.exec(value) ?? [];
    return month === undefined ? undefined : `${year}-${month.padStart(2, '0')}`;
  },
} as const;

const OF_URLS = [...EQUALITY, 'prefix', 'not_prefix'] as const;

export const VALUE_RULES: readonly ValueRule[] = [
  { note: 'null as text', operators: EQUALITY, isWrong: (value) => NULL_TEXT.test(value) },
  {
    note: 'path of url',
    feature: 'url_parts',
    columns: ['url'],
    operators: OF_URLS,
    isWrong: (value) => /^\/[^?#]*$/.test(value),
  },
  {
    note: 'part of url',
    columns: ['url', 'prev_url', 'next_url'],
    operators: OF_URLS,
    isWrong: (value) => !WHOLE_URL.test(value) && !'https://'.startsWith(value),
  },
  {
    note: 'country form',
    columns: ['country_code'],
    operators: EQUALITY,
    isWrong: (value) => !/^[A-Z]{2}$/.test(value),
    right: (value) => (TWO_LETTERS.test(value) ? value.toUpperCase() : undefined),
  },
  {
    ...MONTHS,
    operators: [...EQUALITY, 'gt', 'lte', 'between'],
    isWrong: (value) => !/^\d{4}-(?:0[1-9]|1[0-2])$/.test(value),
  },
  // A year alone sorts before its months, which is right for these operators.
  { ...MONTHS, operators: ['gte', 'lt'], isWrong: (value) => !/^\d{4}(?:-(?:0[1-9]|1[0-2]))?$/.test(value) },
  {
    note: 'week form',
    columns: ['access_week', 'week'],
    operators: EQUALITY,
    isWrong: (value) => isLocalDate(value) && new Date(value).getUTCDay() !== MONDAY,
    right: mondayOf,
  },
];

export const channelRule = (channels: readonly string[]): ValueRule => ({
  note: 'no channel',
  columns: ['channel'],
  operators: EQUALITY,
  isWrong: (value) => !channels.includes(value),
  right: (value) => nearest(value, channels),
});

export function notesOnCondition(
  condition: ParsedCondition,
  stored: Column | undefined,
  rules: readonly ValueRule[],
  contract: Contract,
  zone: string,
): readonly Note[] {
  const swapped = swappedBounds(condition, zone);
  if (swapped.length > 0 || stored === undefined) return swapped;
  const { column, operator, path } = condition;
  const values = valuesIn(condition);
  const texts = values.filter((value) => typeof value === 'string');
  const isListAlone = 'values' in condition && path.at(-1) === column;
  const [first = ''] = texts;
  // Two letters may be a country or a language: NE is Niger, and ne is Nepali.
  const mayBeOperator = isListAlone && !TWO_LETTERS.test(first);
  const meant = mayBeOperator ? operatorSynonym(first, FILTER_OPERATORS) : undefined;
  if (meant !== undefined)
    return [noteAt(path, 'operator in list', { column, received: first, right: meant })];
  if (EQUALITY.some((one) => one === operator)) {
    const received = values.find((value) => typeof value === 'number' && isOutside(value, stored));
    if (received !== undefined)
      return [
        noteAt(path, 'out of range', {
          column,
          received,
          range: rangeOf(stored),
          right: OTHER_NUMBERS[`${column} ${received}`],
        }),
      ];
  }
  return rules
    .flatMap(({ note, feature, columns, operators, isWrong, right }) => {
      if (columns?.includes(column) === false || !operators.includes(operator)) return [];
      if (feature !== undefined && !isEnabled(contract, feature)) return [];
      const received = texts.find(isWrong);
      return received === undefined
        ? []
        : [noteAt(path, note, { column, received, right: right?.(received) })];
    })
    .slice(0, 1);
}

function swappedBounds({ column, path, ...test }: ParsedCondition, zone: string): readonly Note[] {
  if (!('low' in test)) return [];
  const { low, high } = test;
  return isAfter(low, high, zone) ? [noteAt(path, 'swapped bounds', { column, low, high })] : [];
}

/** Strings are compared in byte order, as the database compares them. */
function isAfter(low: Scalar, high: Scalar, zone: string): boolean {
  if (typeof low === 'number' && typeof high === 'number') return low > high;
  if (typeof low !== 'string' || typeof high !== 'string') return false;
  if (Buffer.compare(Buffer.from(low), Buffer.from(high)) <= 0) return false;
  // A local time that a clock change skips may be a later instant than the local times after it.
  return !isLocalDateTime(low) || !isLocalDateTime(high) || instantOf(low, zone) > instantOf(high, zone);
}

type Range = Pick<Column, 'min' | 'max'>;

const isOutside = (value: number, { min = value, max = value }: Range): boolean => value < min || value > max;

const rangeOf = ({ min, max }: Range): string =>
  [...(min === undefined ? [] : [`at least ${min}`]), ...(max === undefined ? [] : [`at most ${max}`])].join(
    ' and ',
  );

/** Maps numbers in other tools to the numbers with the same meaning here. */
const OTHER_NUMBERS: Readonly<Record<string, number>> = { 'access_hour 24': 0, 'access_weekday 0': 7 };

function valuesIn(condition: ParsedCondition): readonly Scalar[] {
  if ('values' in condition) return condition.values;
  if ('low' in condition) return [condition.low, condition.high];
  return 'value' in condition ? [condition.value] : [];
}
