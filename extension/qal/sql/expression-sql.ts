// The values of computed columns. A lookup first joins its dimension to the scope.
import { type Expression, type Lookup, SITE_FIELD } from '../types/plan';
import type { ComputedValue } from '../types/resolved-query';
import { type Compilation, dimensionOf, materialTable, type Storage } from './compilation';
import { conditionSql } from './condition-sql';
import type { Dialect } from './dialect';
import { joined, type SelectScope } from './select-scope';
import { ident, integer, join, type Sql, sql, table, value } from './sql';

type Converted = Extract<Expression, { readonly kind: 'converted' }>;
type Occurs = Extract<Expression, { readonly kind: 'occurs' }>;

/** The alias of the rows that a sub-select searches. */
const INNER = 'x';

const lookupName = (it: Lookup | Converted): string =>
  it.kind === 'lookup' ? `${it.key} ${it.dimension}` : `goal ${it.goal}`;

/** The site of a row: that of the query, or its own where the query has several. */
const siteSql = (scope: SelectScope, siteId: number | null): Sql =>
  siteId === null ? scope.column(SITE_FIELD) : value(siteId, 'smallint');

/** A bit of a stored number as 0 or 1; without a bit the number itself. */
export const bitSql = (stored: Sql, bit: number | null): Sql =>
  bit === null ? stored : sql`((${stored} >> ${integer(bit)}) & 1)`;

/** The scope with the dimensions that an expression reads joined to it. */
export function withLookups(
  scope: SelectScope,
  expression: Expression,
  compilation: Compilation,
): SelectScope {
  if (expression.kind === 'joined-texts')
    return expression.parts.reduce((inner, part) => withLookups(inner, part, compilation), scope);
  if (expression.kind !== 'lookup' && expression.kind !== 'converted') return scope;
  const name = lookupName(expression);
  if (scope.lookups.has(name)) return scope;
  const alias = compilation.nextAlias('d');
  const clause =
    expression.kind === 'lookup'
      ? dimensionJoin(scope, expression, alias, compilation.storage)
      : conversionJoin(scope, expression, alias, compilation.storage);
  return {
    ...joined(scope, { kind: 'left', ...clause }),
    lookups: new Map([...scope.lookups, [name, alias]]),
  };
}

function dimensionJoin(
  scope: SelectScope,
  { dimension, key, perSite, siteId }: Lookup,
  alias: string,
  storage: Storage,
) {
  const stored = dimensionOf(dimension, storage);
  const onKey = sql`${ident(alias, stored.id)} = ${scope.column(key)}`;
  const on = perSite ? sql`${ident(alias, 'site_id')} = ${siteSql(scope, siteId)} and ${onKey}` : onKey;
  return { table: sql`${table(stored.table)} as ${ident(alias)}`, on };
}

/** A session converts on a goal once, so that its row is looked up like that of a dimension. */
function conversionJoin(scope: SelectScope, { goal, siteId }: Converted, alias: string, storage: Storage) {
  const on = join(
    [
      sql`${ident(alias, 'site_id')} = ${siteSql(scope, siteId)}`,
      sql`${ident(alias, 'goal_no')} = ${value(goal, 'smallint')}`,
      sql`${ident(alias, 'session_id')} = ${scope.column('session_id')}`,
    ],
    sql` and `,
  );
  return { table: sql`${table(storage.conversionTable)} as ${ident(alias)}`, on };
}

