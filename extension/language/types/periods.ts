import type { TimePart } from '../../../manifests/reader/schema';

/** Both ends are included. */
export interface Span {
  readonly first: number;
  readonly last: number;
}

/** `month-start` is the first day of a month. */
export type CalendarUnit = TimePart | 'month-start';

/** Rows for a day or month are in a range if the day or month begins in it. */
export type RowPeriod = 'instant' | 'day' | 'month';

/** [start, end) in epoch seconds. Local times are parsed and formatted in `zone`. */
export interface TimeRange {
  readonly start: number;
  readonly end: number;
  readonly zone: string;
}

/** The column contains this part of the rows' times, which are in the range. */
export interface ColumnPeriod {
  readonly unit: CalendarUnit;
  readonly range: TimeRange;
  readonly rows: RowPeriod;
}

/** One row per number in the spans, with the day, week, month, hour or weekday that the number represents. */
export interface CalendarNode {
  readonly kind: 'calendar';
  readonly column: string;
  readonly unit: CalendarUnit;
  readonly spans: readonly Span[];
}

/**
 * `within` combined with `column` is unique in the input. In an added row, the columns in `zeros` are 0, and all others are
 * null. The statement fails if there are more than `max` combinations; `view` names the view in that error.
 */
export interface Filling {
  readonly column: string;
  readonly within: readonly string[];
  readonly zeros: readonly string[];
  readonly max: number;
  readonly view: string;
}
