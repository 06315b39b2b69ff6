// Owns the SQL of a computed column.
// Expression of the plan + the block it stands in -> SQL, in brackets where it has an operator, since any other may
// stand around it; a look-up joins its dimension to the block.

import type { TimePart } from '../../../manifests/reader/schema';
import type { LocalClock } from '../../time/local-clock';
import { type Expression, SITE_FIELD } from '../types/plan';
import { ratio } from './aggregates';
import { type Aliases, type Block, bind, raw, type Sql, sql } from './block';
import { computedSql } from './computed';
import { conditionSql } from './conditions';
import { CONVERSION_TABLE, dimensionTable, materialTable } from './tables';

const siteSql = (block: Block, { siteId }: { readonly siteId: number | null }): Sql =>
  siteId === null ? block.column(SITE_FIELD) : bind(siteId, 'smallint');

/** The block with the dimensions that an expression reads joined to it. */
export function withLookups(block: Block, value: Expression, aliases: Aliases): Block {
  if (value.kind === 'joined-texts')
    return value.parts.reduce((b, part) => withLookups(b, part, aliases), block);
  if (value.kind === 'converted') return withConversions(block, value, aliases);
  if (value.kind !== 'lookup' || block.lookups.has(lookupName(value))) return block;
  const { table, id } = dimensionTable(value.dimension);
  const alias = aliases.next('d');
  const onKey = sql(`${alias}.${id} = {}`, block.column(value.key));
  const on = value.perSite ? sql(`${alias}.site_id = {} and {}`, siteSql(block, value), onKey) : onKey;
  block.query.leftJoin(`analytics.${table} as ${alias}`, raw(on));
  return { ...block, lookups: new Map([...block.lookups, [lookupName(value), alias]]) };
}

type Converted = Extract<Expression, { readonly kind: 'converted' }>;

const conversionName = ({ goal }: Converted): string => `goal ${goal}`;

/** A session converts on a goal once, so that its row is looked up like a text. */
function withConversions(block: Block, value: Converted, aliases: Aliases): Block {
  const name = conversionName(value);
  if (block.lookups.has(name)) return block;
  const alias = aliases.next('d');
  const on = sql(
    `${alias}.site_id = {} and ${alias}.goal_no = {} and ${alias}.session_id = {}`,
    siteSql(block, value),
    bind(value.goal, 'smallint'),
    block.column('session_id'),
  );
  block.query.leftJoin(`analytics.${CONVERSION_TABLE} as ${alias}`, raw(on));
  return { ...block, lookups: new Map([...block.lookups, [name, alias]]) };
}

type Lookup = Extract<Expression, { readonly kind: 'lookup' }>;

const lookupName = ({ key, dimension }: Lookup): string => `${key} ${dimension}`;

/** The SQL of an expression in a block that has its look-ups. */
export function expressionSql(block: Block, value: Expression): Sql {
  switch (value.kind) {
    case 'column':
      return block.column(value.column);
    case 'flag':
      return sql('{}::int', block.column(value.column));
    case 'lookup': {
      const field = `${block.lookups.get(lookupName(value))}.${value.field}`;
      return { text: value.bit === null ? field : `((${field} >> ${value.bit}) & 1)`, bindings: [] };
    }
    case 'converted':
      return {
        text: `(${block.lookups.get(conversionName(value))}.session_id is not null)::int`,
        bindings: [],
      };
    case 'has-rows':
      return sql(
        `exists (select 1 from analytics.${materialTable(value.material)} x where x.site_id = {} and x.${value.key} = {})::int`,
        siteSql(block, value),
        block.column(value.key),
      );
    case 'occurs':
      return occurs(block, value);
    case 'session-of-day':
      return sessionOfDay(block, value);
    case 'time-part': {
      const stored = block.column(value.column);
      const local = value.clock === null ? stored : localTime(stored, value.clock);
      return sql(TIME_PARTS[value.part], local);
    }
    case 'where':
      return sql(
        `case when ${value.conditions.map(() => '{}').join(' and ')} then {} end`,
        ...value.conditions.map((condition) => conditionSql(condition, block.column(condition.column))),
        block.column(value.column),
      );
    case 'computed':
      return computedSql(value.value, block.column);
    case 'joined-texts':
      return sql(
        `(${value.parts.map(() => '{}').join(" || ' ' || ")})`,
        ...value.parts.map((part) => expressionSql(block, part)),
      );
    case 'ratio':
      return ratio(block.column(value.dividend), block.column(value.divisor));
    case 'product':
      return sql(
        '({}::numeric * coalesce({}, {}))',
        block.column(value.value),
        block.column(value.times),
        bind(value.missing, 'bigint'),
      );
  }
}

type Occurs = Extract<Expression, { readonly kind: 'occurs' }>;

/** OFFSET keeps it a search for each row by an index: as a join it would read all rows of the time. */
function occurs(block: Block, { material, key, others, bounds }: Occurs): Sql {
  const { field, start, end } = bounds;
  return sql(
    `exists (select 1 from analytics.${materialTable(material)} x where x.site_id = {} and x.${key} = {}${others.map((name) => ` and x.${name} is not distinct from {}`).join('')} and x.${field} >= to_timestamp({}) and x.${field} < to_timestamp({}) offset 0)::int`,
    block.column(SITE_FIELD),
    block.column(key),
    ...others.map(block.column),
    bind(start, 'float8'),
    bind(end, 'float8'),
  );
}

type SessionOfDay = Extract<Expression, { readonly kind: 'session-of-day' }>;

/** Counted over the reader's views of the local day up to the row; no local day has more than two days of hours. */
function sessionOfDay(block: Block, value: SessionOfDay): Sql {
  const at = block.column('at');
  return sql(
    `(select count(distinct x.session_id)::int from analytics.${materialTable('allpv')} x where x.site_id = {} and x.reader_id = {} and x.at <= {} and x.at > {} - interval '2 days' and {}::date = {}::date)`,
    siteSql(block, value),
    block.column('reader_id'),
    at,
    at,
    localTime({ text: 'x.at', bindings: [] }, value.clock),
    localTime(at, value.clock),
  );
}

/** What a local clock shows at an instant: the offset is ours, the database only adds it. */
export function localTime(instant: Sql, clock: LocalClock): Sql {
  const changes = clock.flatMap(({ until }) => (until === null ? [] : [until]));
  const offsets = clock.map(({ seconds }) => seconds);
  const offset =
    changes.length === 0
      ? bind(offsets[0] ?? 0, 'float8')
      : sql(
          "({})[width_bucket(date_part('epoch', {}), {}) + 1]",
          bind(offsets, 'float8[]'),
          instant,
          bind(changes, 'float8[]'),
        );
  return sql('({} at time zone make_interval(secs => {}))', instant, offset);
}

/** Parts of a local time: hours 0 to 23, days of the week from 1 Monday. */
const TIME_PARTS: Readonly<Record<TimePart, string>> = {
  date: '{}::date',
  hour: 'extract(hour from {})::int',
  weekday: 'extract(isodow from {})::int',
  month: "to_char({}, 'YYYY-MM')",
};
