// SQL that reads the columns of stored rows in the format used in export files.

import { importName } from '../../../manifests/reader/import-columns';
import type { Column, Manifest, Material } from '../../../manifests/reader/manifest';
import { type GivenIdField, isGivenIdField } from '../import/given-ids';

export const EXPORT_FORMATS = ['ndjson', 'csv', 'parquet'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export type RowReader = ReturnType<typeof rowReader>;

/** SQL for the values of a row `t`; collects the joins that they need. */
export function rowReader(manifest: Manifest, material: Material, format: ExportFormat) {
  const joins = new Map<string, string>();

  /** A field in another of the site's tables, which is joined under this alias. */
  const joined = (table: string, alias: string, condition: string, field: string): string => {
    joins.set(
      alias,
      `LEFT JOIN analytics.${table} ${alias} ON ${alias}.site_id = t.site_id AND ${condition}`,
    );
    return `${alias}.${field}`;
  };

  /** A value from the dimension row that the field `key` refers to; by default, the column's `via` field. */
  const dimension = (column: Column, key = column.via ?? ''): string => {
    const found = manifest.dimensions.get(material.keys.get(column.via ?? '') ?? '');
    if (found === undefined) throw new Error(`${material.name} has no dimension for ${column.name}.`);
    const { table, id, scope } = found;
    const [alias, field] = [`${key}_row`, column.field ?? column.name];
    if (scope === 'site') return joined(table, alias, `${alias}.${id} = t.${key}`, field);
    joins.set(alias, `LEFT JOIN analytics.${table} ${alias} ON ${alias}.${id} = t.${key}`);
    return `${alias}.${field}`;
  };

  /** An id as it was imported. Text ids are stored as numbers that have no meaning outside this installation. */
  const id = (name: GivenIdField, field = `t.${name}`): string => {
    if (format === 'parquet') return field;
    const alias = `${name}_text`;
    const text = joined('given_id', alias, `${alias}.kind = '${name}' AND ${alias}.id = ${field}`, 'given');
    return format === 'ndjson'
      ? `coalesce(to_json(${text}), to_json(${field}))`
      : `coalesce(${text}, ${field}::text)`;
  };

  return {
    get joins(): string {
      return [...joins.values()].join(' ');
    },
    /** The value as queries return it. */
    value(column: Column): string {
      const name = importName(column);
      if (column.via !== undefined) return dimension(column);
      return isGivenIdField(name) ? id(name) : storedValue(column);
    },
    dimension,
    id,
    joined,
  };
}

/** The value of a column that is stored in the row itself. */
export function storedValue(column: Column, name = column.field ?? importName(column)): string {
  const field = `t.${name}`;
  if (column.type === 'flag') return `${field}::int`;
  if (column.type === 'datetime') return instant(field);
  if (column.type === 'date') return `to_char(${field}, 'YYYY-MM-DD')`;
  return column.per === undefined ? field : `round(${field}::numeric / ${column.per}, 2)`;
}

export const instant = (value: string): string =>
  `to_char(${value} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`;
