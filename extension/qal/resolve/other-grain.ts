// Owns what takes the place of the numbers that gsc has for the period in one contract and for each day in another.
// source + column (+ the function over it) -> calcs or columns, as data; undefined where a repair says it better.
import type { ErrorParameters } from '../../errors/error-table';
import type { CalcFunction } from '../types/parsed-query';
import type { Source } from './source';

type Instead = ErrorParameters<'E_CALC_COLUMN_UNRESOLVED'>['instead'];

const DAYS: ReadonlyMap<string, 'first' | 'last'> = new Map([
  ['first_position', 'first'],
  ['latest_position', 'last'],
]);

/** What to do about a column that only the rows of a period have; `calculated` = by that function. */
export function instead(
  { name, material, columns }: Source,
  column: string,
  calculated?: CalcFunction,
): Instead {
  if (material !== 'gsc' || !columns.has('position_weighted')) return undefined;
  const day = DAYS.get(column);
  if (day !== undefined) return { by: 'days', columns: [`${name}.date`, `${name}.position`], day };
  if (column === 'position_wavg') {
    return {
      by: 'division',
      dividend: `SUM(${name}.position_weighted)`,
      divisor: `SUM(${name}.impressions)`,
    };
  }
  const part = column.replace(/_sum$/, '');
  if (part === column || !columns.has(part) || calculated === 'SUM') return undefined;
  return { by: 'view', name: column, expression: `SUM(${name}.${part})` };
}
