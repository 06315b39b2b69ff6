// SQL for PostgreSQL. An expression with an operator is in parentheses if it may become an operand.
import type { ColumnType, TimePart } from '../../../../manifests/reader/schema';
import type { LocalClock } from '../../time/zone-offsets';
import type { Share } from '../../types/arithmetic';
import type { CalendarUnit } from '../../types/periods';
import { type Dialect, scalarType } from '../dialect';
import { ident, integer, join, type Sql, select, sql, value } from '../sql';

export const postgresql: Dialect = {
  hasChannelMasks: false,

  constant: (type, constant) =>
    type === 'datetime'
      ? postgresql.instant(value(apartFromSeconds(Number(constant)), 'float8'))
      : value(constant, scalarType(type, [constant])),
  isOneOf: (column, type, values) =>
    type === 'datetime'
      ? postgresql.isInList(postgresql.seconds(column), 'numeric', values)
      : postgresql.isInList(column, scalarType(type, values), values),
  // With a single binding, the statement does not depend on the number of values.
  isInList: (column, type, values) => sql`${column} = any(${value(values, `${type}[]`)})`,
  isAmongTexts: (column, texts) => postgresql.isInList(column, 'text', texts),
  isInRows: (column, rows) => sql`${column} = any(array(${rows}))`,

  bytewise: (text) => sql`${text} collate "C"`,
  contains: (text, part) => sql`strpos(${text}, ${part}) > 0`,
  endsWith: (text, end) => sql`right(${text}, length(${end})) = ${end}`,
  withFolded(rows, texts) {
    const folded = texts.map(({ name, text }) => [name, sql`lower(${text} collate "C")`] as const);
    const above = texts
      .filter(({ isHost }) => isHost)
      .map(({ name }) => [`${name}_above`, nextAbove(ident(name))] as const);
    const top = above.map(([name, host]) => [`${name}_above`, nextAbove(host)] as const);
    return sql`(select * from ${rows}${computed('folded', folded)}${computed('hosts', [...above, ...top])})`;
  },
  isHostOf: (name, hosts, column) =>
    sql`(${join(
      ['', '_above', '_above_above'].map((level) =>
        postgresql.isInList(column(`${name}${level}`), 'text', hosts),
      ),
      sql` or `,
    )})`,
  ofLowestBit(number, values, type, otherwise) {
    const cases = values.map((one, index) => sql`when ${integer(2 ** index)} then ${value(one, type)}`);
    return sql`case ${number} & -${number} ${join(cases, sql` `)} else ${otherwise} end`;
  },
  jsonText: (json) => sql`${json}::text`,
  parameter(params, name, type) {
    const text = sql`(${params} ->> ${value(name, 'text')})`;
    if (type === 'string') return text;
    const isNumber = sql`jsonb_typeof(${params} -> ${value(name, 'text')}) = 'number'`;
    return sql`case when ${isNumber} then ${text}::float8 end`;
  },

  instant: (seconds) => sql`to_timestamp(${seconds})`,
  seconds: (instant) => sql`extract(epoch from ${instant})`,
  earlier: (instant, seconds) => sql`(${instant} - make_interval(secs => ${integer(seconds)}))`,
  timePart: (part, time, clock) => TIME_PARTS[part](clock === null ? time : localTime(time, clock)),
  numbers(spans) {
    const ends = (end: 'first' | 'last') =>
      value(
        spans.map((span) => span[end]),
        'int[]',
      );
    return sql`(select generate_series(first, last) as number from unnest(${ends('first')}, ${ends('last')}) as spans(first, last))`;
  },
  period: (number, unit) => PERIODS[unit](number),
  // The message of the failed cast quotes the text.
  fail: (text) => sql`(${text})::int`,
  periods(alias, type, periods) {
    const values = periods.map((period) => period.value);
    const starts = periods.map(({ start }) => start);
    const ends = periods.map(({ end }) => end);
    const named = value(values, type === 'date' ? 'date[]' : 'text[]');
    return sql`unnest(${named}, ${value(starts, 'float8[]')}, ${value(ends, 'float8[]')}) as ${ident(alias)}(value, first, last)`;
  },

  double: (number) => sql`(${number})::float8`,
  sum: (column, type) => sql`coalesce(sum(${addend(column, type)}), 0)`,
  percentile(column, type, share) {
    const { values, first, part } = placeIn(sql`array_agg(${column} order by ${column})`, column, share);
    const low = sql`(${values})[${first} + 1]`;
    const high = sql`(${values})[least(${first} + 2, count(${column}))]`;
    if (type === 'datetime') {
      const seconds = sql`extract(epoch from ${high}) - extract(epoch from ${low})`;
      return sql`${low} + make_interval(secs => div((${seconds}) * ${part}, ${integer(share.in)})::float8)`;
    }
    const exact = (it: Sql): Sql => sql`(${addend(it, type)})::numeric`;
    return sql`(${exact(low)} * (${integer(share.in)} - ${part}) + ${exact(high)} * ${part})`;
  },
  micros: (stored) => stored,
  exact: (number, digits) => (digits === 0 ? sql`(${number})::numeric` : sql`(${number})::text::numeric`),
  exactScale: { 0: 0, 6: 0 },
  // The decimal quotient has more digits than a double, even for very small values.
  quotient: (dividend, divisor, digits) =>
    sql`(${dividend} * round(1::numeric, ${integer(20 + digits)}) / ${divisor})::float8`,
  wholeRatio: (dividend, divisor, { times }) =>
    sql`coalesce(round(${dividend}::numeric * ${integer(times)} / nullif(${divisor}, 0)), 0)::bigint`,
  product: (number, times) => sql`(${number}::numeric * ${times})`,
  countDistinct: (column, within) =>
    within.length === 0
      ? sql`count(distinct ${column})`
      : sql`count(distinct (${join([...within, column])})) filter (where ${column} is not null)`,
  firstBy: (column, by, direction) =>
    sql`(array_agg(${column} order by ${by} ${direction === 'asc' ? sql`asc` : sql`desc`}))[1]`,
  stepsInOrder: null,

  firstWithTies: (clauses, columns, count) =>
    sql`(${select(clauses, columns)} fetch first (${value(count, 'bigint')}) rows with ties)`,
  output(column, type, clock) {
    switch (type) {
      case 'datetime':
        return sql`to_char(${localTime(column, clock)}, 'YYYY-MM-DD"T"HH24:MI:SS')`;
      case 'date':
        return sql`to_char(${column}, 'YYYY-MM-DD')`;
      case 'num':
        return sql`${column}::float8`;
      case 'id':
      case 'int':
      case 'flag':
      case 'text':
        return column;
    }
  },
};

