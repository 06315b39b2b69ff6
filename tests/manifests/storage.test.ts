// The manifest matches the database: every stored field exists and has the right type and nullability.
import { PERIOD_ROWS } from '../../extension/language/plan/period-rows';
import { type Column, loadManifest, type Material } from '../../manifests/reader/manifest';
import type { ColumnType } from '../../manifests/reader/schema';
import { useTestDatabase } from '../support/use-database';

interface StoredField {
  readonly type: string;
  readonly nullable: boolean;
}

const DB_TYPES: Readonly<Record<ColumnType, readonly string[]>> = {
  id: ['bigint', 'integer'],
  int: ['integer', 'smallint'],
  num: ['double precision', 'integer', 'smallint'],
  flag: ['boolean'],
  text: ['text'],
  datetime: ['timestamp with time zone'],
  date: ['date'],
};

/** Stored fields that are neither columns nor dimension keys. */
const INTERNAL = [
  'site_id',
  'fingerprint',
  'view_at',
  'params',
  'goal_no',
  'row_id',
  'page_state_id',
  'reader_state_id',
  'found_session_id',
  'found_reader_id',
  'order_no',
  'named_by',
  'source_no',
  'is_visit_traffic',
  'is_browse_derived',
  'given_pv',
  'given_is_last',
  'given_prev_page_id',
  'given_next_page_id',
  'given_is_newuser',
  'view_source_id',
  'view_medium_id',
  'view_campaign_id',
  'view_content_id',
];

const manifest = loadManifest().forAdministrators;
const tables = new Map<string, ReadonlyMap<string, StoredField>>();
const database = useTestDatabase();

beforeAll(async () => {
  const { rows } = await database.write.raw<{
    rows: { table_name: string; column_name: string; data_type: string; is_nullable: string }[];
  }>(
    "SELECT table_name, column_name, data_type, is_nullable FROM information_schema.columns WHERE table_schema = 'analytics'",
  );
  for (const row of rows) {
    const fields = new Map(tables.get(row.table_name));
    fields.set(row.column_name, { type: row.data_type, nullable: row.is_nullable === 'YES' });
    tables.set(row.table_name, fields);
  }
});

const isView = (material: Material) =>
  ['conversion_view', 'query_record_view'].includes(material.table ?? '');
const tableOf = ({ table = '' }: Material) => tables.get(table);
const dimensionOf = (name: string) => tables.get(manifest.dimensions.get(name)?.table ?? '');
const isStored = ({ via, part, computed, goal, word_of }: Column) =>
  (via ?? part ?? computed ?? goal ?? word_of) === undefined;
const isComputed = ({ name }: Material) => PERIOD_ROWS.has(name);

test('conversions have a table', () => expect(tables.has(manifest.conversionTable)).toBe(true));

test('materials that are computed over the queried period have neither a time nor a table', () => {
  const computed = [...manifest.materials.values()].filter(isComputed);
  expect(computed.map(({ name }) => name)).toEqual([...PERIOD_ROWS.keys()]);
  expect(computed.map(tableOf)).toEqual(computed.map(() => undefined));
  const timeless = [...manifest.materials.values()].filter(({ time }) => time === undefined);
  expect(timeless).toEqual(computed);
});

const stored = [...manifest.materials.values()].filter((material) => !isComputed(material));

describe.each(stored.map((material) => [material.name, material] as const))('%s', (_, material) => {
  test('has a table', () => expect(tableOf(material)).toBeDefined());

  test.each([...material.columns.values()].filter(isStored).map((column) => [column.name, column] as const))(
    '%s is stored as declared',
    (name, column) => {
      const field = tableOf(material)?.get(column.field ?? name);
      expect(field).toBeDefined();
      expect(DB_TYPES[column.type]).toContain(field?.type);
      // PostgreSQL does not report whether the columns of a view are nullable.
      if (!isView(material)) expect(field?.nullable).toBe(column.nullable);
    },
  );

  test.each(
    [...material.columns.values()].flatMap((column) =>
      column.via === undefined ? [] : [[column.name, column, column.via] as const],
    ),
  )('%s is found in its dimension', (name, column, via) => {
    const field = dimensionOf(material.keys.get(via) ?? '')?.get(column.field ?? name);
    expect(column.bit === undefined ? DB_TYPES[column.type] : DB_TYPES.int).toContain(field?.type);
    const mayBeNull = field?.nullable === true || tableOf(material)?.get(via)?.nullable === true;
    if (!isView(material)) expect(column.nullable || !mayBeNull).toBe(true);
  });

  test('its key is the primary key of the table', async () => {
    if (material.key === undefined) return;
    const { rows } = await database.write.raw<{ rows: { name: string }[] }>(
      `SELECT a.attname AS name FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY(i.indkey)
        WHERE i.indisprimary AND i.indrelid = ?::regclass`,
      [`analytics.${material.table}`],
    );
    expect(rows.map(({ name }) => name).sort()).toEqual(['site_id', ...material.key].sort());
  });

  // conformance: material.full-column-lists
  test('every key is stored as a number', () => {
    for (const key of material.keys.keys()) {
      expect(['bigint', 'integer', 'smallint']).toContain(tableOf(material)?.get(key)?.type);
    }
  });

  test('every stored field is declared', () => {
    const declared = [...material.columns.values()]
      .filter(isStored)
      .map((column) => column.field ?? column.name);
    const known = new Set([...declared, material.rowId, ...material.keys.keys(), ...INTERNAL]);
    expect([...(tableOf(material)?.keys() ?? [])].filter((field) => !known.has(field))).toEqual([]);
  });
});

describe.each([...manifest.dimensions.values()].map((dimension) => [dimension.name, dimension] as const))(
  'dimension %s',
  (name, dimension) => {
    test('has a table with its id and fields', () => {
      const fields = dimensionOf(name);
      expect([...(fields?.keys() ?? [])]).toEqual(
        expect.arrayContaining([dimension.id, ...dimension.fields]),
      );
    });

    test('is stored per site or shared, as declared', () => {
      const isPerSite = dimensionOf(name)?.has('site_id') === true && dimension.id !== 'site_id';
      expect(isPerSite).toBe(dimension.scope === 'site');
    });

    test('has a text key if declared', () => {
      expect(dimensionOf(name)?.has('text_key')).toBe(dimension.hasTextKey);
    });

    test('its unique field is never null', () => {
      if (dimension.unique !== undefined)
        expect(dimensionOf(name)?.get(dimension.unique)?.nullable).toBe(false);
    });
  },
);
