// Reads the unique counts of the column copy: counts each value only in its first quarter of an hour.
import { SITE_FIELD } from '../types/plan';
import { type UniqueCountsNode, uniqueCountsTable } from '../types/unique-counts';
import type { Compilation } from './compilation';
import { isOfSites } from './condition-sql';
import { filtered, fromTable, type SelectScope, withColumns } from './select-scope';
import { type Sql, sql, table } from './sql';

export function compileUniqueCounts(
  { counts, siteIds, start, end, period }: UniqueCountsNode,
  { dialect, nextAlias }: Compilation,
): SelectScope {
  const scope = fromTable(table(uniqueCountsTable(counts)), nextAlias('u'));
  const at = scope.column('at');
  const previous = scope.column('previous');
  const from = dialect.constant('datetime', start);
  const inRange = [
    isOfSites(scope.column(SITE_FIELD), siteIds, dialect),
    sql`${at} >= ${from}`,
    sql`${at} < ${dialect.constant('datetime', end)}`,
  ];
  const isFirst = sql`${previous} is null or ${previous} < ${from}`;
  if (period === null) return filtered(scope, [...inRange, sql`(${isFirst})`]);
  const periodOf = (time: Sql) => dialect.timePart(period.part, time, period.clock);
  const isFirstOfPeriod = sql`(${isFirst} or ${periodOf(previous)} <> ${periodOf(at)})`;
  return withColumns(filtered(scope, [...inRange, isFirstOfPeriod]), new Map([[period.name, periodOf(at)]]));
}
