// Builds the SELECT for the rows of a material, in the format that the importer reads.
import { escapeLiteral } from 'pg';
import { importableColumns, importName } from '../../../manifests/reader/import-columns';
import type { Manifest, Material } from '../../../manifests/reader/manifest';
import { derivedName, FACT } from '../import/fact-columns';
import { isGivenIdField } from '../import/given-ids';
import type { Bind } from '../storage/bindings';
import { type ExportedColumn, factsOf } from './fact-values';
import { type ExportFormat, type RowReader, rowReader, storedValue } from './row-reader';

interface ExportedRows {
  /** A range of days in the site's time zone, in epoch seconds and as dates. */
  readonly start: number;
  readonly end: number;
  readonly from: string;
  readonly to: string;
}

export interface ExportQuery {
  readonly columns: readonly Pick<ExportedColumn, 'name' | 'type'>[];
  /** A SELECT of these columns, in the row order that imports fastest. */
  readonly text: string;
}

interface ExportRequest {
  readonly manifest: Manifest;
  readonly material: Material;
  readonly siteId: number;
  /** All days if left out. */
  readonly days: ExportedRows | undefined;
  readonly format: ExportFormat;
}

export function exportQuery(request: ExportRequest): ExportQuery {
  const { manifest, material, siteId, format } = request;
  const condition = `t.site_id = ${siteId}::smallint AND ${daysCondition(request)}`;
  const { columns, text } = rowsQuery(manifest, material, format, condition);
  return { columns, text: `(${text})${waitingRows(request, columns)}` };
}

/** The rows `t` of a material that meet a condition, from its table or another source with the same fields. */
export function rowsQuery(
  manifest: Manifest,
  material: Material,
  format: ExportFormat,
  condition: string,
  source = `analytics.${material.table}`,
): { readonly columns: readonly ExportedColumn[]; readonly text: string } {
  const reader = rowReader(manifest, material, format);
  const columns = columnsOf(manifest, material, format, reader);
  const order =
    material.name === 'allpv'
      ? ['t.at', 'coalesce(t.order_no, t.pv_id)']
      : [material.rowId ?? material.key].flat().map((field) => `t.${field}`);
  return {
    columns,
    text: `SELECT ${columns.map(({ name, value }) => `${value} AS "${name}"`).join(', ')}
       FROM ${source} t ${reader.joins} WHERE ${condition} ORDER BY ${order.join(', ')}`,
  };
}

/** COPY takes no bindings. */
export const literal: Bind = (value) =>
  escapeLiteral(Array.isArray(value) ? `{${value.map(quotedElement).join(',')}}` : String(value));

const quotedElement = (value: unknown): string => `"${String(value).replaceAll(/["\\]/g, '\\$&')}"`;

/** JSON contains no raw control characters, so CSV with these as quote and delimiter writes it unchanged. */
export const AS_LINES = `(FORMAT csv, QUOTE E'\\x01', DELIMITER E'\\x02')`;

/** A SELECT of a JSON object for each row, without nulls; nulls inside JSON values are kept. */
export function jsonOf({ text, columns }: ExportQuery): string {
  const members = columns.map(({ name }) => `'"${name}":' || to_json(r."${name}")::text`);
  return `SELECT '{' || array_to_string(ARRAY[${members.join(', ')}], ',') || '}' FROM (${text}) r`;
}

/**
 * NDJSON contains only facts. CSV also contains derived values, for human readers; the importer ignores them. Parquet, which cannot
 * be imported, contains the values that queries return.
 */
function columnsOf(
  manifest: Manifest,
  material: Material,
  format: ExportFormat,
  reader: RowReader,
): readonly ExportedColumn[] {
  const values = importableColumns(material)
    .filter((column) => !material.importColumns.includes(column))
    .map((column) => ({ name: importName(column), type: column.type, value: reader.value(column) }));
  if (format === 'parquet') return values;
  const facts = factsOf(manifest, material, reader);
  if (format === 'ndjson') return facts;
  const isFact = ({ name, value }: ExportedColumn): boolean =>
    facts.some((fact) => fact.name === name && fact.value === value);
  return [
    ...facts,
    ...values.filter((one) => !isFact(one)).map((one) => ({ ...one, name: derivedName(one.name) })),
  ];
}

/** Rows that are waiting for their page view come last. The export of a range of days omits those without a given time. */
function waitingRows(
  { manifest, material, siteId, days, format }: ExportRequest,
  columns: readonly ExportedColumn[],
): string {
  if (material.parent === undefined) return '';
  const reader = rowReader(manifest, material, format);
  const givens = new Map(importableColumns(material).map((column) => [importName(column), column]));
  const values = columns.map(({ name }) => {
    const column = givens.get(name);
    if (name === FACT.sourceName) return waitingSource(reader);
    if (column === undefined) return 'NULL';
    if (isGivenIdField(name)) return reader.id(name);
    if (column.type === 'datetime') return storedValue(column);
    const given = `t.facts ->> '${column.via ?? column.field ?? name}'`;
    if (name === 'params') return `(t.facts ->> 'params')::jsonb`;
    return column.type === 'text' ? given : `(${given})::${column.type === 'num' ? 'float8' : 'bigint'}`;
  });
  const within = days === undefined ? 'true' : isWithin('t.at', days);
  return ` UNION ALL (SELECT ${values.join(', ')} FROM analytics.waiting_row t ${reader.joins}
      WHERE t.site_id = ${siteId}::smallint AND t.material = '${material.name}' AND t.row_id IS NULL AND ${within} ORDER BY t.arrivals[cardinality(t.arrivals)], t.lines[cardinality(t.lines)], t.waiting_id)`;
}

const waitingSource = ({ joined }: RowReader): string => {
  const hasSource = "source_row.source_no = (t.facts ->> 'source_no')::smallint";
  const ofRow = joined('import_source', 'source_row', hasSource, 'source_name');
  return `coalesce(${ofRow}, ${joined('import_run', 'run', 'run.import_id = t.import_ids[1]', 'source_name')})`;
};

const isWithin = (time: string, { start, end }: ExportedRows): string =>
  `${time} >= to_timestamp(${start}) AND ${time} < to_timestamp(${end})`;

/** Rows that belong to a page view are exported with that view's day. */
function daysCondition({ material: { time, parent }, days }: ExportRequest): string {
  if (days === undefined) return 'true';
  return time?.grain === 'day'
    ? `t.${time.field} BETWEEN ${literal(days.from)}::date AND ${literal(days.to)}::date`
    : isWithin(`t.${parent?.time ?? time?.field}`, days);
}