/** An expression as SQL in a scope that has its lookups. */
export function expressionSql(scope: SelectScope, expression: Expression, compilation: Compilation): Sql {
  const { column } = scope;
  const { dialect, storage } = compilation;
  switch (expression.kind) {
    case 'column':
      return column(expression.column);
    case 'flag':
      return sql`${column(expression.column)}::int`;
    case 'lookup':
      return bitSql(lookedUp(scope, expression, expression.field), expression.bit);
    case 'converted':
      return sql`(${lookedUp(scope, expression, 'session_id')} is not null)::int`;
    case 'has-rows':
      return sql`exists (select 1 from ${innerTable(expression.material, storage)} where ${ident(INNER, 'site_id')} = ${siteSql(scope, expression.siteId)} and ${ident(INNER, expression.key)} = ${column(expression.key)})::int`;
    case 'occurs':
      return sql`${dialect.existsByIndex(occurrencesSql(scope, expression, compilation))}::int`;
    case 'session-of-day': {
      // Counts the reader's sessions of the local day up to the row. No local day is longer than two days of hours.
      const { clock, siteId } = expression;
      const [at, innerAt] = [column('at'), ident(INNER, 'at')];
      const day = (time: Sql) => dialect.timePart('date', time, clock);
      return sql`(select count(distinct ${ident(INNER, 'session_id')})::int from ${innerTable('allpv', storage)} where ${ident(INNER, 'site_id')} = ${siteSql(scope, siteId)} and ${ident(INNER, 'reader_id')} = ${column('reader_id')} and ${innerAt} <= ${at} and ${innerAt} > ${at} - interval '2 days' and ${day(innerAt)} = ${day(at)})`;
    }
    case 'time-part':
      return dialect.timePart(expression.part, column(expression.column), expression.clock);
    case 'where': {
      const conditions = expression.conditions.map((it) => conditionSql(it, column(it.column), dialect));
      return sql`case when ${join(conditions, sql` and `)} then ${column(expression.column)} end`;
    }
    case 'computed':
      return computedSql(expression.value, column, dialect);
    case 'joined-texts':
      return sql`(${join(
        expression.parts.map((part) => expressionSql(scope, part, compilation)),
        sql` || ' ' || `,
      )})`;
    case 'ratio':
      return dialect.ratio(column(expression.dividend), column(expression.divisor));
    case 'product': {
      const times = sql`coalesce(${column(expression.times)}, ${value(expression.missing, 'bigint')})`;
      return dialect.product(column(expression.value), times);
    }
  }
}

const lookedUp = (scope: SelectScope, it: Lookup | Converted, field: string): Sql =>
  ident(scope.lookups.get(lookupName(it)) ?? '', field);

const innerTable = (material: string, storage: Storage): Sql =>
  sql`${materialTable(material, storage)} ${ident(INNER)}`;

function occurrencesSql(
  { column }: SelectScope,
  { material, key, others, bounds }: Occurs,
  { dialect, storage }: Compilation,
): Sql {
  const at = ident(INNER, bounds.field);
  const conditions = [
    sql`${ident(INNER, 'site_id')} = ${column(SITE_FIELD)}`,
    sql`${ident(INNER, key)} = ${column(key)}`,
    ...others.map((name) => sql`${ident(INNER, name)} is not distinct from ${column(name)}`),
    sql`${at} >= ${dialect.constant('datetime', bounds.start)}`,
    sql`${at} < ${dialect.constant('datetime', bounds.end)}`,
  ];
  return sql`select 1 from ${innerTable(material, storage)} where ${join(conditions, sql` and `)}`;
}

/** A value of the row's stored fields alone. Numbers are computed exactly and become doubles last. */
function computedSql(computed: ComputedValue, column: (name: string) => Sql, dialect: Dialect): Sql {
  switch (computed.kind) {
    case 'constant':
      return value(computed.value, 'int');
    case 'has-value':
      return sql`(${column(computed.column)} is not null)::int`;
    case 'shifted':
      return sql`(${column(computed.column)} + ${value(computed.by, 'int')})`;
    case 'product': {
      const factors = computed.columns.map((name) => sql`${column(name)}::bigint`);
      const product = sql`(${join(factors, sql` * `)})`;
      return computed.per === 1 ? product : sql`(${product}::float8 / ${value(computed.per, 'float8')})`;
    }
    case 'rounded-ratio': {
      const { dividend, divisor, per, digits } = computed;
      return dialect.roundedRatio(column(dividend), column(divisor), per, digits);
    }
    case 'word':
      return dialect.wordAt(computed.words, column(computed.column));
    case 'letters-number':
      return dialect.lettersNumber(column(computed.column));
    case 'json-text':
      return dialect.jsonText(column(computed.column));
    case 'parameter':
      return dialect.parameter(column(computed.column), computed.name, computed.type);
  }
}
