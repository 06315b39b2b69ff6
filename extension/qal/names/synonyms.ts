// Owns the names that clients bring along from elsewhere, and what they are called here.
import type { CalcFunction, FilterOperator } from '../types/parsed-query';

/** Columns: names that they had, or have in other products. */
const COLUMNS: ReadonlyMap<string, string> = new Map([
  ['country', 'country_code'],
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
  ['not', 'neq'],
  ['>', 'gt'],
  ['>=', 'gte'],
  ['<', 'lt'],
  ['<=', 'lte'],
  ['like', 'contains'],
  ['ilike', 'contains'],
  ['startswith', 'prefix'],
  ['starts_with', 'prefix'],
]);

/** The column that another name stands for. */
export const columnSynonym = (name: string): string | undefined => COLUMNS.get(name.toLowerCase());

/** The calc function that another name stands for. */
export const functionSynonym = (name: string): CalcFunction | undefined => FUNCTIONS.get(name.toUpperCase());

/** The filter operator that another name stands for. */
export const operatorSynonym = (name: string): FilterOperator | undefined =>
  OPERATORS.get(name.toLowerCase());
