// Owns which columns of its input a value or an aggregate is computed from.
import { type Aggregate, type Expression, SITE_FIELD } from './plan';
import type { ComputedValue } from './resolved-query';

/** The columns that an expression reads; `isPerSite` tells whether the ids of a dimension are those of a site alone. */
export function columnsOf(value: Expression, isPerSite: (dimension: string) => boolean): readonly string[] {
  switch (value.kind) {
    case 'column':
    case 'flag':
    case 'time-part':
      return [value.column];
    case 'lookup':
      return isPerSite(value.dimension) ? ofSite(value, [value.key]) : [value.key];
    case 'converted':
      return ofSite(value, ['session_id']);
    case 'has-rows':
      return ofSite(value, [value.key]);
    case 'occurs':
      return [value.key, ...value.others, SITE_FIELD];
    case 'session-of-day':
      return ofSite(value, ['reader_id', 'at']);
    case 'where':
      return [value.column, ...value.conditions.map(({ column }) => column)];
    case 'computed':
      return columnsOfComputed(value.value);
    case 'joined-texts':
      return value.parts.flatMap((part) => columnsOf(part, isPerSite));
    case 'ratio':
      return [value.dividend, value.divisor];
    case 'product':
      return [value.value, value.times];
  }
}

/** The columns that an aggregate reads. */
export const columnsOfAggregate = ({ column, within, by }: Aggregate): readonly string[] => [
  ...(column === null ? [] : [column]),
  ...within,
  ...(by === undefined ? [] : [by]),
];

/** Columns in their order, each once. */
export const eachOnce = (columns: readonly string[]): readonly string[] => [...new Set(columns)];

/** With the site, where it differs from row to row. */
const ofSite = (
  { siteId }: { readonly siteId: number | null },
  columns: readonly string[],
): readonly string[] => (siteId === null ? [...columns, SITE_FIELD] : columns);

function columnsOfComputed(value: ComputedValue): readonly string[] {
  switch (value.kind) {
    case 'constant':
      return [];
    case 'product':
      return value.columns;
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
