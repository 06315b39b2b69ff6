import { queryError } from '../errors/query-error';
import { calendarSpans, countOf } from '../time/calendar-spans';
import { formatPath, type Path } from '../types/path';
import type { ColumnPeriod, TimeRange } from '../types/periods';
import type { BoundColumn, FilledPeriods } from '../types/resolved-query';
import type { Binding } from './binding';
import type { Sides } from './find-column';
import { type BoundOutput, outputColumn } from './resolve-sort';

export const MAX_FILLED = 1_000_000;

export function resolveFillPeriods(
  written: string,
  view: BoundOutput & { readonly hasCalc: boolean },
  path: Path,
  binding: Binding,
): FilledPeriods {
  const { name } = outputColumn(written, view, path, binding);
  const at = formatPath(path);
  const column = view.keep.find((kept) => kept.name === name);
  const { period } = view.output.find((output) => output.name === name) ?? {};
  if (column === undefined || period === undefined)
    throw queryError('E_INVALID_VIEW fill-column', at, { column: name });
  if (!view.hasCalc) throw queryError('E_INVALID_VIEW fill-calc', at, {});
  const periods = view.output.filter((output) => output.period !== undefined);
  if (periods.length > 1)
    throw queryError('E_INVALID_VIEW fill-several', at, { columns: periods.map((output) => output.name) });
  const spans = calendarSpans(period.unit, period.range, period.rows);
  const count = countOf(spans);
  if (count > MAX_FILLED) throw queryError('E_QUERY_TOO_LARGE cells', at, { count, max: MAX_FILLED });
  return { column, unit: period.unit, spans, max: MAX_FILLED };
}

/** The kind of period that a kept column contains. `range` is the range of the materials that the view reads. */
export function periodOf(
  { side, origin, period }: BoundColumn,
  sides: Sides,
  range: TimeRange,
): ColumnPeriod | undefined {
  if (origin.kind === 'output') return period;
  const source = (side === 'from' ? sides.from : sides.with)?.resolved;
  if (source?.kind !== 'material' || source.time === null) return undefined;
  if (side === 'with' && source.joinedAlways) return undefined;
  const { time } = source;
  const rows = time.period;
  if (origin.kind === 'time-part') return { unit: origin.part, range, rows };
  const isDay = origin.kind === 'field' && origin.field === time.field && time.grain === 'day';
  return isDay ? { unit: rows === 'month' ? 'month-start' : 'date', range, rows } : undefined;
}
