import type { Aggregate } from '../types/plan';
import { orderedSql } from './condition-sql';
import type { Dialect } from './dialect';
import { type Sql, sql } from './sql';

const MIDDLE = { of: 50, in: 100 };

/** Over no rows, COUNT, COUNTUNIQUE and SUM are 0, and all other aggregates are null. */
export function aggregateSql(aggregate: Aggregate, column: (name: string) => Sql, dialect: Dialect): Sql {
  if (aggregate.column === null) return sql`count(*)`;
  const { type, within, by = aggregate.column, share = MIDDLE } = aggregate;
  const values = column(aggregate.column);
  switch (aggregate.function) {
    case 'COUNT':
      return sql`count(${values})`;
    case 'COUNTUNIQUE':
      return dialect.countDistinct(values, within.map(column));
    case 'SUM':
      return dialect.sum(values, type);
    case 'AVERAGE':
      return dialect.mean(values, type);
    case 'MIN':
      return sql`min(${orderedSql(values, type, dialect)})`;
    case 'MAX':
      return sql`max(${orderedSql(values, type, dialect)})`;
    case 'PERCENTILE':
      return dialect.percentile(values, type, share);
    case 'FIRST':
      return dialect.firstBy(values, column(by), 'asc');
    case 'LAST':
      return dialect.firstBy(values, column(by), 'desc');
  }
}
