import { valuesOf } from './arithmetic';
import { columnsOfFilter } from './filter-parts';
import { microsField } from './micros';
import { type Aggregate, type DimensionFilter, type Expression, SITE_FIELD } from './plan';
import type { ComputedValue } from './resolved-query';

/** The columns that an expression reads, in no particular order, with duplicates. */
export function columnsOf(value: Expression): readonly string[] {
  switch (value.kind) {
    case 'column':
    case 'flag':
    case 'time-part':
      return [value.column];
    case 'lookup':
    case 'passed-tests':
      return value.perSite ? withSite(value, [value.key]) : [value.key];
    case 'converted':
      return withSite(value, ['session_id']);
    case 'has-rows':
      return withSite(value, [value.key]);
    case 'session-of-day':
      return withSite(value, ['reader_id', 'at']);
    case 'where':
      return [value.column, ...columnsOfFilter(value.conditions)];
    case 'computed':
      return columnsOfComputed(value.value);
    case 'either':
      return value.columns;
    case 'joined-texts':
      return value.parts.flatMap(columnsOf);
    case 'channel':
      return [value.source, value.medium].flatMap(columnsOf);
    case 'arithmetic':
      return valuesOf(value.value).map(({ column }) => column);
    case 'product':
      return [value.value, value.times];
  }
}

export const columnsOfAggregate = ({ column, within, by }: Aggregate): readonly string[] => [
  ...(column === null ? [] : [column]),
  ...within,
  ...(by === undefined ? [] : [by]),
];

export const columnsOfDimensionFilter = ({ key, siteIds }: DimensionFilter): readonly string[] =>
  siteIds.length > 1 ? [key, SITE_FIELD] : [key];

export const eachOnce = (columns: readonly string[]): readonly string[] => [...new Set(columns)];

/** Adds the site column if rows may belong to different sites. */
const withSite = (
  { siteId }: { readonly siteId: number | null },
  columns: readonly string[],
): readonly string[] => (siteId === null ? [...columns, SITE_FIELD] : columns);

function columnsOfComputed(value: ComputedValue): readonly string[] {
  switch (value.kind) {
    case 'constant':
      return [];
    case 'product':
      return value.columns;
    case 'micros':
      return [microsField(value.column)];
    case 'rounded-ratio':
      return [value.dividend, value.divisor];
    case 'has-value':
    case 'shifted':
    case 'word':
    case 'letters-number':
    case 'json-text':
    case 'parameter':
      return [value.column];
  }
}
