// Owns the SQL of a computed column.
// Expression of the plan + the block it stands in -> SQL; a look-up joins its dictionary to the block.
import type { TimePart } from '../../../manifests/reader/schema';
import { type Expression, type LocalClock, SITE_FIELD } from '../types/plan';
import { type Aliases, type Block, bind, raw, type Sql, sql } from './block';
import { dictionaryTable } from './tables';

/** The columns of the input that an expression reads. */
export function columnsOf(value: Expression): readonly string[] {
  switch (value.kind) {
    case 'column':
    case 'flag':
    case 'time-part':
      return [value.column];
    case 'lookup':
      return value.siteId === null && dictionaryTable(value.dictionary).perSite
        ? [value.key, SITE_FIELD]
        : [value.key];
    case 'joined-texts':
      return value.parts.flatMap(columnsOf);
    case 'ratio':
      return [value.dividend, value.divisor];
  }
}

/** The block with the dictionaries that an expression reads joined to it. */
export function withLookups(block: Block, value: Expression, aliases: Aliases): Block {
  if (value.kind === 'joined-texts')
    return value.parts.reduce((b, part) => withLookups(b, part, aliases), block);
  if (value.kind !== 'lookup' || block.lookups.has(lookupName(value))) return block;
  const { table, id, perSite } = dictionaryTable(value.dictionary);
  const alias = aliases.next('d');
  const onKey = sql(`${alias}.${id} = {}`, block.column(value.key));
  const site = () => (value.siteId === null ? block.column(SITE_FIELD) : bind(value.siteId, 'smallint'));
  const on = perSite ? sql(`${alias}.site_id = {} and {}`, site(), onKey) : onKey;
  block.query.leftJoin(`analytics.${table} as ${alias}`, raw(on));
  return { ...block, lookups: new Map([...block.lookups, [lookupName(value), alias]]) };
}

type Lookup = Extract<Expression, { readonly kind: 'lookup' }>;

const lookupName = ({ key, dictionary }: Lookup): string => `${key} ${dictionary}`;

/** The SQL of an expression in a block that has its look-ups. */
export function expressionSql(block: Block, value: Expression): Sql {
  switch (value.kind) {
    case 'column':
      return block.column(value.column);
    case 'flag':
      return sql('{}::int', block.column(value.column));
    case 'lookup': {
      const field = `${block.lookups.get(lookupName(value))}.${value.field}`;
      return { text: value.bit === null ? field : `(${field} >> ${value.bit}) & 1`, bindings: [] };
    }
    case 'time-part':
      return sql(TIME_PARTS[value.part], sql('({})', localTime(block.column(value.column), value.clock)));
    case 'joined-texts':
      return sql(
        value.parts.map(() => '{}').join(" || ' ' || "),
        ...value.parts.map((part) => expressionSql(block, part)),
      );
    case 'ratio':
      return sql('{}::float8 / nullif({}, 0)', block.column(value.dividend), block.column(value.divisor));
  }
}

/** What a local clock shows at an instant: the offset is ours, the database only adds it. */
export function localTime(instant: Sql, clock: LocalClock): Sql {
  const cases = clock.flatMap(({ until, seconds }) =>
    until === null
      ? []
      : [sql('when {} < to_timestamp({}) then {} ', instant, bind(until, 'float8'), bind(seconds, 'float8'))],
  );
  const last = bind(clock.at(-1)?.seconds ?? 0, 'float8');
  const offset =
    cases.length === 0 ? last : sql(`case ${'{}'.repeat(cases.length)}else {} end`, ...cases, last);
  return sql('{} at time zone make_interval(secs => {})', instant, offset);
}

/** Parts of a local time: hours 0 to 23, days of the week from 1 Monday. */
const TIME_PARTS: Readonly<Record<TimePart, string>> = {
  date: '{}::date',
  hour: 'extract(hour from {})::int',
  weekday: 'extract(isodow from {})::int',
  month: "to_char({}, 'YYYY-MM')",
};
