// The tables in the copy. Names and types come from PostgreSQL's catalog, so new columns are copied automatically.
import type { ClientBase } from 'pg';
import { z } from 'zod';
import type { Manifest } from '../../../manifests/reader/manifest';
import { storedMasks } from '../../language/sql/channel-sql';
import { CHANNEL_MASK } from '../../language/types/channels';
import { CTR_FIELD } from '../../language/types/micros';

/**
 * How changes to a table are recorded and copied: rows by UTC `day`, dimensions by `id`. A `shared` dimension is small and
 * always copied as a whole.
 */
type ChangeUnit = 'day' | 'id' | 'shared';

export interface CopiedTable {
  readonly name: string;
  /** The tables that a view reads. A recorded change to one of them is treated as a change to the view. */
  readonly changedBy?: readonly string[] | undefined;
  readonly unit: ChangeUnit;
  readonly unitField: CopiedField;
  readonly fields: readonly CopiedField[];
}

export const isShared = ({ unit }: CopiedTable): boolean => unit === 'shared';

export interface CopiedField {
  readonly name: string;
  readonly kind: keyof typeof DUCKDB_TYPES;
  readonly isNullable: boolean;
  /** For a field that only the copy has, the expression for its value in PostgreSQL. */
  readonly computed?: string;
}

const CTR =
  'CASE WHEN impressions = 0 THEN 0 ELSE (20000 * clicks::bigint + impressions) / (2 * impressions::bigint) END';

/**
 * Precomputed values that only the copy has, by table. In DuckDB, division takes three times as long as addition, and computing
 * channels takes even longer.
 */
function computedFields(manifest: Manifest): ReadonlyMap<string, CopiedField> {
  const field = (name: string, computed: string): CopiedField => ({
    name,
    kind: 'bigint',
    isNullable: false,
    computed,
  });
  const masks = Object.entries(storedMasks(manifest)).map(
    ([dimension, mask]) =>
      [manifest.dimensions.get(dimension)?.table ?? dimension, field(CHANNEL_MASK, mask)] as const,
  );
  return new Map([['search_day', field(CTR_FIELD, CTR)], ...masks]);
}

/** Maps the types in PostgreSQL to those in the copy. Instants are epoch seconds. */
export const DUCKDB_TYPES = {
  smallint: 'SMALLINT',
  integer: 'INTEGER',
  bigint: 'BIGINT',
  boolean: 'BOOLEAN',
  text: 'VARCHAR',
  date: 'DATE',
  'double precision': 'DOUBLE',
  'timestamp with time zone': 'BIGINT',
  jsonb: 'STRUCT(json VARCHAR, texts MAP(VARCHAR, VARCHAR))',
} as const;

/** Columns that only importers use. */
const NOT_COPIED: ReadonlySet<string> = new Set([
  'title_at',
  'type_at',
  'status_at',
  'seen_at',
  'observed',
  'data_version',
  'row_id',
  'page_state_id',
  'reader_state_id',
  'order_no',
  'source_no',
  'named_by',
  'is_visit_traffic',
  'is_browse_derived',
  'given_pv',
  'given_is_last',
  'given_prev_page_id',
  'given_next_page_id',
  'given_is_newuser',
  'found_session_id',
  'found_reader_id',
  'view_source_id',
  'view_medium_id',
  'view_campaign_id',
  'view_content_id',
]);

const isCopied = (type: string): type is CopiedField['kind'] => Object.hasOwn(DUCKDB_TYPES, type);

const catalogRow = z.object({
  table_name: z.string(),
  column_name: z.string(),
  data_type: z.string(),
  is_nullable: z.boolean(),
});

export async function describeCopiedTables(
  client: ClientBase,
  manifest: Manifest,
): Promise<readonly CopiedTable[]> {
  const units = unitsOf(manifest);
  const computed = computedFields(manifest);
  const { rows } = await client.query(
    // The views in information_schema take twenty times as long.
    `SELECT relname AS table_name, attname AS column_name, format_type(atttypid, NULL) AS data_type, NOT attnotnull AS is_nullable
       FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
      WHERE relnamespace = 'analytics'::regnamespace AND relname = ANY($1) AND attnum > 0 AND NOT attisdropped
      ORDER BY relname, attnum`,
    [[...units.keys()]],
  );
  const catalog = z.array(catalogRow).parse(rows);
  return [...units].map(([name, { unit, field, changedBy }]) => {
    const fields = catalog.flatMap((row): CopiedField[] =>
      row.table_name === name && isCopied(row.data_type) && !NOT_COPIED.has(row.column_name)
        ? [{ name: row.column_name, kind: row.data_type, isNullable: row.is_nullable }]
        : [],
    );
    const unitField = fields.find((it) => it.name === field);
    if (unitField === undefined) throw new Error(`The table ${name} has no field ${field}.`);
    const added = computed.get(name);
    return { name, changedBy, unit, unitField, fields: added === undefined ? fields : [...fields, added] };
  });
}

type Unit = Pick<CopiedTable, 'unit' | 'changedBy'> & { readonly field: string };

/** A table that is both a material and a dimension, such as page_version, is copied by day. */
function unitsOf({ materials, dimensions, conversionTable }: Manifest): ReadonlyMap<string, Unit> {
  const units = new Map<string, Unit>();
  for (const { table, id, scope } of dimensions.values())
    units.set(table, { unit: scope === 'site' ? 'id' : 'shared', field: id });
  for (const { table, time } of materials.values())
    if (table !== undefined && time !== undefined) units.set(table, { unit: 'day', field: time.field });
  units.set(conversionTable, { unit: 'day', field: 'at' });
  // Copied as a table, because joining the view in each query would read all page views.
  const changedBy = [conversionTable, 'page_view'];
  units.set(CONVERSION_VIEW, { unit: 'day', field: 'at', changedBy });
  return units;
}

export const CONVERSION_VIEW = 'conversion_view';
