// Builds the SELECT for the rows of a material in the form that the importer reads.
import type { Column, Manifest, Material } from '../../../manifests/reader/manifest';
import { importableColumns, importName } from '../import/column-setters';
import { type GivenIdField, isGivenIdField } from '../import/given-ids';
import type { Bind } from '../removal/removal-plan';

export const EXPORT_FORMATS = ['ndjson', 'csv', 'parquet'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export interface ExportedRows {
  /** A range of local days on the site, in epoch seconds and as dates. */
  readonly start: number;
  readonly end: number;
  readonly from: string;
  readonly to: string;
}

interface ExportedColumn {
  readonly name: string;
  readonly type: Column['type'];
}

export interface ExportQuery {
  readonly columns: readonly ExportedColumn[];
  /** A SELECT of these columns, in the row order that imports fastest. */
  readonly text: string;
}

export function exportQuery(
  manifest: Manifest,
  material: Material,
  siteId: number,
  days: ExportedRows | undefined,
  format: ExportFormat,
  bind: Bind,
): ExportQuery {
  const isChild = material.parent !== undefined;
  const imported = importableColumns(material).filter(
    (column) => isChild || !material.importColumns.includes(column),
  );
  const joins = new Map<string, string>();
  const values = imported.map((column) => {
    const name = importName(column);
    const value = (): string => {
      if (material.importColumns.includes(column)) return `NULL::${ID_TYPES[format]}`;
      if (column.via !== undefined) return dimensionValue(manifest, material, column, joins);
      return isGivenIdField(name) && format !== 'parquet'
        ? givenId(name, format, joins)
        : storedValue(column);
    };
    return `${value()} AS "${name}"`;
  });
  const order =
    material.name === 'allpv'
      ? ['t.at', 'coalesce(t.order_no, t.pv_id)']
      : [material.rowId ?? material.key].flat().map((field) => `t.${field}`);
  return {
    columns: imported.map((column) => ({ name: importName(column), type: column.type })),
    text: `(SELECT ${values.join(', ')} FROM analytics.${material.table} t ${[...joins.values()].join(' ')}
      WHERE t.site_id = ${bind(siteId)}::smallint AND ${daysCondition(manifest, material, siteId, days, bind)}
      ORDER BY ${order.join(', ')})${waitingRows(material, siteId, days, format, bind)}`,
  };
}

/** The types of ids in a SELECT, as `givenId` returns them. */
const ID_TYPES = { ndjson: 'json', csv: 'text', parquet: 'bigint' } as const;

/** Rows that wait for their page view, after the others. Without a given time, they have no day. */
function waitingRows(
  material: Material,
  siteId: number,
  days: ExportedRows | undefined,
  format: ExportFormat,
  bind: Bind,
): string {
  if (material.parent === undefined) return '';
  const joins = new Map<string, string>();
  const values = importableColumns(material).map((column) => {
    const name = importName(column);
    if (isGivenIdField(name)) return format === 'parquet' ? `t.${name}` : givenId(name, format, joins);
    if (column.type === 'datetime') return storedValue(column);
    const given = `t.facts ->> '${column.via ?? column.field ?? name}'`;
    if (name === 'params') return `(t.facts ->> 'params')::jsonb`;
    return column.type === 'text' ? given : `(${given})::${column.type === 'num' ? 'float8' : 'bigint'}`;
  });
  const within =
    days === undefined
      ? 'true'
      : `t.at >= to_timestamp(${bind(days.start)}::float8) AND t.at < to_timestamp(${bind(days.end)}::float8)`;
  return ` UNION ALL (SELECT ${values.join(', ')} FROM analytics.waiting_row t ${[...joins.values()].join(' ')}
      WHERE t.site_id = ${bind(siteId)}::smallint AND t.material = '${material.name}' AND t.row_id IS NULL AND ${within} ORDER BY t.waiting_id)`;
}

function storedValue(column: Column): string {
  const field = `t.${column.field ?? importName(column)}`;
  if (column.type === 'flag') return `${field}::int`;
  if (column.type === 'datetime') return `to_char(${field} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`;
  if (column.type === 'date') return `to_char(${field}, 'YYYY-MM-DD')`;
  return column.per === undefined ? field : `round(${field}::numeric / ${column.per}, 2)`;
}

/** An id as it was imported. Text ids are stored as numbers that mean nothing outside this installation. */
function givenId(name: GivenIdField, format: 'ndjson' | 'csv', joins: Map<string, string>): string {
  joins.set(
    `${name}_text`,
    `LEFT JOIN analytics.given_id ${name}_text ON ${name}_text.site_id = t.site_id
       AND ${name}_text.kind = '${name}' AND ${name}_text.id = t.${name}`,
  );
  return format === 'ndjson'
    ? `coalesce(to_json(${name}_text.given), to_json(t.${name}))`
    : `coalesce(${name}_text.given, t.${name}::text)`;
}

/** A value from a dimension table; adds the join to `joins`. */
function dimensionValue(
  manifest: Manifest,
  material: Material,
  column: Column,
  joins: Map<string, string>,
): string {
  const { via = '' } = column;
  const dimension = manifest.dimensions.get(material.keys.get(via) ?? '');
  if (dimension === undefined) throw new Error(`${material.name} has no dimension for ${via}.`);
  const ofSite = dimension.scope === 'site' ? `AND ${via}_row.site_id = t.site_id` : '';
  joins.set(
    via,
    `LEFT JOIN analytics.${dimension.table} ${via}_row ON ${via}_row.${dimension.id} = t.${via} ${ofSite}`,
  );
  return `${via}_row.${column.field ?? column.name}`;
}

/** Rows that belong to a page view are exported on the day of that view. */
function daysCondition(
  manifest: Manifest,
  material: Material,
  siteId: number,
  days: ExportedRows | undefined,
  bind: Bind,
): string {
  if (days === undefined) return 'true';
  const within = ({ time }: Material, row: string): string =>
    time?.grain === 'day'
      ? `${row}.${time.field} BETWEEN ${bind(days.from)}::date AND ${bind(days.to)}::date`
      : `${row}.${time?.field} >= to_timestamp(${bind(days.start)}::float8) AND ${row}.${time?.field} < to_timestamp(${bind(days.end)}::float8)`;
  const parent = material.parent && manifest.materials.get(material.parent.material);
  if (parent === undefined) return within(material, 't');
  return `t.${material.parent?.key} IN (SELECT p.${material.parent?.key} FROM analytics.${parent.table} p
    WHERE p.site_id = ${bind(siteId)}::smallint AND ${within(parent, 'p')})`;
}
