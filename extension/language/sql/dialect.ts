import type { ColumnType, TimePart } from '../../../manifests/reader/schema';
import type { LocalClock } from '../time/zone-offsets';
import type { ExactColumn, Share } from '../types/arithmetic';
import type { CalendarUnit, Span } from '../types/periods';
import type { PerPeriodNode } from '../types/plan';
import type { ParameterType, ResolvedValue, RoundedRatio } from '../types/resolved-query';
import type { ScalarType, SelectClauses, Sql } from './sql';

/** A text value that withFolded adds as a column. */
interface FoldedText {
  readonly name: string;
  readonly text: Sql;
  readonly isHost: boolean;
}

/** The differences between the databases that run a plan. All other SQL from the compiler runs on each of them. */
export interface Dialect {
  /** Whether sources and media have a stored mask of the shipped channel rules that may match. */
  readonly hasChannelMasks: boolean;

  /** A value with the type of a column. Datetimes are epoch seconds. */
  constant(type: ColumnType, value: ResolvedValue): Sql;
  isOneOf(column: Sql, type: ColumnType, values: readonly ResolvedValue[]): Sql;
  /** Like isOneOf, for values of a database type. */
  isInList(column: Sql, type: ScalarType, values: readonly (string | number)[]): Sql;
  /** Like isInList, as a value instead of a filter. */
  isAmongTexts(column: Sql, texts: readonly string[]): Sql;
  /** Whether a column is in the result of a SELECT that runs once, before the rows are read. */
  isInRows(column: Sql, rows: Sql): Sql;

  /** Text that compares and sorts bytewise under any collation. */
  bytewise(text: Sql): Sql;
  contains(text: Sql, part: Sql): Sql;
  endsWith(text: Sql, end: Sql): Sql;
  /** The rows with these text values as additional columns, with ASCII letters in lower case, computed once per row. */
  withFolded(rows: Sql, texts: readonly FoldedText[]): Sql;
  /** Whether a host that withFolded added is one of these hosts, or up to two levels below one of them. */
  isHostOf(name: string, hosts: readonly string[], column: (name: string) => Sql): Sql;
  /** The value at the position of the lowest bit that is set in a number, or `otherwise` if none is set. */
  ofLowestBit(number: Sql, values: readonly (string | number)[], type: 'text' | 'int', otherwise: Sql): Sql;
  jsonText(json: Sql): Sql;
  /** An event parameter. Null if it is missing, or if a number is requested and the value is not a number. */
  parameter(params: Sql, name: string, type: ParameterType): Sql;

  instant(seconds: Sql): Sql;
  /** The epoch seconds of an instant. */
  seconds(instant: Sql): Sql;
  earlier(instant: Sql, seconds: number): Sql;
  /** A part of an instant in local time, or of a date if the clock is null. Hours are 0 to 23, weekdays 1 (Monday) to 7. */
  timePart(part: TimePart, time: Sql, clock: LocalClock | null): Sql;
  /** A table with the column `number`: all whole numbers in the spans. */
  numbers(spans: readonly Span[]): Sql;
  /** The local day, week, month, hour or weekday that a number from `numbers` represents. */
  period(number: Sql, unit: CalendarUnit): Sql;
  /** Ends the statement with an error that contains this text. The expression has an integer type. */
  fail(text: Sql): Sql;
  /** A table of periods with the columns value, first and last. The last two are epoch seconds. */
  periods(alias: string, type: ColumnType, periods: PerPeriodNode['periods']): Sql;

  /** The nearest double, which is the type of numbers in results. */
  double(number: Sql): Sql;
  /** Exact, regardless of the order of the rows. 0 if there are no values. */
  sum(column: Sql, type: ColumnType): Sql;
  /**
   * Interpolates linearly at `share` between the least and the greatest value. Numbers are exact and multiplied by `share.in`.
   * Datetimes are rounded down to the second. Null if there are no values. `shares` are those of all percentiles of this column
   * in the group.
   */
  percentile(column: Sql, type: ColumnType, share: Share, shares: readonly Share[]): Sql;
  /** The whole number in a field of millionths. Fails if the number could not be stored that way. */
  micros(stored: Sql): Sql;
  /** A number times 10 ** exactScale, without rounding. */
  exact(number: Sql, digits: ExactColumn['digits']): Sql;
  readonly exactScale: Readonly<Record<ExactColumn['digits'], number>>;
  /**
   * Divides exact numbers and rounds once, to a double. The divisor may be null but is never 0. It has at most `digits` digits
   * before the decimal point. `isSmall`: both are rarely large, because neither contains a decimal or a product of columns.
   */
  quotient(dividend: Sql, divisor: Sql, digits: number, isSmall: boolean): Sql;
  /** dividend * times / divisor, rounded half up; 0 if the divisor is 0. */
  wholeRatio(dividend: Sql, divisor: Sql, ratio: Pick<RoundedRatio, 'times' | 'copied'>): Sql;
  /** Exact at any size. */
  product(value: Sql, times: Sql): Sql;
  /** The number of distinct values. Equal values with different `within` are counted separately. */
  countDistinct(column: Sql, within: readonly Sql[]): Sql;
  /** The value of the row with the least (`asc`) or the greatest (`desc`) `by`. */
  firstBy(column: Sql, by: Sql, direction: 'asc' | 'desc'): Sql;
  /** The number of steps that the rows of a group take in order, as in a StepsNode. Null if only the other engine supports it. */
  readonly stepsInOrder: ((at: Sql, matched: Sql, count: number) => Sql) | null;

  /** A SELECT in parentheses, limited to `count` rows plus the rows that tie with the last one. */
  firstWithTies(clauses: SelectClauses, columns: readonly Sql[], count: number): Sql;
  /** A value in the result: local datetimes and dates are text, and decimals are doubles. */
  output(column: Sql, type: ColumnType, clock: LocalClock): Sql;
}

/** The database type for values of a column type. Whole numbers stay integers, so that every integer index applies. */
export const scalarType = (type: ColumnType, values: readonly ResolvedValue[]): ScalarType =>
  type === 'text' || type === 'date' ? type : values.every(Number.isSafeInteger) ? 'bigint' : 'float8';
