// SQL for filter tests. A row whose column is null passes only neq, not_... and is-null.
import type { ColumnType } from '../../../manifests/reader/schema';
import type { OrderTest } from '../types/parsed-query';
import type { ColumnCondition, PlanCondition } from '../types/plan';
import type { Dialect } from './dialect';
import { allOf, join, type Sql, sql, value } from './sql';

export function conditionSql(condition: PlanCondition, column: (name: string) => Sql, dialect: Dialect): Sql {
  if ('test' in condition) return testSql(condition, column(condition.column), dialect);
  if ('other' in condition) {
    const { type, operator } = condition;
    const compared = (name: string): Sql =>
      type === 'num' ? dialect.double(column(name)) : orderedSql(column(name), type, dialect);
    return sql`${compared(condition.column)} ${OPERATORS[operator]} ${compared(condition.other)}`;
  }
  const alternatives = condition.anyOf.map((all) =>
    all.length === 0 ? sql`true` : allOf(all.map((it) => conditionSql(it, column, dialect))),
  );
  const holds = alternatives.length === 0 ? sql`false` : sql`(${join(alternatives, sql` or `)})`;
  return condition.except ? sql`${holds} is not true` : holds;
}

const OPERATORS: Readonly<Record<OrderTest, Sql>> = {
  eq: sql`=`,
  neq: sql`<>`,
  gt: sql`>`,
  gte: sql`>=`,
  lt: sql`<`,
  lte: sql`<=`,
};

export function testSql(
  { type, test }: Pick<ColumnCondition, 'type' | 'test'>,
  column: Sql,
  dialect: Dialect,
): Sql {
  // Equality is bytewise under every collation, but order is not.
  const ordered = orderedSql(column, type, dialect);
  const except = (passes: ColumnCondition['test']): Sql =>
    sql`(${testSql({ type, test: passes }, column, dialect)}) is not true`;
  switch (test.operator) {
    case 'is-null':
      return sql`${column} is null`;
    case 'is-not-null':
      return sql`${column} is not null`;
    case 'in':
      return dialect.isOneOf(column, type, test.values);
    case 'not_in':
      return except({ ...test, operator: 'in' });
    case 'not_contains':
      return except({ ...test, operator: 'contains' });
    case 'not_prefix':
      return except({ ...test, operator: 'prefix' });
    case 'not_suffix':
      return except({ ...test, operator: 'suffix' });
    case 'between':
      return sql`${ordered} between ${dialect.constant(type, test.low)} and ${dialect.constant(type, test.high)}`;
    case 'eq':
      return sql`${column} = ${dialect.constant(type, test.value)}`;
    case 'neq':
      return sql`${column} is distinct from ${dialect.constant(type, test.value)}`;
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return sql`${ordered} ${OPERATORS[test.operator]} ${dialect.constant(type, test.value)}`;
    case 'contains':
      return dialect.contains(column, dialect.constant(type, test.value));
    case 'prefix':
      return sql`starts_with(${column}, ${dialect.constant(type, test.value)})`;
    case 'suffix':
      return dialect.endsWith(column, dialect.constant(type, test.value));
  }
}

/** A column for ordering comparisons, which are bytewise for text. */
export const orderedSql = (column: Sql, type: ColumnType, dialect: Dialect): Sql =>
  type === 'text' ? dialect.bytewise(column) : column;

export const isInSites = (site: Sql, siteIds: readonly number[], dialect: Dialect): Sql =>
  siteIds.length === 1
    ? sql`${site} = ${value(siteIds[0] ?? 0, 'smallint')}`
    : dialect.isInList(site, 'smallint', siteIds);
