// What the manifest says is kept counted, the tables that keep it, and the second list of the tests are the same.
import { COUNTED_FIELDS, loadRollups, ROLLUPS_FILE } from '../../manifests/reader/rollups';
import { copyManifest } from '../manifests/manifest-copy';
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

describe('a manifest is refused', () => {
  const copy = copyManifest();
  afterEach(() => copy.restore(ROLLUPS_FILE));
  afterAll(() => copy.remove());

  test.each([
    [
      'with a code that another dimension has, of another material too',
      'all: {code: 31,',
      'all: {code: 2,',
      'materials.click_event.dimensions.all.code: 2 is the code of materials.allpv.dimensions.page already',
    ],
    [
      'without a dimension of all rows, by which they are counted',
      'all: {code: 31, keys: []',
      'all: {code: 31, keys: [page_id]',
      'materials.click_event.dimensions: must have one dimension without keys; there are: none',
    ],
    [
      'with two of them',
      'selector: {code: 32, keys: [selector_id]',
      'selector: {code: 32, keys: []',
      'materials.click_event.dimensions: must have one dimension without keys; there are: all, selector',
    ],
  ])('%s', (_, from, to, says) => {
    copy.replace(ROLLUPS_FILE, from, to);
    expect(() => loadRollups(copy.directory)).toThrow(`${ROLLUPS_FILE}: ${says}`);
  });
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
