// SQL for aggregates.
import type { Share } from '../types/arithmetic';
import type { Aggregate } from '../types/plan';
import { orderedSql } from './condition-sql';
import type { Dialect } from './dialect';
import { type Sql, sql } from './sql';

const MIDDLE: Share = { of: 50, in: 100 };

/** If there are no rows, COUNT, COUNTUNIQUE and SUM are 0, and all other aggregates are null. `all`: the group's aggregates. */
export function aggregateSql(
  aggregate: Aggregate,
  all: readonly Aggregate[],
  column: (name: string) => Sql,
  dialect: Dialect,
): Sql {
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
    case 'MIN':
      return sql`min(${orderedSql(values, type, dialect)})`;
    case 'MAX':
      return sql`max(${orderedSql(values, type, dialect)})`;
    case 'PERCENTILE':
      return dialect.percentile(values, type, share, sharesOf(aggregate, all));
    case 'FIRST':
      return dialect.firstBy(values, column(by), 'asc');
    case 'LAST':
      return dialect.firstBy(values, column(by), 'desc');
  }
}

/** The shares of all percentiles of the same column. */
const sharesOf = ({ column }: Aggregate, all: readonly Aggregate[]): readonly Share[] =>
  all.flatMap((one) => (one.function === 'PERCENTILE' && one.column === column ? [one.share ?? MIDDLE] : []));
