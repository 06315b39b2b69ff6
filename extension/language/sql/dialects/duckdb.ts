// SQL for DuckDB over the columnar copy. There, instants are epoch seconds, and event parameters are structs of their JSON and text
// values. If a value cannot be computed exactly, the query raises the error 'inexact', and PostgreSQL runs it instead.
import type { ColumnType, TimePart } from '../../../../manifests/reader/schema';
import { DAY_SECONDS } from '../../time/calendar';
import type { LocalClock } from '../../time/zone-offsets';
import type { Share } from '../../types/arithmetic';
import { NO_MICROS } from '../../types/micros';
import type { CalendarUnit } from '../../types/periods';
import { type Dialect, scalarType } from '../dialect';
import { ident, integer, join, type ScalarType, type Sql, select, sql, value } from '../sql';
import { wholePercentile } from './duckdb-percentile';

export const duckdb: Dialect = {
  hasChannelMasks: true,

  constant: (type, constant) => value(constant, scalarType(type, [constant])),
  isOneOf: (column, type, values) => isInList(column, scalarType(type, values), values),
  isInList,
  // `isInList` would add a join for each long list.
  isAmongTexts: (column, texts) => sql`list_contains(${value(texts, 'text[]')}, ${column})`,
  isInRows: (column, rows) => sql`${column} in (${rows})`,

  bytewise: (text) => text,
  contains: (text, part) => sql`contains(${text}, ${part})`,
  endsWith: (text, end) => sql`ends_with(${text}, ${end})`,
  withFolded(rows, texts) {
    const folded = texts.map(
      ({ name, text }) =>
        sql`translate(${text}, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz') as ${ident(name)}`,
    );
    return sql`(select *, ${join(folded)} from ${rows})`;
  },
  // A regular expression is several times as fast as searching lists.
  isHostOf(name, hosts, column) {
    const names = hosts.map((host) => host.replace(/[\\^$.|?*+()[\]{}]/g, '\\$&')).join('|');
    return sql`regexp_matches(${column(name)}, ${value(`^(?:[^.]*\\.){0,2}(?:${names})$`, 'text')})`;
  },
  // DuckDB would copy the number into every branch of a CASE.
  ofLowestBit(number, values, type, otherwise) {
    const position = sql`bit_count((${number} & -${number}) - 1) + 1`;
    return sql`coalesce((${value(values, `${type}[]`)})[${position}], ${otherwise})`;
  },
  jsonText: (json) => sql`${json}.json`,
  parameter(params, name, type) {
    const text = sql`${params}.texts[${value(name, 'text')}]`;
    return type === 'string' ? text : sql`try_cast(${text} as double)`;
  },

  instant: (seconds) => sql`${seconds}::bigint`,
  seconds: (instant) => instant,
  earlier: (instant, seconds) => sql`(${instant} - ${integer(seconds)})`,
  timePart: (part, time, clock) =>
    clock === null ? DATE_PARTS[part](time) : TIME_PARTS[part](localSeconds(time, clock)),
  numbers(spans) {
    const series = spans.map(({ first, last }) => sql`generate_series(${integer(first)}, ${integer(last)})`);
    return sql`(select unnest(flatten([${join(series)}]))::int as number)`;
  },
  period: (number, unit) => PERIODS[unit](number),
  fail: (text) => sql`error(${text})`,
  periods(alias, type, periods) {
    const unnested = (field: 'value' | 'start' | 'end', binding: `${ScalarType}[]`) => {
      const values = periods.map((period) => period[field]);
      return sql`unnest(${value(values, binding)})`;
    };
    const values = unnested('value', type === 'date' ? 'date[]' : 'text[]');
    return sql`(select ${values} as value, ${unnested('start', 'bigint[]')} as first, ${unnested('end', 'bigint[]')} as last) as ${ident(alias)}`;
  },

  // Only a cast through text converts a decimal to the nearest double.
  double: (number) => sql`(${number})::varchar::double`,
  sum: (column, type) => sql`coalesce(sum(${addend(column, type)}), 0)`,
  percentile(column, type, share, shares) {
    if (type === 'num') return decimalPercentile(column, share);
    const scaled = wholePercentile(column, share, shares);
    return type === 'datetime' ? sql`(${scaled} // ${integer(share.in)})::bigint` : scaled;
  },
  micros: (stored) =>
    sql`case when ${stored} = ${integer(NO_MICROS)} then error('inexact') else ${stored} end`,
  exact(number, digits) {
    if (digits === 0) return sql`(${number})::hugeint`;
    const decimal = sql`try_cast((${number})::varchar as decimal(38, 6))`;
    const isSame = sql`${decimal}::varchar::double = (${number})::varchar::double`;
    const large = sql`replace(${decimal}::varchar, '.', '')::hugeint`;
    const small = sql`round((${number})::double * 1e6)::hugeint`;
    return sql`case when ${isShort(number)} then ${small} when ${isSame} then ${large} when (${number}) is not null then error('inexact') end`;
  },
  exactScale: { 0: 0, 6: 6 },
  quotient: (dividend, divisor, _digits, isSmall) =>
    isSmall
      ? ratioOf(
          dividend,
          divisor,
          sql`when ${dividend} is not null and ${divisor} is not null then error('large')`,
        )
      : quotientOfLarge(dividend, divisor),
  wholeRatio(dividend, divisor, { times, copied }) {
    // 128-bit division takes several times as long as 64-bit division. With `copied`, the numbers are stored in 32 bits.
    const wide = (number: Sql): Sql =>
      copied === undefined ? sql`${number}::hugeint` : sql`${number}::bigint`;
    return sql`case when ${divisor} = 0 then 0 else (${wide(dividend)} * ${integer(2 * times)} + ${divisor}) // (2 * ${wide(divisor)}) end`;
  },
  product: (number, times) => sql`(${number} * ${times})`,
  countDistinct: (column, within) =>
    within.length === 0
      ? sql`count(distinct ${column})`
      : sql`count(distinct row(${join([...within, column])})) filter (where ${column} is not null)`,
  firstBy: (column, by, direction) =>
    direction === 'asc' ? sql`arg_min_null(${column}, ${by})` : sql`arg_max_null(${column}, ${by})`,
  // Each row is one number: `at`, followed by the bits of its steps. The state is also one number: the `at` of the last step,
  // followed by the number of steps.
  stepsInOrder(at, matched, count) {
    const bits = integer(count);
    const low = integer(2 ** count - 1);
    const rows = sql`list_sort(list((${at}::bigint << ${bits}) | ${matched}))`;
    const isNext = sql`((n & ${low}) >> (state & ${low})) & 1 = 1 and n >> ${bits} > state >> ${bits}`;
    const next = sql`(n >> ${bits} << ${bits}) + (state & ${low}) + 1`;
    const taken = sql`list_reduce(${rows}, lambda state, n: case when ${isNext} then ${next} else state end, 0::bigint) & ${low}`;
    // If no row matches the first step, the rows need not be sorted.
    return sql`case when bit_or(${matched}) & 1 = 1 then ${taken} else 0 end`;
  },

  firstWithTies({ orderBy, ...clauses }, columns, count) {
    const rank = sql`rank() over (order by ${join(orderBy)}) as rank`;
    const ranked = select({ ...clauses, orderBy: [] }, [...columns, rank]);
    return sql`(select * exclude rank from ${ranked} where rank <= ${value(count, 'bigint')})`;
  },
  output(column, type, clock) {
    switch (type) {
      case 'datetime':
        return sql`strftime(make_timestamp(${localSeconds(column, clock)} * 1000000), '%Y-%m-%dT%H:%M:%S')`;
      case 'date':
        return sql`strftime(${column}, '%Y-%m-%d')`;
      case 'num':
        return sql`${column}::varchar::double`;
      case 'id':
      case 'int':
      case 'flag':
      case 'text':
        return column;
    }
  },
};

