// In gsc, one contract has daily values, and the other has sums over the period. Finds replacements for the other contract's
// columns.
import type { CalcFunction, QualifiedName } from '../types/parsed-query';
import type { Source } from './source';

type GscSource = Pick<Source, 'name' | 'prefixes' | 'material' | 'columns'>;

/** The grain of the initial contract: one row per page, keyword and search type. */
const PERIOD_ROW: readonly (readonly string[])[] = [
  ['page_id', 'url'],
  ['query_id', 'keyword'],
  ['search_type'],
];
const OF_PERIOD_ROW: ReadonlySet<string> = new Set([...PERIOD_ROW.flat(), 'title']);

/** The sum for a daily column, such as `clicks_sum` for `clicks`, or the weighted mean for `position`. */
export function sumOf({ material, columns }: GscSource, column: string): string | undefined {
  if (material !== 'gsc') return undefined;
  return [`${column}_sum`, ...(column === 'position' ? ['position_wavg'] : [])].find((it) => columns.has(it));
}

/** The daily column for a sum, such as `clicks` for `clicks_sum`. */
export function partOf({ material, columns }: GscSource, column: string): string | undefined {
  const part = column.replace(/_sum$/, '');
  return material === 'gsc' && part !== column && columns.has(part) ? part : undefined;
}

/** Whether the entries of `keep` form the same groups as the rows of the initial contract. */
export function keepsPeriodRows(source: GscSource, kept: readonly QualifiedName[]): boolean {
  const dimensions = kept.filter(({ column }) => partOf(source, column) === undefined);
  return (
    dimensions.every(({ prefix, column }) => source.prefixes.includes(prefix) && OF_PERIOD_ROW.has(column)) &&
    PERIOD_ROW.every((columns) => dimensions.some(({ column }) => columns.includes(column)))
  );
}

/** The columns whose sums are divided to compute a mean position. */
export const meanParts = ({ material, columns }: GscSource, column: string): readonly string[] =>
  material === 'gsc' && column === 'position_wavg' && columns.has('position_weighted')
    ? ['position_weighted', 'impressions']
    : [];

/** The hint for a column that only period rows have. `calcFunction` is the function that reads it. */
export function replacementHint(source: GscSource, column: string, calcFunction?: CalcFunction) {
  const { name, material, columns } = source;
  if (material !== 'gsc' || !columns.has('position_weighted')) return undefined;
  if (column === 'first_position' || column === 'latest_position') {
    const day = column === 'first_position' ? 'first' : 'last';
    return { hint: 'days', date: `${name}.date`, position: `${name}.position`, day } as const;
  }
  const [dividend, divisor] = meanParts(source, column).map((part) => `SUM(${name}.${part})`);
  if (dividend !== undefined) return { hint: 'division', dividend, divisor } as const;
  const part = partOf(source, column);
  if (part === undefined || calcFunction === 'SUM') return undefined;
  return { hint: 'earlier view', name: column, expression: `SUM(${name}.${part})` } as const;
}
