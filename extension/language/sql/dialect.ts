// What differs between the databases that run a plan. The rest of the compiler is SQL that all of them understand.
import type { ColumnType, TimePart } from '../../../manifests/reader/schema';
import type { LocalClock } from '../time/zone-offsets';
import type { ExactColumn, Share } from '../types/arithmetic';
import type { PerPeriodNode } from '../types/plan';
import type { ParameterType, ResolvedValue } from '../types/resolved-query';
import type { ScalarType, SelectClauses, Sql } from './sql';

export interface Dialect {
  /** Whether dimensions have an indexed hash of their texts. */
  readonly hasTextKeys: boolean;

  /** A value with the type of a column; datetimes are epoch seconds. */
  constant(type: ColumnType, value: ResolvedValue): Sql;
  /** Whether a column is one of the values. */
  isOneOf(column: Sql, type: ColumnType, values: readonly ResolvedValue[]): Sql;
  /** The same for values of a database type; requires at least one. */
  isInList(column: Sql, type: ScalarType, values: readonly (string | number)[]): Sql;
  /** Whether a column is one of the values of a SELECT that runs once, before the rows are read. */
  isInRows(column: Sql, rows: Sql): Sql;

  /** A text that compares and sorts bytewise under any collation. */
  bytewise(text: Sql): Sql;
  contains(text: Sql, part: Sql): Sql;
  jsonText(json: Sql): Sql;
  /** A parameter of an event; null if it is missing, or is not a number although one is requested. Never fails. */
  parameter(params: Sql, name: string, type: ParameterType): Sql;

  /** The instant of these epoch seconds. */
  instant(seconds: Sql): Sql;
  earlier(instant: Sql, seconds: number): Sql;
  /** A part of an instant in local time, or of a date if the clock is null. Hours are 0 to 23, weekdays from 1 for Monday. */
  timePart(part: TimePart, time: Sql, clock: LocalClock | null): Sql;
  /** A table of periods with the columns value, and first and last in epoch seconds. */
  periods(alias: string, type: ColumnType, periods: PerPeriodNode['periods']): Sql;

  /** A number as the nearest double, the type in which numbers leave the database. */
  double(number: Sql): Sql;
  /** Exact in any order of the rows; 0 for no values. */
  sum(column: Sql, type: ColumnType): Sql;
  /** Rounded once, to a double; null for no values. */
  mean(column: Sql, type: ColumnType): Sql;
  /**
   * Interpolates linearly at `share` between the least and the greatest value: exactly and times `share.in` for numbers,
   * rounded down to the second for datetimes; null for no values.
   */
  percentile(column: Sql, type: ColumnType, share: Share): Sql;
  /** A number times 10 ** scale, without rounding. */
  exact(number: Sql, digits: ExactColumn['digits']): { readonly sql: Sql; readonly scale: number };
  /**
   * Divides exact numbers and rounds once, to a double. The divisor is never 0, may be null, and has at most `digits` digits
   * before the point.
   */
  quotient(dividend: Sql, divisor: Sql, digits: number): Sql;
  /** dividend / (divisor * per), rounded half up to `digits`; 0 if the divisor is 0. */
  roundedRatio(dividend: Sql, divisor: Sql, per: number, digits: number): Sql;
  /** Exact at any size. */
  product(value: Sql, times: Sql): Sql;
  /** The number of distinct values; equal values with different `within` count separately. */
  countDistinct(column: Sql, within: readonly Sql[]): Sql;
  /** The value of the row with the least (`asc`) or the greatest `by`. */
  firstBy(column: Sql, by: Sql, direction: 'asc' | 'desc'): Sql;

  /** A SELECT in brackets, cut at `count` rows plus the rows that tie with the last one. */
  firstWithTies(clauses: SelectClauses, columns: readonly Sql[], count: number): Sql;
  /** A value as it leaves the database: local datetimes and dates as text, decimals as doubles. */
  output(column: Sql, type: ColumnType, clock: LocalClock): Sql;
}