/** PostgreSQL rounds instants to microseconds, so a smaller fraction would equal a whole second. */
const apartFromSeconds = (instant: number): number =>
  Number.isInteger(instant)
    ? instant
    : Math.min(Math.max(instant, Math.floor(instant) + 1e-6), Math.ceil(instant) - 1e-6);

const nextAbove = (host: Sql): Sql => sql`substr(${host}, strpos(${host}, '.') + 1)`;

/** Adds columns with a function in FROM, since an expression in a subquery would be computed each time it is read. */
function computed(alias: string, columns: readonly (readonly [name: string, Sql])[]): Sql {
  if (columns.length === 0) return sql``;
  const values = columns.map(([, column]) => sql`array[${column}]`);
  const names = columns.map(([name]) => ident(name));
  return sql` cross join lateral unnest(${join(values)}) as ${ident(alias)}(${join(names)})`;
}

const TIME_PARTS: Readonly<Record<TimePart, (local: Sql) => Sql>> = {
  date: (local) => sql`${local}::date`,
  hour: (local) => sql`extract(hour from ${local})::int`,
  weekday: (local) => sql`extract(isodow from ${local})::int`,
  week: (local) => sql`date_trunc('week', ${local}::timestamp)::date`,
  month: (local) => sql`to_char(${local}, 'YYYY-MM')`,
};

const firstOfMonth = (month: Sql): Sql => sql`make_date(${month} / 12, ${month} % 12 + 1, 1)`;

const PERIODS: Readonly<Record<CalendarUnit, (number: Sql) => Sql>> = {
  date: (day) => sql`(date '1970-01-01' + ${day})`,
  week: (week) => sql`(date '1970-01-01' + (${week} * 7 - 3))`,
  month: (month) => sql`to_char(${firstOfMonth(month)}, 'YYYY-MM')`,
  'month-start': firstOfMonth,
  hour: (hour) => hour,
  weekday: (weekday) => weekday,
};

/** The local time at an instant. The offsets come from the plan, not from the database's zone data. */
function localTime(time: Sql, clock: LocalClock): Sql {
  const changes = clock.flatMap(({ until }) => (until === null ? [] : [until]));
  const offsets = clock.map(({ seconds }) => seconds);
  const offset =
    changes.length === 0
      ? value(offsets[0] ?? 0, 'float8')
      : sql`(${value(offsets, 'float8[]')})[width_bucket(date_part('epoch', ${time}), ${value(changes, 'float8[]')}) + 1]`;
  return sql`(${time} at time zone make_interval(secs => ${offset}))`;
}

/**
 * Doubles are summed as the decimals that they print as. They are cast through text, since a direct cast keeps only 15 digits.
 */
const addend = (column: Sql, type: ColumnType): Sql =>
  type === 'num' ? sql`${column}::text::numeric` : column;

/** The sorted values, the zero-based index of the value at or below the share, and the remainder in units of 1/`share.in`. */
function placeIn(sorted: Sql, column: Sql, { of, in: all }: Share) {
  const scaled = sql`((count(${column}) - 1) * ${integer(of)})`;
  return {
    values: sql`${sorted} filter (where ${column} is not null)`,
    first: sql`(${scaled} / ${integer(all)})`,
    part: sql`(${scaled} % ${integer(all)})`,
  };
}
