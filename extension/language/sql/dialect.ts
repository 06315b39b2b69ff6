// What differs between the databases that run a plan. Everything else in the compiler is SQL that all of them know.
import type { ColumnType, TimePart } from '../../../manifests/reader/schema';
import type { LocalClock } from '../time/local-clock';
import type { ExactColumn, Share } from '../types/arithmetic';
import type { PerPeriodNode } from '../types/plan';
import type { ParameterType, ResolvedValue } from '../types/resolved-query';
import type { ScalarType, SelectClauses, Sql } from './sql';

export interface Dialect {
  /** Whether dimensions have the hash of their texts, by which an index finds them. */
  readonly hasTextKeys: boolean;

  /** A value as one of a column of this type; datetimes are epoch seconds. */
  constant(type: ColumnType, value: ResolvedValue): Sql;
  /** Whether a column is one of the values. */
  isOneOf(column: Sql, type: ColumnType, values: readonly ResolvedValue[]): Sql;
  /** The same for values of a type of the database; there is at least one. */
  isInList(column: Sql, type: ScalarType, values: readonly (string | number)[]): Sql;
  /** Whether a column is one of the values of a SELECT, which runs once, before the rows are read. */
  isInRows(column: Sql, rows: Sql): Sql;

  /** A text that compares and sorts by its bytes, whatever the collation of the database. */
  bytewise(text: Sql): Sql;
  contains(text: Sql, part: Sql): Sql;
  jsonText(json: Sql): Sql;
  /** A parameter of an event; null where it is missing, or is no number though one is wanted. Never fails. */
  parameter(params: Sql, name: string, type: ParameterType): Sql;

  /** The instant of these epoch seconds. */
  instant(seconds: Sql): Sql;
  /** The instant so many seconds before another. */
  earlier(instant: Sql, seconds: number): Sql;
  /** A part of an instant as the clock shows it, or of a date where the clock is null. Hours 0 to 23, weekdays from 1 Monday. */
  timePart(part: TimePart, time: Sql, clock: LocalClock | null): Sql;
  /** A table of periods with the columns value, first and last; these two in epoch seconds. */
  periods(alias: string, type: ColumnType, periods: PerPeriodNode['periods']): Sql;

  /** A number as the nearest double, as which numbers leave the database. */
  double(number: Sql): Sql;
  /** Exact whatever the order of the rows; 0 for none. */
  sum(column: Sql, type: ColumnType): Sql;
  /** Rounded once, to a double; null for none. */
  mean(column: Sql, type: ColumnType): Sql;
  /**
   * So much of the way from the least to the greatest value, linear between neighbours: of numbers exactly and times
   * `share.in`, of date-times rounded down to the second; null for none.
   */
  percentile(column: Sql, type: ColumnType, share: Share): Sql;
  /** A number without any rounding, times 10 ** scale. */
  exact(number: Sql, digits: ExactColumn['digits']): { readonly sql: Sql; readonly scale: number };
  /**
   * Two exact numbers divided and rounded once, to a double. The divisor is never 0 but may be null, and has at most so many
   * digits before its point.
   */
  quotient(dividend: Sql, divisor: Sql, digits: number): Sql;
  /** dividend / (divisor * per), rounded half up to `digits`; 0 where the divisor is 0. */
  roundedRatio(dividend: Sql, divisor: Sql, per: number, digits: number): Sql;
  /** Exact at any size. */
  product(value: Sql, times: Sql): Sql;
  /** The number of different values; `within` tells equal values apart. */
  countDistinct(column: Sql, within: readonly Sql[]): Sql;
  /** The value of the row with the least (`asc`) or the greatest `by`. */
  firstBy(column: Sql, by: Sql, direction: 'asc' | 'desc'): Sql;

  /** A SELECT in brackets, cut at `count` rows; rows that tie with the last one in its order stay too. */
  firstWithTies(clauses: SelectClauses, columns: readonly Sql[], count: number): Sql;
  /** A value as it leaves the database: datetimes as the clock shows them and dates as text, decimals as doubles. */
  output(column: Sql, type: ColumnType, clock: LocalClock): Sql;
}
