// Each check of the manifest fails on a copy that breaks it, and says where, and what would be right.
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { CONTRACTS_FOLDER } from '../../manifests/reader/contract-files';
import { loadManifest } from '../../manifests/reader/manifest';
import { copyManifest, type ManifestCopy } from './manifest-copy';

const MATERIALS = 'materials.yaml';
const STORAGE = 'storage.yaml';
const CONTRACT = 'contracts/2026-05-11.yaml';

interface Case {
  readonly title: string;
  readonly file: string;
  readonly from: string;
  readonly to: string;
  readonly says: readonly string[];
}

const CASES: readonly Case[] = [
  {
    title: 'via that is no key',
    file: STORAGE,
    from: ' title: {via: page_id',
    to: ' title: {via: pageid',
    says: [
      'storage.yaml: materials.allpv.columns.title.via',
      "'pageid' is not a key of the material",
      'page_id',
    ],
  },
  {
    title: 'key of an unknown dimension',
    file: STORAGE,
    from: 'os_id: os\n',
    to: 'os_id: system\n',
    says: ['materials.allpv.keys.os_id', "'system' is not a dimension", 'browser'],
  },
  {
    title: 'field that its dimension does not have',
    file: STORAGE,
    from: 'via: prev_page_id, field: url',
    to: 'via: prev_page_id, field: address',
    says: [
      'materials.allpv.columns.prev_url.field',
      "'address' is not a field of dimension page",
      'url, title',
    ],
  },
  {
    title: 'column that its dimension does not have',
    file: STORAGE,
    from: 'fields: [country_code], unique: country_code',
    to: 'fields: [code]',
    says: ['materials.allpv.columns.country_code', "'country_code' is not a field of dimension country"],
  },
  {
    title: 'unique that is no field',
    file: STORAGE,
    from: 'unique: url',
    to: 'unique: uri',
    says: ['dimensions.page.unique', "'uri' is not among its fields: url"],
  },
  {
    title: 'join key that is no column',
    file: MATERIALS,
    from: 'join: {pv_id: one',
    to: 'join: {view_id: one',
    says: ['materials.allpv.join.view_id', "'view_id' is not a column of the material"],
  },
  {
    title: 'order by no column',
    file: MATERIALS,
    from: 'order: [access_time, pv_id]',
    to: 'order: [access_time, id]',
    says: ['materials.allpv.order[1]', "'id' is not a column of the material"],
  },
  {
    title: 'time that is no column',
    file: MATERIALS,
    from: 'time: {column: access_time',
    to: 'time: {column: moment',
    says: ['materials.allpv.time.column', "'moment' is not a column of the material"],
  },
  {
    title: 'time of the wrong type',
    file: MATERIALS,
    from: 'grain: instant',
    to: 'grain: day',
    says: ['materials.allpv.time', "grain 'day' needs a column of type date, not datetime"],
  },
  {
    title: 'hour of a material of days',
    file: MATERIALS,
    from: 'time: {column: access_time, grain: instant}',
    to: 'time: {column: access_date, grain: day}',
    says: ['materials.allpv.columns.access_hour.part', "'hour' needs a material with grain instant"],
  },
  {
    title: 'unknown feature',
    file: MATERIALS,
    from: 'feature: allpv_prev_next_page',
    to: 'feature: prev_next',
    says: ['materials.allpv.columns.prev_page_id.feature', "'prev_next' is not a feature of a contract"],
  },
  {
    // conformance: version.features-fields-carry
    title: 'column behind a feature without its date',
    file: MATERIALS,
    from: "since: '2026-04-17', feature",
    to: 'feature',
    says: ['materials.allpv.columns.prev_page_id.since', 'is missing'],
  },
  {
    title: 'a word of a column without a decoder',
    file: STORAGE,
    from: 'word_of: age}',
    to: 'word_of: sessions}',
    says: [
      'materials.ga4_age_gender.columns.age_label.word_of',
      "'sessions' is not a column with a decoder",
      'age',
    ],
  },
  {
    title: 'a decoder of an unknown column',
    file: MATERIALS,
    from: 'action_id: {1: click',
    to: 'action: {1: click',
    says: ['materials.click_event.decoders.action', "'action' is not a column of the material"],
  },
  {
    title: 'a part of a missing time',
    file: STORAGE,
    from: 'device_type: {via: device_id}\n      tracking_id: {via: site_id}\n\n  summary_allpage',
    to: 'device_type: {part: month}\n\n  summary_allpage',
    says: ['materials.summary_landingpage.columns.device_type.part', 'needs a material with a time'],
  },
  {
    title: 'like an unknown material',
    file: MATERIALS,
    from: 'like: allpv',
    to: 'like: allpw',
    says: ['materials.goal_N.like', "'allpw' is not a material"],
  },
  {
    title: 'a feature of a material that no contract has',
    file: MATERIALS,
    from: 'feature: datalayer_observed_events',
    to: 'feature: events',
    says: ['materials.events.{name}.feature', "'events' is not a feature of a contract"],
  },
  {
    title: 'two sources of one value',
    file: STORAGE,
    from: 'computed: ua',
    to: 'computed: ua, via: os_id',
    says: ['materials.allpv.columns.ua', 'via, computed', 'one of them only'],
  },
  {
    title: 'field beside a computation',
    file: STORAGE,
    from: 'part: hour',
    to: 'part: hour, field: at',
    says: ['materials.allpv.columns.access_hour.field', 'alone or with via'],
  },
  {
    title: 'a material that is stored nowhere',
    file: STORAGE,
    from: '\n  ga4_region:',
    to: '\n  ga4_regions:',
    says: ['materials.yaml: materials.ga4_region', 'is missing in storage.yaml'],
  },
  {
    title: 'a stored material that is not in materials.yaml',
    file: STORAGE,
    from: '\n  ga4_region:',
    to: '\n  ga4_city: {table: ga4_city}\n  ga4_region:',
    says: ['storage.yaml: materials.ga4_city', 'is no material', 'ga4_region'],
  },
  {
    title: 'a stored column that is not in materials.yaml',
    file: STORAGE,
    from: 'access_time: {field: at}',
    to: 'access_moment: {field: at}',
    says: ['storage.yaml: materials.allpv.columns.access_moment', 'is not a column of the material', 'pv_id'],
  },
  {
    title: 'a material with a time and no table',
    file: STORAGE,
    from: '    table: ga4_region\n',
    to: '',
    says: ['storage.yaml: materials.ga4_region.table', 'is missing'],
  },
  {
    title: 'a parent that is no material',
    file: STORAGE,
    from: 'parent: {material: allpv',
    to: 'parent: {material: allpw',
    says: ['storage.yaml: materials.click_event.parent.material', "'allpw' is not a material"],
  },
  {
    title: 'bit that is no flag',
    file: MATERIALS,
    from: 'is_article: {type: flag',
    to: 'is_article: {type: int',
    says: ['storage.yaml: materials.allpv.columns.is_article.bit', 'makes a flag, but the type is int'],
  },
  {
    title: 'import of a computed column',
    file: MATERIALS,
    from: 'age_label: {type: text, about',
    to: 'age_label: {type: text, import: optional, about',
    says: ['materials.ga4_age_gender.columns.age_label.import', 'stored columns only'],
  },
  {
    title: 'empty range',
    file: MATERIALS,
    from: 'min: 0, max: 23',
    to: 'min: 24, max: 23',
    says: ['materials.allpv.columns.access_hour.min', '24 is above max 23'],
  },
  {
    title: 'unknown type',
    file: MATERIALS,
    from: 'pv: {type: int',
    to: 'pv: {type: number',
    says: ['materials.yaml: materials.allpv.columns.pv.type', 'datetime'],
  },
  {
    title: 'unknown attribute',
    file: MATERIALS,
    from: 'pv: {type: int',
    to: 'pv: {typ: int, type: int',
    says: ['materials.yaml: materials.allpv.columns.pv', '"typ"'],
  },
  {
    title: 'repeated key',
    file: MATERIALS,
    from: 'pv: {type: int',
    to: 'pv: {type: id, type: int',
    says: ['materials.yaml: line', 'duplicated mapping key'],
  },
  {
    title: 'broken YAML',
    file: CONTRACT,
    from: 'limits:',
    to: 'limits: [',
    says: ['contracts/2026-05-11.yaml: line', 'not valid YAML'],
  },
  {
    title: 'version unlike the file name',
    file: CONTRACT,
    from: "version: '2026-05-11'",
    to: "version: '2026-05-12'",
    says: ['contracts/2026-05-11.yaml: version', "'2026-05-12'", 'same date'],
  },
  {
    title: 'knows an unknown material',
    file: CONTRACT,
    from: '\nknows: all',
    to: '\nknows: {pageviews: [url]}',
    says: ['contracts/2026-05-11.yaml: knows.pageviews', 'is no material', 'allpv'],
  },
  {
    title: 'knows an unknown column',
    file: CONTRACT,
    from: '\nknows: all',
    to: '\nknows: {allpv: [pv_id, country]}',
    says: ['knows.allpv[1]', "'country' is not a column of allpv", 'country_code'],
  },
  {
    // conformance: version.features-fields-carry
    title: 'enabled feature without a date',
    file: CONTRACT,
    from: "calc: {enabled: true, since: '2025-10-20',",
    to: 'calc: {enabled: true,',
    says: ['features.calc.since', 'is missing'],
  },
  {
    title: 'disabled feature with a date',
    file: CONTRACT,
    from: 'sample: {enabled: false,',
    to: "sample: {enabled: false, since: '2026-05-11',",
    says: ['features.sample.since', 'must be left out'],
  },
  {
    title: 'default above the maximum',
    file: CONTRACT,
    from: 'default_rows: 1000',
    to: 'default_rows: 60000',
    says: ['limits.default_rows', 'must not be above max_rows, which is 50000'],
  },
];

