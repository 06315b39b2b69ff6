// The shipped manifests load, cannot be changed, and contain what the catalog promises.
import { apiUpdate, headContract, materialNames, materialOf } from '../../manifests/reader/catalog';
import { loadManifest } from '../../manifests/reader/manifest';
import { copyManifest } from './manifest-copy';

const manifest = loadManifest();
const head = headContract(manifest);
const allpv = materialOf(manifest, head, 'allpv');

test('the head is the newest contract', () => {
  expect(head.version).toBe([...manifest.contracts.keys()].sort().at(-1));
});

test('allpv can be queried for all sites', () => {
  expect(allpv).toMatchObject({
    name: 'allpv',
    supportsAll: true,
    time: { column: 'access_time', field: 'at', grain: 'instant' },
  });
  expect([...(allpv?.join ?? [])]).toEqual([
    ['pv_id', 'one'],
    ['session_id', 'many'],
    ['page_id', 'many'],
    ['version_id', 'many'],
    ['reader_id', 'many'],
  ]);
});

test('an import file must contain url and access_time, and must not contain computed columns', () => {
  const columns = [...(allpv?.columns.values() ?? [])];
  expect(columns.filter((it) => it.import === 'required').map((it) => it.name)).toEqual([
    'access_time',
    'url',
  ]);
  const computed = [
    'page_id',
    'device_id',
    'source_id',
    'medium_id',
    'campaign_id',
    'content_id',
    'prev_page_id',
  ];
  for (const name of [...computed, 'next_page_id', 'ua', 'is_article', 'access_date', 'tracking_id']) {
    expect(allpv?.columns.get(name)).toMatchObject({ name });
    expect(allpv?.columns.get(name)?.import).toBeUndefined();
  }
});

test('each kind of page has a separate bit', () => {
  const bits = [...(allpv?.columns.values() ?? [])].flatMap((it) => (it.bit === undefined ? [] : [it.bit]));
  expect(bits).toHaveLength(20);
  expect(new Set(bits).size).toBe(20);
});

// conformance: filter.contains-prefix-text
test('text operators accept only text, and operators on numbers also accept flags', () => {
  const operators = head.request.filter_operators;
  expect(operators.contains?.types).toEqual(['text']);
  expect(operators.prefix?.types).toEqual(['text']);
  for (const name of ['gt', 'gte', 'lt', 'lte', 'between']) expect(operators[name]?.types).toContain('flag');
  expect(head.request.calc_functions.SUM?.types).not.toContain('text');
});

test('the manifest cannot be changed', () => {
  const url = allpv?.columns.get('url');
  expect(Object.isFrozen(url)).toBe(true);
  expect(Object.isFrozen(head.request.filter_operators.eq?.types)).toBe(true);
  const columns: unknown = allpv?.columns;
  if (!(columns instanceof Map)) throw new Error('The columns are not a map.');
  expect(() => columns.set('more', url)).toThrow('cannot be changed');
  expect(() => columns.delete('url')).toThrow('cannot be changed');
  expect(() => columns.clear()).toThrow('cannot be changed');
});

// conformance: version.version-changes-breaking, contracts.api-update-newest
test('api_update depends on the enabled features', () => {
  const newest = [...head.features.values()]
    .flatMap(({ since }) => since ?? [])
    .sort()
    .at(-1);
  expect(apiUpdate(manifest, head, () => true)).toBe(newest);
  const laterFeatures = new Set(
    [...head.features].flatMap(([name, { since = '' }]) => (since >= '2026-11-20' ? [name] : [])),
  );
  expect(apiUpdate(manifest, head, (feature) => !laterFeatures.has(feature))).toBe('2026-05-21');
});

describe('an older contract', () => {
  const copy = copyManifest();
  copy.replace('contracts/2026-05-11.yaml', "version: '2026-05-11'", "version: '2026-01-01'");
  copy.replace('contracts/2026-05-11.yaml', '\nknows: all', '\nknows: {allpv: [pv_id, url, pv]}');
  copy.write('contracts/2026-01-01.yaml', copy.read('contracts/2026-05-11.yaml'));
  copy.restore('contracts/2026-05-11.yaml');
  const two = loadManifest(copy.directory);
  copy.remove();
  const [older, newer] = ['2026-01-01', '2026-05-11'].map((version) => two.contracts.get(version));
  if (older === undefined || newer === undefined) throw new Error('A contract is missing.');

  test('comes first', () => {
    expect([...two.contracts.keys()]).toEqual(['2025-10-20', '2026-01-01', '2026-05-11']);
    expect(headContract(two)).toBe(newer);
  });

  test('has the columns that it lists', () => {
    expect([...(materialOf(two, older, 'allpv')?.columns.keys() ?? [])]).toEqual(['pv_id', 'pv', 'url']);
    expect(materialOf(two, newer, 'allpv')?.columns.has('pv')).toBe(true);
    expect(materialOf(two, older, 'allpv')?.time?.field).toBe('at');
    expect(materialOf(two, older, 'allpv')).toBe(materialOf(two, older, 'allpv'));
  });

  test('has only the materials that it lists', () => {
    expect(materialNames(two, older)).toEqual(['allpv']);
    expect(materialOf(two, older, 'gsc')).toBeUndefined();
  });
});
