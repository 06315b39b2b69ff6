// The names of columns in imported files.
import type { ColumnDefinition } from './schema';

interface FileColumn extends Pick<ColumnDefinition, 'import' | 'import_name'> {
  readonly name: string;
}

export interface FileMaterial<Column = FileColumn> {
  readonly name: string;
  readonly columns: ReadonlyMap<string, Column>;
  readonly importColumns: readonly Column[];
}

/** Additional page-view fields that a file may contain. They are not stored, but other columns are derived from them. */
export const RAW_VIEW_COLUMNS = ['ip', 'user_agent'] as const;

/** The columns of a material that a file may contain. */
export const importableColumns = <Column extends FileColumn>(
  material: FileMaterial<Column>,
): readonly Column[] =>
  [...material.columns.values(), ...material.importColumns].filter((column) => column.import !== undefined);

/** A column's name in imported files. */
export const importName = (column: FileColumn): string => column.import_name ?? column.name;

/** The names of the columns that a file must have. */
export const requiredColumns = (material: FileMaterial): readonly string[] =>
  importableColumns(material)
    .filter((column) => column.import === 'required')
    .map(importName);

/** The names of the columns that a file may have; none if the material cannot be imported. */
export const fileColumns = (material: FileMaterial): readonly string[] => [
  ...importableColumns(material).map(importName),
  ...(material.name === 'allpv' ? RAW_VIEW_COLUMNS : []),
];
