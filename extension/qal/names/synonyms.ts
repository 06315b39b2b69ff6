// Owns the names that clients bring along from elsewhere, and what they are called here.
import {
  type CalcFunction,
  FILTER_OPERATORS,
  type FilterOperator,
  type JoinMode,
} from '../types/parsed-query';

/** Columns that had another name in this very language. */
const RENAMED: ReadonlyMap<string, string> = new Map([['country', 'country_code']]);

/** Columns by the names that they have in other products. */
const COLUMNS: ReadonlyMap<string, string> = new Map([
  ['device', 'device_type'],
  ['page_url', 'url'],
  ['path', 'url'],
  ['page', 'url'],
  ['page_title', 'title'],
  ['time', 'access_time'],
  ['timestamp', 'access_time'],
  ['date', 'access_date'],
  ['day', 'access_date'],
  ['hour', 'access_hour'],
  ['weekday', 'access_weekday'],
  ['month', 'access_month'],
  ['user_id', 'reader_id'],
  ['visitor_id', 'reader_id'],
]);

const FUNCTIONS: ReadonlyMap<string, CalcFunction> = new Map([
  ['AVG', 'AVERAGE'],
  ['MEAN', 'AVERAGE'],
  ['COUNTDISTINCT', 'COUNTUNIQUE'],
  ['COUNT_DISTINCT', 'COUNTUNIQUE'],
  ['DISTINCT', 'COUNTUNIQUE'],
  ['UNIQUE', 'COUNTUNIQUE'],
  ['TOTAL', 'SUM'],
]);

const OPERATORS: ReadonlyMap<string, FilterOperator> = new Map([
  ['=', 'eq'],
  ['==', 'eq'],
  ['!=', 'neq'],
  ['<>', 'neq'],
  ['ne', 'neq'],
  ['>', 'gt'],
  ['>=', 'gte'],
  ['<', 'lt'],
  ['<=', 'lte'],
  ['startswith', 'prefix'],
  ['starts_with', 'prefix'],
]);

/** Operators that are alike, but not the same. */
const LIKE_OPERATORS: ReadonlyMap<string, FilterOperator> = new Map([
  ['not', 'neq'],
  ['like', 'contains'],
  ['ilike', 'contains'],
]);

const JOIN_MODES: ReadonlyMap<string, JoinMode> = new Map([
  ['left', 'keep-left'],
  ['leftouter', 'keep-left'],
  ['leftjoin', 'keep-left'],
  ['keep', 'keep-left'],
  ['keepleft', 'keep-left'],
  ['inner', 'drop'],
  ['innerjoin', 'drop'],
  ['drop', 'drop'],
]);

/** Words that clients use for a value of a column, in small letters. */
const VALUES: ReadonlyMap<string, ReadonlyMap<string, string>> = new Map([
  [
    'device_type',
    new Map([
      ['desktop', 'PC'],
      ['pc', 'PC'],
      ['computer', 'PC'],
      ['mobile', 'SP'],
      ['smartphone', 'SP'],
      ['phone', 'SP'],
      ['sp', 'SP'],
      ['tablet', 'tablet'],
    ]),
  ],
]);

/** The value of a column that another word stands for; undefined for the value itself. */
export function valueSynonym(column: string, value: string): string | undefined {
  const meant = VALUES.get(column)?.get(value.trim().toLowerCase());
  return meant === value ? undefined : meant;
}

/** The column that once had the name. */
export const renamedColumn = (name: string): string | undefined => RENAMED.get(name.toLowerCase());

/** The column that another name stands for. */
export const columnSynonym = (name: string): string | undefined =>
  renamedColumn(name) ?? COLUMNS.get(name.toLowerCase());

/** The calc function that another name stands for. */
export const functionSynonym = (name: string): CalcFunction | undefined => FUNCTIONS.get(name.toUpperCase());

/** The filter operator that another sign or spelling stands for: `>`, `$gt`, `GT`. */
export function operatorSynonym(name: string): FilterOperator | undefined {
  const folded = name.trim().toLowerCase().replace(/^\$/, '');
  return FILTER_OPERATORS.find((operator) => operator === folded) ?? OPERATORS.get(folded);
}

/** The filter operator that comes nearest to one that does not exist here. */
export const likeOperator = (name: string): FilterOperator | undefined =>
  LIKE_OPERATORS.get(name.toLowerCase());

/** The join mode that another word stands for. */
export const joinModeSynonym = (text: string): JoinMode | undefined =>
  JOIN_MODES.get(text.toLowerCase().replace(/[\s_-]/g, ''));
