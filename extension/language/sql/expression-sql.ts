// The values of computed columns. Lookups first join their dimension to the scope.
import { DAY_SECONDS } from '../time/calendar';
import { microsField } from '../types/micros';
import { type Expression, type Lookup, type PassedTests, SITE_FIELD } from '../types/plan';
import type { ComputedValue } from '../types/resolved-query';
import { channelSql, withChannelLookups } from './channel-sql';
import { type Compilation, dimensionOf, materialTable, type Storage } from './compilation';
import { conditionSql, testSql } from './condition-sql';
import type { Dialect } from './dialect';
import { joined, type SelectScope, siteSql } from './select-scope';
import { allOf, ident, integer, type JoinClause, join, type Sql, sql, table, value } from './sql';

type Joined = Lookup | Converted | PassedTests;
type Converted = Extract<Expression, { readonly kind: 'converted' }>;

/** An upper bound on the length of a local day. */
const MAX_DAY_SECONDS = 2 * DAY_SECONDS;

/** A field of the rows in a subquery. */
const inner = (field: string): Sql => ident('x', field);

const searchedRows = (material: string, conditions: readonly Sql[], storage: Storage): Sql =>
  sql`from ${materialTable(material, storage)} ${ident('x')} where ${allOf(conditions)}`;

/** A bit of a stored number as 0 or 1, or the number if `bit` is null. */
export const bitSql = (stored: Sql, bit: number | null): Sql =>
  bit === null ? stored : sql`((${stored} >> ${integer(bit)}) & 1)`;

export function withLookups(
  scope: SelectScope,
  expression: Expression,
  compilation: Compilation,
): SelectScope {
  if (expression.kind === 'joined-texts')
    return expression.parts.reduce((current, part) => withLookups(current, part, compilation), scope);
  if (expression.kind === 'channel') return withChannelLookups(scope, expression, compilation);
  if (!isJoined(expression)) return scope;
  const name = lookupName(expression);
  if (scope.lookups.has(name)) return scope;
  const alias = compilation.nextAlias('d');
  const clause = lookupJoin(scope, expression, alias, compilation);
  return { ...joined(scope, clause), lookups: new Map([...scope.lookups, [name, alias]]) };
}

const isJoined = (expression: Expression): expression is Joined =>
  ['lookup', 'converted', 'passed-tests'].includes(expression.kind);

function lookupName(it: Joined): string {
  switch (it.kind) {
    case 'lookup':
      return `${it.key} ${it.dimension}`;
    case 'passed-tests':
      return `${it.key} ${it.dimension} ${JSON.stringify(it.tests)}`;
    case 'converted':
      return `goal ${it.goal}`;
  }
}

function lookupJoin(scope: SelectScope, it: Joined, alias: string, compilation: Compilation): JoinClause {
  const { storage } = compilation;
  const field = (name: string) => ident(alias, name);
  const isOfSite = () => sql`${field('site_id')} = ${siteSql(scope, it.siteId)}`;
  if (it.kind !== 'converted') {
    const stored = dimensionOf(it.dimension, storage);
    const hasKey = sql`${field(stored.id)} = ${scope.column(it.key)}`;
    const on = it.perSite ? allOf([isOfSite(), hasKey]) : hasKey;
    const rows = it.kind === 'lookup' ? table(stored.table) : testedRows(it, compilation);
    return { kind: 'left', table: sql`${rows} as ${ident(alias)}`, on };
  }
  // A session converts on a goal at most once, so the conversion can be looked up like a dimension row.
  const isOfGoal = sql`${field('goal_no')} = ${value(it.goal, 'smallint')}`;
  const isOfSession = sql`${field('session_id')} = ${scope.column('session_id')}`;
  const conversions = sql`${table(storage.conversionTable)} as ${ident(alias)}`;
  return { kind: 'left', table: conversions, on: allOf([isOfSite(), isOfGoal, isOfSession]) };
}

/** Dimension rows, each with the sum of the bits of the tests that it passes. */
function testedRows({ dimension, perSite, tests }: PassedTests, { dialect, storage }: Compilation): Sql {
  const stored = dimensionOf(dimension, storage);
  const ids = [...(perSite ? [SITE_FIELD] : []), stored.id].map(inner);
  const passed = tests.map(({ bits, all }) => {
    const passes = all.map((it) => testSql(it, bitSql(inner(it.field), it.bit), dialect));
    return sql`case when ${allOf(passes)} then ${integer(bits)} else 0 end`;
  });
  return sql`(select ${join(ids)}, ${join(passed, sql` + `)} as ${ident(PASSED)} from ${table(stored.table)} as ${ident('x')})`;
}

