// Owns the repairs of column names that a source does not have.
// source + the name received + its place in the query -> the edits, where another name of it is known.
import { holdsInstead, renamedColumn } from '../names/synonyms';
import type { CalcFunction, ParsedCondition, QualifiedName, Scalar } from '../types/parsed-query';
import type { Path } from '../types/path';
import { certainly, probably, type Repair, remove, rename, write } from '../types/repair';
import type { Source } from './source';

/** A row of gsc in the initial contract: one for each page, keyword and kind of search. */
const PERIOD_ROW: readonly (readonly string[])[] = [
  ['page_id', 'url'],
  ['query_id', 'keyword'],
  ['search_type'],
];
const OF_PERIOD_ROW: ReadonlySet<string> = new Set([...PERIOD_ROW.flat(), 'title']);

/** Of an entry of `keep`; `kept` = all of them. */
export function keepRepair(
  source: Source,
  { prefix, column }: QualifiedName,
  place: Path,
  kept: readonly QualifiedName[],
): Repair | undefined {
  const { columns } = source;
  const renamed = renamedColumn(column);
  if (renamed !== undefined && columns.has(renamed)) return certainly(write(place, `${prefix}.${renamed}`));
  // A number of each day is not its sum.
  const sum = asSum(source, column);
  if (sum !== undefined) return probably(write(place, `${prefix}.${sum}`));
  const calc = (name: string, of: string) =>
    write([...place.slice(0, 2), 'calc', name], `SUM(${prefix}.${of})`);
  const summed = asPart(source, column);
  if (summed !== undefined) {
    const edits = [remove(place), calc(column, summed)];
    return keepsPeriodRows(source, kept) ? certainly(...edits) : probably(...edits);
  }
  if (source.material !== 'gsc') return undefined;
  // A mean position is no sum: the caller divides one sum by another.
  if (column === 'position_wavg' && columns.has('position_weighted')) {
    const parts = ['position_weighted', 'impressions'].map((of) => calc(of, of));
    return probably(remove(place), ...parts);
  }
  return column === 'position' && columns.has('position_wavg')
    ? probably(write(place, `${prefix}.position_wavg`))
    : undefined;
}

/** Of a key of `filter`: without its source, or by its present name; `values` = all that it is compared with. */
export function filterRepair(
  { prefixes, columns }: Source,
  received: string,
  values: readonly Scalar[],
  place: Path,
): Repair | undefined {
  const dot = received.lastIndexOf('.');
  const bare = received.slice(dot + 1);
  const known = columns.has(bare) ? bare : (renamedColumn(bare) ?? '');
  const isOfSource = dot < 0 || prefixes.includes(received.slice(0, dot));
  if (!isOfSource || !columns.has(known)) return undefined;
  const isSame = columns.has(bare) || holdsInstead(known, values) === undefined;
  return isSame ? certainly(rename(place, known)) : probably(rename(place, known));
}

/** All that a condition compares with. */
export function valuesOf(condition: ParsedCondition): readonly Scalar[] {
  if (condition.operator === 'in') return condition.values;
  return condition.operator === 'between' ? [condition.low, condition.high] : [condition.value];
}

/** Of the reference in a calc. */
export function calcRepair(
  source: Source,
  { prefix, column }: QualifiedName,
  name: CalcFunction,
  place: Path,
): Repair | undefined {
  const known = renamedColumn(column) ?? (name === 'SUM' ? asPart(source, column) : undefined);
  return known !== undefined && source.columns.has(known)
    ? certainly(write(place, `${name}(${prefix}.${known})`))
    : undefined;
}

/** Whether sums are taken over the same rows as in the initial contract. */
function keepsPeriodRows(source: Source, kept: readonly QualifiedName[]): boolean {
  const dimensions = kept.filter(({ column }) => asPart(source, column) === undefined);
  return (
    dimensions.every(({ prefix, column }) => source.prefixes.includes(prefix) && OF_PERIOD_ROW.has(column)) &&
    PERIOD_ROW.every((columns) => dimensions.some(({ column }) => columns.includes(column)))
  );
}

/** gsc has daily numbers in one contract and sums in another: `clicks` where only `clicks_sum` is. */
function asSum({ material, columns }: Source, column: string): string | undefined {
  const sum = `${column}_sum`;
  return material === 'gsc' && columns.has(sum) ? sum : undefined;
}

/** And `clicks_sum` where only `clicks` is. */
function asPart({ material, columns }: Source, column: string): string | undefined {
  const part = column.replace(/_sum$/, '');
  return material === 'gsc' && part !== column && columns.has(part) ? part : undefined;
}
