import { queryError } from '../errors/query-error';
import { renamedColumn } from '../names/foreign-columns';
import { nearest } from '../names/nearest';
import type { ParsedSort } from '../types/parsed-query';
import { formatPath, type Path } from '../types/path';
import { certainly, write } from '../types/repair';
import type { BoundColumn, OutputColumn, ResolvedSort } from '../types/resolved-query';
import type { Binding } from './binding';
import type { Sides } from './find-column';

export interface BoundOutput {
  readonly output: readonly OutputColumn[];
  readonly keep: readonly BoundColumn[];
  readonly sides: Sides;
}

export function resolveSort(sort: ParsedSort, view: BoundOutput, path: Path, binding: Binding): ResolvedSort {
  const keys = sort.keys.map(({ by, order }, index) => {
    const place = index === 0 ? [...path, 'by'] : [...path, 'then', index - 1, 'by'];
    return { by: outputColumn(by, view, place, binding), order };
  });
  const per = sort.per.map((name, index) => outputColumn(name, view, [...path, 'per', index], binding));
  return { keys, top: sort.top, per };
}

/** Finds an output column. A qualified name refers to a column kept from the side that it names. */
export function outputColumn(
  written: string,
  { output, keep, sides }: BoundOutput,
  place: Path,
  binding: Binding,
): OutputColumn {
  const dot = written.lastIndexOf('.');
  const name = written.slice(dot + 1);
  const kept = keep.find((column) => column.name === name);
  const matchesPrefix =
    dot < 0 || (kept !== undefined && prefixesOf(kept.side, sides).includes(written.slice(0, dot)));
  const found = matchesPrefix ? output.find((column) => column.name === name) : undefined;
  if (found !== undefined) return found;
  const columns = output.map((column) => column.name);
  const known = binding.meant(() => renamedColumn(name));
  const renamed = output.find((column) => column.name === known);
  const fault = queryError(
    'E_UNKNOWN_COLUMN not-output',
    formatPath(place),
    { column: written, columns, nearest: binding.meant(() => nearest(name, columns)) },
    renamed && certainly(write(place, renamed.name)),
  );
  if (renamed === undefined) throw fault;
  binding.note(fault);
  return renamed;
}

const prefixesOf = (side: BoundColumn['side'], { from, with: other }: Sides): readonly string[] =>
  side === 'from' ? from.prefixes : other === null ? [] : [other.name];
