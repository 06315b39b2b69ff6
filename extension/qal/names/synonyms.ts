// Owns the names that clients bring along from elsewhere, and what they are called here.
import {
  CALC_FUNCTIONS,
  type CalcFunction,
  FILTER_OPERATORS,
  type FilterOperator,
  type JoinMode,
} from '../types/parsed-query';
import { nearest } from './nearest';

/** Columns that had another name in this very language. */
const RENAMED: ReadonlyMap<string, string> = new Map([['country', 'country_code']]);

/** What the values of a renamed column look like, where another column of the old name would have others. */
const RENAMED_VALUES: ReadonlyMap<string, { readonly form: RegExp; readonly holds: string }> = new Map([
  ['country_code', { form: /^[A-Z]{2}$/, holds: 'two capital letters (ISO 3166-1 alpha-2) such as "JP"' }],
]);

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
  ['query', 'keyword'],
  ['search_query', 'keyword'],
  ['campaign', 'utm_campaign'],
  ['source', 'utm_source'],
  ['medium', 'utm_medium'],
]);

/** Parts of the time of rows that are days or months. */
const PARTS_OF_DAYS: ReadonlyMap<string, string> = new Map([
  ['access_date', 'date'],
  ['access_month', 'month'],
]);

const FUNCTIONS: ReadonlyMap<string, CalcFunction> = new Map([
  ['AVG', 'AVERAGE'],
  ['MEAN', 'AVERAGE'],
  ['COUNTDISTINCT', 'COUNTUNIQUE'],
  ['COUNT_DISTINCT', 'COUNTUNIQUE'],
  ['TOTAL', 'SUM'],
]);

/** Functions that are alike, but say more than a number. */
const LIKE_FUNCTIONS: ReadonlyMap<string, CalcFunction> = new Map([
  ['DISTINCT', 'COUNTUNIQUE'],
  ['UNIQUE', 'COUNTUNIQUE'],
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
  ['ge', 'gte'],
  ['le', 'lte'],
  ['equals', 'eq'],
  ['equal', 'eq'],
  ['startswith', 'prefix'],
  ['starts_with', 'prefix'],
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

/** Words that clients use for a class of device, in small letters. */
const DEVICES: ReadonlyMap<string, string> = new Map([
  ['desktop', 'PC'],
  ['pc', 'PC'],
  ['computer', 'PC'],
  ['mobile', 'SP'],
  ['smartphone', 'SP'],
  ['phone', 'SP'],
  ['sp', 'SP'],
  ['tablet', 'tablet'],
]);

/** Words that clients use for the values of a column; what the manifest itself calls them is not repeated here. */
const VALUES: ReadonlyMap<string, ReadonlyMap<string, string>> = new Map([
  ['device_type', DEVICES],
  ['device_id', DEVICES],
]);

/** The value of a column that another word stands for; undefined for the value itself. */
export function valueSynonym(column: string, value: string): string | undefined {
  const meant = VALUES.get(column)?.get(value.trim().toLowerCase());
  return meant === value ? undefined : meant;
}

/** The column that once had the name. */
export const renamedColumn = (name: string): string | undefined => RENAMED.get(name.toLowerCase());

/** What a renamed column holds, when one of the values is none for it. */
export function holdsInstead(column: string, values: readonly unknown[]): string | undefined {
  const known = RENAMED_VALUES.get(column);
  const isRight = values.every((it) => it === null || known?.form.test(String(it)) !== false);
  return isRight ? undefined : known?.holds;
}

/** The column that another name stands for. */
export const columnSynonym = (name: string): string | undefined =>
  renamedColumn(name) ?? COLUMNS.get(name.toLowerCase());

/** The column of a material of days that another calls otherwise. */
export const partOfDays = (name: string): string | undefined => PARTS_OF_DAYS.get(name.toLowerCase());

/** The calc function that another name stands for. */
export const functionSynonym = (name: string): CalcFunction | undefined => FUNCTIONS.get(name.toUpperCase());

/** The calc function that comes nearest to one that does not exist; another beginning is another word. */
export function nearFunction(name: string): CalcFunction | undefined {
  const upper = name.toUpperCase();
  const near = nearest(upper, CALC_FUNCTIONS);
  const isOther = near?.charAt(0) !== upper.charAt(0) || upper.endsWith('IF');
  return LIKE_FUNCTIONS.get(upper) ?? (isOther ? undefined : CALC_FUNCTIONS.find((it) => it === near));
}

/** The filter operator that another sign or spelling stands for: `>`, `$gt`, `GT`. */
export function operatorSynonym(name: string): FilterOperator | undefined {
  const folded = name.trim().toLowerCase().replace(/^\$/, '');
  return FILTER_OPERATORS.find((operator) => operator === folded) ?? OPERATORS.get(folded);
}

/** The join mode that another word stands for. */
export const joinModeSynonym = (text: string): JoinMode | undefined =>
  JOIN_MODES.get(text.toLowerCase().replace(/[\s_-]/g, ''));