describe('a broken manifest does not load', () => {
  let copy: ManifestCopy;
  beforeEach(() => {
    copy = copyManifest();
  });
  afterEach(() => copy.remove());

  test.each(CASES)('$title', ({ file, from, to, says }) => {
    copy.replace(file, from, to);
    let message = 'it loaded';
    try {
      loadManifest(copy.directory);
    } catch (error) {
      message = error instanceof Error ? error.message : String(error);
    }
    for (const part of says) expect(message).toContain(part);
  });

  test('all faults of a file are reported at once, one line each', () => {
    copy.replace(STORAGE, 'os_id: os\n', 'os_id: system\n');
    copy.replace(STORAGE, 'computed: ua', 'computed: ua, via: os_id');
    expect(() => loadManifest(copy.directory)).toThrow(/keys\.os_id.*\n.*columns\.ua/);
  });

  test('a folder without contracts', () => {
    const folder = join(copy.directory, CONTRACTS_FOLDER);
    for (const name of readdirSync(folder)) rmSync(join(folder, name));
    expect(() => loadManifest(copy.directory)).toThrow(/contracts.*has no contract/);
  });

  test('a missing file is named in the error', () => {
    expect(() => loadManifest(`${copy.directory}/contracts`)).toThrow(/materials\.yaml.*cannot be read/);
  });
});
