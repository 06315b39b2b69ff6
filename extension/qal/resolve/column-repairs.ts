// Owns the repairs of column names that a source does not have.
// source + the name received + its place in the query -> the edits, where another name of it is known.
import { renamedColumn } from '../names/synonyms';
import type { CalcFunction, QualifiedName } from '../types/parsed-query';
import type { Path } from '../types/path';
import { certainly, probably, type Repair, remove, rename, write } from '../types/repair';
import type { Source } from './source';

/** The numbers of a row of gsc. */
const MEASURES: ReadonlySet<string> = new Set([
  'clicks',
  'impressions',
  'ctr',
  'position',
  'position_weighted',
]);

/** Of an entry of `keep`; `kept` = all of them. */
export function keepRepair(
  source: Source,
  { prefix, column }: QualifiedName,
  place: Path,
  kept: readonly QualifiedName[],
): Repair | undefined {
  const { columns } = source;
  const known = renamedColumn(column) ?? asSum(source, column);
  if (known !== undefined && columns.has(known)) return certainly(write(place, `${prefix}.${known}`));
  const calc = (name: string, of: string) =>
    write([...place.slice(0, 2), 'calc', name], `SUM(${prefix}.${of})`);
  const summed = asPart(source, column);
  if (summed !== undefined) {
    const edits = [remove(place), calc(column, summed)];
    // Beside a daily number that is kept, the sum would be one for each such number.
    return kept.some((other) => MEASURES.has(other.column)) ? probably(...edits) : certainly(...edits);
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

/** Of a key of `filter`: without its source, or by its present name. */
export function filterRepair(
  { prefixes, columns }: Source,
  received: string,
  place: Path,
): Repair | undefined {
  const dot = received.lastIndexOf('.');
  const bare = received.slice(dot + 1);
  const known = columns.has(bare) ? bare : (renamedColumn(bare) ?? '');
  const isOfSource = dot < 0 || prefixes.includes(received.slice(0, dot));
  return isOfSource && columns.has(known) ? certainly(rename(place, known)) : undefined;
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
