// Owns the SQL of the calc functions.
// Of nothing: COUNT, COUNTUNIQUE and SUM are 0, AVERAGE, MIN and MAX null. Sums are exact before they become JSON.
import type { Aggregate } from '../types/plan';
import { type Sql, sql } from './block';

/** Divided as decimals with more digits than a double holds, however small, so that it is rounded once. Null for none. */
export const ratio = (sum: Sql, count: Sql): Sql =>
  sql('(round({}::numeric, scale({}::numeric) + 40) / nullif({}, 0))::float8', sum, sum, count);

interface Beside {
  readonly within: readonly Sql[];
  /** What FIRST and LAST go by. */
  readonly by: Sql;
}

type AggregateSql = (value: Sql, aggregate: Aggregate, beside: Beside) => Sql;

/**
 * Doubles are summed as the decimals that they print as: exactly, whatever the order of the rows. By way of text,
 * since PostgreSQL's own cast keeps fifteen digits.
 */
const addend = (value: Sql, { type }: Aggregate): Sql =>
  type === 'num' ? sql('{}::text::numeric', value) : value;

const extreme =
  (name: 'min' | 'max'): AggregateSql =>
  (value, { type }) =>
    sql(`${name}(${type === 'text' ? '{} collate "C"' : '{}'})`, value);

const atEnd =
  (direction: 'asc' | 'desc'): AggregateSql =>
  (value, _aggregate, { by }) =>
    sql(`(array_agg({} order by {} ${direction}))[1]`, value, by);

const AGGREGATES: Readonly<Record<Aggregate['function'], AggregateSql>> = {
  COUNT: (value) => sql('count({})', value),
  COUNTUNIQUE: (value, _aggregate, { within }) =>
    within.length === 0
      ? sql('count(distinct {})', value)
      : sql(
          `count(distinct (${within.map(() => '{}').join(', ')}, {})) filter (where {} is not null)`,
          ...within,
          value,
          value,
        ),
  SUM: (value, aggregate) => sql('coalesce(sum({}), 0)', addend(value, aggregate)),
  AVERAGE: (value, aggregate) => ratio(sql('sum({})', addend(value, aggregate)), sql('count({})', value)),
  MIN: extreme('min'),
  MAX: extreme('max'),
  FIRST: atEnd('asc'),
  LAST: atEnd('desc'),
};

/** The SQL of an aggregate; `column` gives the SQL of the columns it reads. */
export function aggregateSql(aggregate: Aggregate, column: (name: string) => Sql): Sql {
  const number = anySize(aggregate, column);
  return aggregate.isNarrow === true ? sql('{}::int', number) : number;
}

function anySize(aggregate: Aggregate, column: (name: string) => Sql): Sql {
  if (aggregate.column === null) return { text: 'count(*)', bindings: [] };
  const { function: name, column: value, within, by = value } = aggregate;
  return AGGREGATES[name](column(value), aggregate, { within: within.map(column), by: column(by) });
}
