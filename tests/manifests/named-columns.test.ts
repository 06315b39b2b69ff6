// Materials match the specification: columns and their types, join keys, dataset ids, features and decoders.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { familyOf, headContract, materialNames, materialOf } from '../../manifests/reader/catalog';
import { loadManifest, MANIFEST_DIRECTORY, type Material } from '../../manifests/reader/manifest';
import { materialsFileSchema } from '../../manifests/reader/schema';

const manifest = loadManifest();
const head = headContract(manifest);
const initial = [...manifest.contracts.values()][0] ?? head;

const existing = (material: Material | undefined): Material => {
  if (material === undefined) throw new Error('The material does not exist.');
  return material;
};
const headMaterial = (name: string): Material =>
  existing(
    name === 'goal_N'
      ? familyOf(manifest, head, 'goal')
      : name === 'events.{name}'
        ? familyOf(manifest, head, 'event')
        : materialOf(manifest, head, name),
  );
const typesOf = ({ columns }: Material, names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, columns.get(name)?.type]));

test.each<[string, Record<string, string>]>([
  [
    'allpv',
    {
      pv_id: 'id',
      url: 'text',
      title: 'text',
      access_time: 'datetime',
      device_type: 'text',
      os: 'text',
      browser: 'text',
      source_id: 'id',
      irritation_click_count: 'int',
      country_code: 'text',
      page_id: 'id',
      session_id: 'id',
    },
  ],
  ['gsc', { keyword: 'text', url: 'text', clicks: 'int', impressions: 'int', position: 'num', ctr: 'num' }],
  ['click_event', { pv_id: 'id', selector: 'text', access_time: 'datetime', event_sec: 'int' }],
  ['goal_N', { pv_id: 'id', url: 'text', session_index: 'int', UAos: 'text', is_reject: 'flag' }],
  ['page_version', { page_id: 'id', version_id: 'id', version_no: 'int', update_date: 'date' }],
  ['datalayer_event', { pv_id: 'id', event_name: 'text', params_json: 'text' }],
  ['events.{name}', { pv_id: 'id', session_id: 'id', page_id: 'id', access_time: 'datetime' }],
  // conformance: service.data-site, material.allpv, material.click-event, material.goal-n
  // conformance: material.page-version, material.other-columns-page, contracts.materials
  // conformance: goals.columns-allpv-reference
])('%s has the specified columns', (name, types) => {
  expect(typesOf(headMaterial(name), Object.keys(types))).toEqual(types);
});

// conformance: material.gsc
test('gsc has sums in the initial contract', () => {
  const types = {
    keyword: 'text',
    clicks_sum: 'int',
    impressions_sum: 'int',
    ctr: 'num',
    position_wavg: 'num',
  };
  const gsc = existing(materialOf(manifest, initial, 'gsc'));
  expect(typesOf(gsc, Object.keys(types))).toEqual(types);
  expect(gsc.columns.has('clicks')).toBe(false);
});

// conformance: material.full-column-lists, contracts.allpv
test('allpv has 22 columns in the initial contract', () => {
  const columns = [...existing(materialOf(manifest, initial, 'allpv')).columns.keys()];
  expect(columns.sort()).toEqual(
    [
      'pv_id',
      'reader_id',
      'page_id',
      'url',
      'title',
      'source_domain',
      'referrer',
      'utm_source',
      'utm_medium',
      'utm_campaign',
      'ua',
      'device_type',
      'os',
      'browser',
      'language',
      'country_code',
      'access_time',
      'pv',
      'speed_msec',
      'browse_sec',
      'is_last',
      'is_newuser',
    ].sort(),
  );
});

const all = materialNames(manifest, head).map((name) => existing(materialOf(manifest, head, name)));

// conformance: material.dataset-id
test('dataset ids are unique and match the specification', () => {
  // Clients read dataset ids from the file. The program does not use them.
  const file = load(readFileSync(join(MANIFEST_DIRECTORY, 'materials.yaml'), 'utf8'));
  const { materials } = materialsFileSchema.parse(file);
  const ids = all.flatMap(({ name }) => {
    const id = materials[name]?.dataset_id;
    return id === undefined ? [] : [[name, id]];
  });
  expect(Object.fromEntries(ids)).toMatchObject({ allpv: 1, click_event: 2, datalayer_event: 3, gsc: 4 });
  expect(new Set(ids.map(([, id]) => id)).size).toBe(ids.length);
});

// conformance: material.supports-all, material.where-supports-all
test('the specified materials support "all"', () => {
  const supported = Object.fromEntries(all.map(({ name, supportsAll }) => [name, supportsAll]));
  expect(supported).toEqual({
    allpv: true,
    click_event: true,
    datalayer_event: true,
    'events.{name}': true,
    gsc: false,
    goal_N: false,
    page_version: false,
    ga4_age_gender: false,
    ga4_country: false,
    ga4_region: false,
    summary_landingpage: true,
    summary_allpage: true,
    summary_days_access_detail: true,
  });
});

test.each<[string, readonly string[]]>([
  ['allpv', ['page_id', 'pv_id', 'reader_id', 'session_id', 'version_id']],
  ['click_event', ['page_id', 'pv_id', 'session_id']],
  ['datalayer_event', ['page_id', 'pv_id', 'session_id']],
  ['events.{name}', ['page_id', 'pv_id', 'session_id']],
  ['goal_N', ['page_id', 'pv_id', 'session_id']],
  ['gsc', ['page_id']],
  ['page_version', ['page_id', 'version_id']],
  ['ga4_country', []],
  ['summary_allpage', []],
  // conformance: material.join-section-lists, join.keys-declared-manifest
])('%s has the specified keys', (name, keys) => {
  expect([...headMaterial(name).join.keys()].sort()).toEqual(keys);
});

// conformance: request.tracking-id-column
test('tracking_id is a column of every material', () => {
  expect(all.filter(({ columns }) => columns.get('tracking_id')?.feature !== 'tracking_id_column')).toEqual(
    [],
  );
});

// conformance: flag.filter-since-2025, flag.join-since-2025, flag.calc-since-2025, flag.view-chaining-since
// conformance: flag.sort-since-2025, flag.materials-supports-all, flag.guide-local-source
test('the contract has the features that the specification names, with their dates', () => {
  const flags = Object.fromEntries(
    [...head.features].map(([name, { enabled, since }]) => [name, enabled && since]),
  );
  expect(flags).toMatchObject({
    filter: '2025-10-20',
    join: '2025-10-20',
    calc: '2025-10-20',
    view_chaining: '2025-10-20',
    sort: '2025-10-20',
    allpv_prev_next_page: '2026-04-17',
    materials_supports_all: '2026-04-29',
    calc_join_symmetric: '2026-05-11',
    guide_local_source: '2026-05-11',
    datalayer_observed_events: '2026-05-11',
    sample: false,
    include_count: false,
    return_file: false,
    return_csv: false,
    return_parquet: false,
  });
});

test.each<[string, string, Record<string, number>]>([
  ['allpv', 'device_id', { PC: 1, tablet: 2, SP: 3 }],
  ['click_event', 'action_id', { click: 1, submit: 2, tel: 3, mail: 4 }],
  ['gsc', 'search_type', { web: 1, image: 2, video: 3 }],
  ['ga4_age_gender', 'gender', { unknown: 0, male: 1, female: 2 }],
  // conformance: material.decoders-section
])('%s.%s decodes its numbers into the specified words', (material, column, words) => {
  expect(headMaterial(material).columns.get(column)?.words).toEqual(words);
});
