// Owns the look-up of a column name in the source of a view, and what to say when it is not there.
import type { Material } from '../../../manifests/reader/manifest';
import type { Contract } from '../../contracts/contract';
import { type QueryError, queryError } from '../../errors/query-error';
import { nearest } from '../names/nearest';
import type { QualifiedName } from '../types/parsed-query';
import type { BoundColumn } from '../types/resolved-query';
import { bindColumn } from './bind-column';

/** What the columns of a view are looked up in. */
export interface Source {
  readonly material: Material;
  readonly contract: Contract;
}

/** A column by its name alone, as filters write it; throws E_UNKNOWN_COLUMN or E_FEATURE_DISABLED. */
export function findColumn({ material, contract }: Source, name: string, at: string): BoundColumn {
  const column = material.columns.get(name);
  if (column === undefined) throw unknownColumn(material, name, at);
  if (column.feature !== undefined && contract.rules.features.get(column.feature)?.enabled !== true) {
    throw queryError('E_FEATURE_DISABLED', at, { feature: column.feature });
  }
  return bindColumn(material, column);
}

/** A column as keep writes it, with its source before the dot. */
export function findQualified(source: Source, { prefix, column }: QualifiedName, at: string): BoundColumn {
  if (prefix === source.material.name) return findColumn(source, column, at);
  throw queryError('E_UNKNOWN_COLUMN', at, {
    problem: 'unknown-source',
    prefix,
    column,
    sources: [source.material.name],
  });
}

/** A column inside a calc; throws E_CALC_COLUMN_UNRESOLVED. */
export function findCalcColumn(source: Source, reference: QualifiedName, at: string): BoundColumn {
  const { prefix, column } = reference;
  const { material } = source;
  if (prefix === material.name && material.columns.has(column)) return findColumn(source, column, at);
  const known = material.columns.has(column) ? column : nearest(column, material.columns.keys());
  throw queryError('E_CALC_COLUMN_UNRESOLVED', at, {
    reference: `${prefix}.${column}`,
    sources: [material.name],
    hint: known === undefined ? undefined : `Did you mean "${material.name}.${known}"?`,
  });
}

/** Names that a column had, or has elsewhere. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  country: 'country_code',
  device: 'device_type',
  page_url: 'url',
  path: 'url',
  page_title: 'title',
  time: 'access_time',
  timestamp: 'access_time',
  date: 'access_date',
  day: 'access_date',
  hour: 'access_hour',
  weekday: 'access_weekday',
  month: 'access_month',
  user_id: 'reader_id',
  visitor_id: 'reader_id',
};

function unknownColumn(material: Material, column: string, at: string): QueryError {
  const renamed = OTHER_NAMES[column.toLowerCase()];
  const near =
    renamed !== undefined && material.columns.has(renamed)
      ? renamed
      : nearest(column, material.columns.keys());
  return queryError('E_UNKNOWN_COLUMN', at, {
    problem: 'unknown',
    material: material.name,
    column,
    nearest: near,
    hint: unqualifiedHint(material, column),
  });
}

/** Filters name columns without their source. */
function unqualifiedHint({ name, columns }: Material, column: string): string | undefined {
  const bare = column.slice(column.lastIndexOf('.') + 1);
  return bare !== column && columns.has(bare)
    ? `A filter names columns of ${name} alone: write "${bare}".`
    : undefined;
}
