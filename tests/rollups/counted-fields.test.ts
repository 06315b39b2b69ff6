// What the manifest says is kept counted, the tables that keep it, and the second list of the tests are the same.
import { COUNTED_FIELDS } from '../../manifests/reader/rollups';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { COUNTED } from './reference';
import { manifest } from './rollup-data';

let database: TestDatabase;
let columns: ReadonlyMap<string, ReadonlyMap<string, string>>;
beforeAll(async () => {
  database = await createTestDatabase();
  const answer: { rows: { table: string; name: string; type: string }[] } = await database.write.raw(
    `SELECT c.relname AS "table", a.attname AS name, format_type(a.atttypid, NULL) AS type
       FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE n.nspname = 'analytics' AND c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped`,
  );
  const found = new Map<string, Map<string, string>>();
  for (const { table, name, type } of answer.rows) {
    found.set(table, (found.get(table) ?? new Map()).set(name, type));
  }
  columns = found;
});
afterAll(() => database.drop());

const arraysOf = (table: string): string[] =>
  [...(columns.get(table) ?? [])].filter(([, type]) => type.endsWith('[]')).map(([name]) => name);

const materials = [...manifest.rollups.values()].map((rollups) => [rollups.material, rollups] as const);

test('the arrays of the counts are the measures of the manifest', () => {
  const measures = materials.flatMap(([, rollups]) => rollups.measures.map(({ name }) => name));
  expect(arraysOf('rollup').sort()).toEqual([...new Set(['keys', 'second_keys', ...measures])].sort());
  expect(arraysOf('rollup_unique').sort()).toEqual(['counts', 'keys', 'previous', 'second_keys']);
});

test('every code belongs to one dimension', () => {
  const codes = materials.flatMap(([, { dimensions }]) => dimensions.map(({ code }) => code));
  expect(new Set(codes).size).toBe(codes.length);
});

test('each material has one dimension without keys, by which its rows are counted', () => {
  for (const [, { dimensions }] of materials) {
    expect(dimensions.filter(({ keys }) => keys.length === 0)).toHaveLength(1);
  }
});

test('only page views tell values apart: of other rows imports do not note whose they are', () => {
  for (const [material, { dimensions }] of materials) {
    const counts = new Set(dimensions.flatMap((dimension) => dimension.counts));
    expect([...counts].sort()).toEqual(material === 'allpv' ? Object.keys(COUNTED_FIELDS).sort() : []);
  }
});

describe.each(materials)('%s', (material, { dimensions, measures }) => {
  const second = Object.entries(COUNTED).find(([name]) => name === material)?.[1];

  test('is counted as the reference of these tests counts it', () => {
    expect(measures.map(({ name }) => name)).toEqual(Object.keys(second?.measures ?? {}));
    expect(dimensions.map(({ code, keys, counts }) => ({ code, keys, counts }))).toEqual(second?.dimensions);
  });

  test('names fields that are stored', () => {
    const stored = columns.get(second?.table ?? '');
    const fields = [
      ...dimensions.flatMap(({ keys, counts }) => [...keys, ...counts]),
      ...measures.flatMap(({ of, where, equally }) => [
        ...(of === undefined ? [] : [of]),
        ...Object.keys(where),
        ...Object.keys(equally),
      ]),
    ];
    expect(fields.filter((field) => stored?.has(field) !== true)).toEqual([]);
  });

  test('has keys that fit into the arrays, and flags and numbers to sum', () => {
    const stored = columns.get(second?.table ?? '');
    const typesOf = (fields: readonly string[]) => [...new Set(fields.map((field) => stored?.get(field)))];
    const KEYS = ['integer', 'smallint', 'boolean'];
    expect(KEYS).toEqual(expect.arrayContaining(typesOf(dimensions.flatMap(({ keys }) => keys))));
    const summed = measures.flatMap(({ function: kind, of }) => (kind === 'SUM' && of ? [of] : []));
    expect(KEYS).toEqual(expect.arrayContaining(typesOf(summed)));
  });
});
