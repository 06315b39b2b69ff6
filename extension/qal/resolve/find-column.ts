// Owns the look-up of a column name in the source of a view, and what to say when it is not there.
import { type Contract, isEnabled } from '../../contracts/contract';
import { type QueryError, queryError } from '../../errors/query-error';
import { nearest } from '../names/nearest';
import { columnSynonym } from '../names/synonyms';
import type { QualifiedName } from '../types/parsed-query';
import type { BoundColumn } from '../types/resolved-query';
import type { Source } from './source';

/** A column by its name alone, as filters write it; throws E_UNKNOWN_COLUMN or E_FEATURE_DISABLED. */
export function findColumn(source: Source, name: string, at: string, contract: Contract): BoundColumn {
  const column = source.columns.get(name);
  if (column === undefined) throw unknownColumn(source, name, at);
  const { bound, feature } = column;
  if (feature !== undefined && !isEnabled(contract, feature)) {
    throw queryError('E_FEATURE_DISABLED', at, { feature });
  }
  return bound;
}

/** A column as keep writes it, with its source before the dot. */
export function findQualified(
  source: Source,
  { prefix, column }: QualifiedName,
  at: string,
  contract: Contract,
): BoundColumn {
  if (source.prefixes.includes(prefix)) return findColumn(source, column, at, contract);
  const meant = meantColumn(source.columns, column);
  throw queryError('E_UNKNOWN_COLUMN', at, {
    problem: 'unknown-source',
    prefix,
    column,
    sources: [source.name],
    hint: meant === undefined ? undefined : `Write "${source.name}.${meant}".`,
  });
}

/** A column inside a calc; throws E_CALC_COLUMN_UNRESOLVED. */
export function findCalcColumn(
  source: Source,
  reference: QualifiedName,
  at: string,
  contract: Contract,
): BoundColumn {
  const { prefix, column } = reference;
  const { name, prefixes, columns } = source;
  if (prefixes.includes(prefix) && columns.has(column)) return findColumn(source, column, at, contract);
  const known = meantColumn(columns, column);
  throw queryError('E_CALC_COLUMN_UNRESOLVED', at, {
    reference: `${prefix}.${column}`,
    sources: [name],
    hint: known === undefined ? undefined : `Did you mean "${name}.${known}"?`,
  });
}

/** The column that was probably meant: by another name of it, or by a slip of the keys. */
function meantColumn(columns: Source['columns'], wanted: string): string | undefined {
  if (columns.has(wanted)) return wanted;
  const synonym = columnSynonym(wanted);
  return synonym !== undefined && columns.has(synonym) ? synonym : nearest(wanted, columns.keys());
}

function unknownColumn({ name, prefixes, columns }: Source, column: string, at: string): QueryError {
  return queryError('E_UNKNOWN_COLUMN', at, {
    problem: 'unknown',
    material: name,
    column,
    nearest: meantColumn(columns, column),
    hint: unqualifiedHint(prefixes, columns, column),
  });
}

/** Filters name columns without their source. */
function unqualifiedHint(
  prefixes: readonly string[],
  columns: Source['columns'],
  column: string,
): string | undefined {
  const dot = column.lastIndexOf('.');
  const bare = column.slice(dot + 1);
  return dot > 0 && prefixes.includes(column.slice(0, dot)) && columns.has(bare)
    ? `A filter names columns without their source: write "${bare}".`
    : undefined;
}