/** The end of the error message for a quotient of large whole numbers. */
export const LARGE = ': large';

/** Also divides large whole numbers, in a statement that takes longer to plan. */
export const duckdbForLarge: Dialect = { ...duckdb, quotient: quotientOfLarge };

/** DuckDB pushes lists up to this length into the scan. It would search longer lists for every row, so they are hash-joined. */
const SHORT_LIST = 20;

function isInList(column: Sql, type: ScalarType, values: readonly (string | number)[]): Sql {
  return values.length > 0 && values.length <= SHORT_LIST
    ? sql`${column} in (${join(values.map((it) => value(it, type)))})`
    : sql`${column} in (select unnest(${value(values, `${type}[]`)}))`;
}

const DAY = integer(DAY_SECONDS);
const HOUR = integer(3600);

/** The parts of a local time in seconds since 1970-01-01, which was a Thursday. `make_date` is faster than adding days to a date. */
const TIME_PARTS: Readonly<Record<TimePart, (local: Sql) => Sql>> = {
  date: (local) => sql`make_date((${local} // ${DAY})::int)`,
  hour: (local) => sql`(${local} % ${DAY} // ${HOUR})::int`,
  weekday: (local) => sql`((${local} // ${DAY} + 3) % 7 + 1)::int`,
  week: (local) => sql`make_date(((${local} + 3 * ${DAY}) // (7 * ${DAY}) * 7 - 3)::int)`,
  month: (local) => DATE_PARTS.month(TIME_PARTS.date(local)),
};

