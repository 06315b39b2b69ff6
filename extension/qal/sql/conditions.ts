// Owns the SQL of a filter's test.
// Null in a row passes only neq and is-null; text compares bytewise whatever the collation of the database.
import type { ColumnType } from '../../../manifests/reader/schema';
import type { Comparison } from '../types/parsed-query';
import type { PlanCondition } from '../types/plan';
import type { ResolvedValue } from '../types/resolved-query';
import { bind, type Sql, sql } from './block';

const COMPARISON_SQL: Readonly<Record<Comparison, string>> = {
  eq: '{} = {}',
  neq: '{} is distinct from {}',
  gt: '{} > {}',
  gte: '{} >= {}',
  lt: '{} < {}',
  lte: '{} <= {}',
  contains: 'strpos({}, {}) > 0',
  prefix: 'starts_with({}, {})',
};

/** The SQL of a condition on a column. */
export function conditionSql({ type, test }: PlanCondition, column: Sql): Sql {
  switch (test.operator) {
    case 'is-null':
      return sql('{} is null', column);
    case 'is-not-null':
      return sql('{} is not null', column);
    case 'in':
      return inList(column, type, test.values);
    case 'between':
      return sql(
        '{} between {} and {}',
        ordered(column, type),
        valueSql(type, test.low),
        valueSql(type, test.high),
      );
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return sql(COMPARISON_SQL[test.operator], ordered(column, type), valueSql(type, test.value));
    case 'eq':
    case 'neq':
    case 'contains':
    case 'prefix':
      return sql(COMPARISON_SQL[test.operator], column, valueSql(type, test.value));
  }
}

/** Equality is bytewise under every collation that a database may have; order is not. */
const ordered = (column: Sql, type: ColumnType): Sql =>
  type === 'text' ? sql('{} collate "C"', column) : column;

/** One binding for the whole list: its length changes neither the statement nor the number of bindings. */
function inList(column: Sql, type: ColumnType, values: readonly ResolvedValue[]): Sql {
  const texts = values.filter((value) => typeof value === 'string');
  const numbers = values.filter((value) => typeof value === 'number');
  switch (type) {
    case 'text':
    case 'date':
      return sql('{} = any({})', column, bind(texts, `${type}[]`));
    case 'datetime':
      return sql('extract(epoch from {}) = any({})', column, bind(numbers, 'numeric[]'));
    case 'id':
    case 'int':
    case 'num':
    case 'flag':
      return sql(
        '{} = any({})',
        column,
        bind(numbers, numbers.every(Number.isSafeInteger) ? 'bigint[]' : 'float8[]'),
      );
  }
}

/** Whole numbers stay whole, so that indexes of every integer type serve; others compare as doubles. */
export function valueSql(type: ColumnType, value: ResolvedValue): Sql {
  if (type === 'datetime') return sql('to_timestamp({})', bind(value, 'float8'));
  if (typeof value === 'number') return bind(value, Number.isSafeInteger(value) ? 'bigint' : 'float8');
  return bind(value, type === 'date' ? 'date' : 'text');
}