const PASSED = 'passed';

const lookedUp = (scope: SelectScope, it: Joined, field: string): Sql =>
  ident(scope.lookups.get(lookupName(it)) ?? '', field);

/** The scope must already have the expression's lookups. */
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
    case 'passed-tests':
      return sql`coalesce(${lookedUp(scope, expression, PASSED)}, 0)`;
    case 'converted':
      return sql`(${lookedUp(scope, expression, 'session_id')} is not null)::int`;
    case 'has-rows': {
      const { material, key, siteId } = expression;
      const isOfSite = sql`${inner(SITE_FIELD)} = ${siteSql(scope, siteId)}`;
      const hasKey = sql`${inner(key)} = ${column(key)}`;
      return sql`exists (select 1 ${searchedRows(material, [isOfSite, hasKey], storage)})::int`;
    }
    case 'session-of-day': {
      const at = column('at');
      const day = (time: Sql) => dialect.timePart('date', time, expression.clock);
      const conditions = [
        sql`${inner(SITE_FIELD)} = ${siteSql(scope, expression.siteId)}`,
        sql`${inner('reader_id')} = ${column('reader_id')}`,
        sql`${inner('at')} <= ${at}`,
        sql`${inner('at')} > ${dialect.earlier(at, MAX_DAY_SECONDS)}`,
        sql`${day(inner('at'))} = ${day(at)}`,
      ];
      return sql`(select count(distinct ${inner('session_id')})::int ${searchedRows('allpv', conditions, storage)})`;
    }
    case 'time-part':
      return dialect.timePart(expression.part, column(expression.column), expression.clock);
    case 'where': {
      const conditions = expression.conditions.map((it) => conditionSql(it, column, dialect));
      const { otherwise } = expression;
      const holds = sql`when ${allOf(conditions)} then ${column(expression.column)}`;
      return otherwise === undefined
        ? sql`case ${holds} end`
        : sql`case ${holds} else ${dialect.constant(otherwise.type, otherwise.value)} end`;
    }
    case 'computed':
      return computedSql(expression.value, column, dialect);
    case 'either':
      return sql`coalesce(${join(expression.columns.map(column))})`;
    case 'channel':
      return channelSql(scope, expression, dialect);
    case 'joined-texts': {
      const parts = expression.parts.map((part) => expressionSql(scope, part, compilation));
      return sql`(${join(parts, sql` || ' ' || `)})`;
    }
    case 'arithmetic':
      throw new Error('Only withQuotients computes arithmetic.');
    case 'product': {
      const times = sql`coalesce(${column(expression.times)}, ${value(expression.missing, 'bigint')})`;
      return dialect.product(column(expression.value), times);
    }
  }
}

/** Numbers are computed exactly and converted to doubles last. */
function computedSql(computed: ComputedValue, column: (name: string) => Sql, dialect: Dialect): Sql {
  switch (computed.kind) {
    case 'constant':
      return value(computed.value, 'int');
    case 'has-value':
      return sql`(${column(computed.column)} is not null)::int`;
    case 'shifted':
      return sql`(${column(computed.column)} + ${value(computed.by, 'int')})`;
    case 'product': {
      const [first = '', ...others] = computed.columns;
      const factors = others.map((name) => sql` * ${column(name)}::bigint`);
      const product = sql`(${column(first)}${join(factors, sql``)})`;
      return computed.per === 1 ? product : sql`(${product}::float8 / ${integer(computed.per)})`;
    }
    case 'micros':
      return dialect.micros(column(microsField(computed.column)));
    case 'rounded-ratio': {
      const whole = dialect.wholeRatio(column(computed.dividend), column(computed.divisor), computed);
      return computed.per === 1 ? whole : sql`(${whole}::float8 / ${integer(computed.per)})`;
    }
    case 'word':
      return sql`(${value(computed.words, 'text[]')})[${column(computed.column)} + 1]`;
    case 'letters-number': {
      const text = column(computed.column);
      return sql`(ascii(${text}) * 256 + ascii(substr(${text}, 2, 1)))`;
    }
    case 'json-text':
      return dialect.jsonText(column(computed.column));
    case 'parameter':
      return dialect.parameter(column(computed.column), computed.name, computed.type);
  }
}