const firstOfMonth = (month: Sql): Sql => sql`make_date(${month} // 12, ${month} % 12 + 1, 1)`;

const PERIODS: Readonly<Record<CalendarUnit, (number: Sql) => Sql>> = {
  date: (day) => sql`make_date(${day})`,
  week: (week) => sql`make_date(${week} * 7 - 3)`,
  month: (month) => sql`strftime(${firstOfMonth(month)}, '%Y-%m')`,
  'month-start': firstOfMonth,
  hour: (hour) => hour,
  weekday: (weekday) => weekday,
};

const DATE_PARTS: Readonly<Record<TimePart, (date: Sql) => Sql>> = {
  date: (date) => date,
  hour: () => sql`0`,
  weekday: (date) => sql`isodow(${date})::int`,
  week: (date) => sql`date_trunc('week', ${date})::date`,
  month: (date) => sql`strftime(${date}, '%Y-%m')`,
};

function localSeconds(time: Sql, clock: LocalClock): Sql {
  const last = clock.at(-1)?.seconds ?? 0;
  const earlier = clock.flatMap(({ until, seconds }) =>
    until === null ? [] : [sql`when ${time} < ${integer(until)} then ${integer(seconds)}`],
  );
  if (earlier.length === 0) return sql`(${time} + ${integer(last)})`;
  return sql`(${time} + case ${join(earlier, sql` `)} else ${integer(last)} end)`;
}

/**
 * Whether a number has at most six decimal places and nine digits before the point. A double preserves 15 digits of a decimal, so
 * such a double represents the decimal that it prints as.
 */
const isShort = (number: Sql): Sql =>
  sql`abs((${number})::double) < 1e9 and round((${number})::double * 1e6) / 1e6 = (${number})::double`;

function decimalPercentile(column: Sql, share: Share): Sql {
  const sorted = sql`list_sort(list(${column}) filter (where ${column} is not null))`;
  const scaled = sql`((count(${column}) - 1) * ${integer(share.of)})`;
  const part = sql`(${scaled} % ${integer(share.in)})`;
  const place = sql`${scaled} // ${integer(share.in)}`;
  // Takes both neighbors in one slice, so that the values are sorted only once. The greatest value has no upper neighbor.
  const pair = sql`${sorted}[${place} + 1 : ${place} + 2]`;
  const weight = sql`(case when i = 1 then ${integer(share.in)} - ${part} else ${part} end)::int`;
  return sql`list_sum(list_transform(${pair}, lambda v, i: ${addend(sql`v`, 'num')} * ${weight}))`;
}

/** A double is summed as the decimal that it prints as. That decimal must be short. */
function addend(column: Sql, type: ColumnType): Sql {
  if (type !== 'num') return column;
  return sql`case when ${isShort(column)} then (${column})::double::decimal(18, 6) when ${column} is not null then error('inexact') end`;
}

/** Doubles represent whole numbers up to this one exactly, so dividing two of them rounds only once. */
const MAX_EXACT = integer(Number.MAX_SAFE_INTEGER);

const ratioOf = (dividend: Sql, divisor: Sql, otherwise: Sql): Sql =>
  sql`case when abs(${dividend}) <= ${MAX_EXACT} and abs(${divisor}) <= ${MAX_EXACT} then (${dividend})::double / (${divisor})::double ${otherwise} end`;

/** Divides whole numbers. Large ones are first reduced to lowest terms. */
function quotientOfLarge(dividend: Sql, divisor: Sql): Sql {
  // Computing the factor takes a hundred times as long as the division, so a lambda does it only once. Adding plan nodes instead
  // would make planning slower.
  const inexact = sql`when f is not null then error('inexact')`;
  const reduced = ratioOf(sql`(${dividend} // f)`, sql`(${divisor} // f)`, inexact);
  const factor = sql`gcd((${dividend})::hugeint, (${divisor})::hugeint)`;
  return ratioOf(dividend, divisor, sql`else list_transform([${factor}], lambda f: ${reduced})[1]`);
}
