// The shipped manifest files agree with each other. Each check fails for a broken copy of them, and reports the location and what
// is allowed there.
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { CONTRACTS_FOLDER, loadManifest, MANIFEST_DIRECTORY } from '../../manifests/reader/manifest';
import { checkManifest } from './cross-check';
import { copyManifest, type ManifestCopy } from './manifest-copy';

const MATERIALS = 'materials.yaml';
const STORAGE = 'storage.yaml';
const CONTRACT = 'contracts/2026-05-11.yaml';

interface Case {
  readonly title: string;
  readonly file: string;
  readonly from: string;
  readonly to: string;
  readonly parts: readonly string[];
}

const CASES: readonly Case[] = [
  {
    title: 'a "via" that is not a key',
    file: STORAGE,
    from: ' title: {via: page_id',
    to: ' title: {via: pageid',
    parts: [
      'storage.yaml: materials.allpv.columns.title.via',
      "'pageid' is not a key of the material",
      'page_id',
    ],
  },
  {
    title: 'a key for an unknown dimension',
    file: STORAGE,
    from: 'os_id: os\n',
    to: 'os_id: system\n',
    parts: ['materials.allpv.keys.os_id', "'system' is not a dimension", 'browser'],
  },
  {
    title: 'a field that its dimension does not have',
    file: STORAGE,
    from: 'via: prev_page_id, field: url',
    to: 'via: prev_page_id, field: address',
    parts: [
      'materials.allpv.columns.prev_url.field',
      "'address' is not a field of dimension page",
      'url, title',
    ],
  },
  {
    title: 'a column that its dimension does not have',
    file: STORAGE,
    from: 'fields: [country_code], unique: country_code',
    to: 'fields: [code]',
    parts: ['materials.allpv.columns.country_code', "'country_code' is not a field of dimension country"],
  },
  {
    title: 'a "unique" that is not a field',
    file: STORAGE,
    from: 'unique: url',
    to: 'unique: uri',
    parts: ['dimensions.page.unique', "'uri' is not among its fields: url"],
  },
  {
    title: 'a join key that is not a column',
    file: MATERIALS,
    from: 'join: {pv_id: one',
    to: 'join: {view_id: one',
    parts: ['materials.allpv.join.view_id', "'view_id' is not a column of the material"],
  },
  {
    title: 'an "order" entry that is not a column',
    file: MATERIALS,
    from: 'order: [access_time, pv_id]',
    to: 'order: [access_time, id]',
    parts: ['materials.allpv.order[1]', "'id' is not a column of the material"],
  },
  {
    title: 'a time that is not a column',
    file: MATERIALS,
    from: 'time: {column: access_time',
    to: 'time: {column: moment',
    parts: ['materials.allpv.time.column', "'moment' is not a column of the material"],
  },
  {
    title: 'a time of the wrong type',
    file: MATERIALS,
    from: 'grain: instant',
    to: 'grain: day',
    parts: ['materials.allpv.time', "grain 'day' needs a column of type date, not datetime"],
  },
  {
    title: 'an hour in a material with grain day',
    file: MATERIALS,
    from: 'time: {column: access_time, grain: instant}',
    to: 'time: {column: access_date, grain: day}',
    parts: ['materials.allpv.columns.access_hour.part', "'hour' needs a material with grain instant"],
  },
  {
    title: 'an unknown feature',
    file: MATERIALS,
    from: 'feature: allpv_prev_next_page',
    to: 'feature: prev_next',
    parts: ['materials.allpv.columns.prev_page_id.feature', "'prev_next' is not a feature of a contract"],
  },
  {
    // conformance: version.features-fields-carry
    title: 'a column that depends on a feature, without a date',
    file: MATERIALS,
    from: "since: '2026-04-17', feature",
    to: 'feature',
    parts: ['materials.allpv.columns.prev_page_id.since', 'is missing'],
  },
  {
    title: 'a word for a column without a decoder',
    file: STORAGE,
    from: 'word_of: age}',
    to: 'word_of: sessions}',
    parts: [
      'materials.ga4_age_gender.columns.age_label.word_of',
      "'sessions' is not a column with a decoder",
      'age',
    ],
  },
  {
    title: 'a decoder for an unknown column',
    file: MATERIALS,
    from: 'action_id: {1: click',
    to: 'action: {1: click',
    parts: ['materials.click_event.decoders.action', "'action' is not a column of the material"],
  },
  {
    title: 'a time part in a material without a time',
    file: STORAGE,
    from: 'device_type: {via: device_id}\n      tracking_id: {via: site_id}\n\n  summary_allpage',
    to: 'device_type: {part: month}\n\n  summary_allpage',
    parts: ['materials.summary_landingpage.columns.device_type.part', 'needs a material with a time'],
  },
  {
    title: '"like" with an unknown material',
    file: MATERIALS,
    from: 'like: allpv',
    to: 'like: allpw',
    parts: ['materials.goal_N.like', "'allpw' is not a material"],
  },
  {
    title: 'a material with a feature that no contract has',
    file: MATERIALS,
    from: 'feature: datalayer_observed_events',
    to: 'feature: events',
    parts: ['materials.events.{name}.feature', "'events' is not a feature of a contract"],
  },
  {
    title: 'two sources for one value',
    file: STORAGE,
    from: 'computed: ua',
    to: 'computed: ua, via: os_id',
    parts: ['materials.allpv.columns.ua', 'via, computed', 'only one of them'],
  },
  {
    title: 'a field alongside a computation',
    file: STORAGE,
    from: 'part: hour',
    to: 'part: hour, field: at',
    parts: ['materials.allpv.columns.access_hour.field', 'alone or with via'],
  },
  {
    title: 'a material that is not in storage.yaml',
    file: STORAGE,
    from: '\n  ga4_region:',
    to: '\n  ga4_regions:',
    parts: ['materials.yaml: materials.ga4_region', 'is missing from storage.yaml'],
  },
  {
    title: 'a stored material that is not in materials.yaml',
    file: STORAGE,
    from: '\n  ga4_region:',
    to: '\n  ga4_city: {table: ga4_city}\n  ga4_region:',
    parts: ['storage.yaml: materials.ga4_city', 'is not a material', 'ga4_region'],
  },
  {
    title: 'a stored column that is not in materials.yaml',
    file: STORAGE,
    from: 'access_time: {field: at}',
    to: 'access_moment: {field: at}',
    parts: [
      'storage.yaml: materials.allpv.columns.access_moment',
      'is not a column of the material',
      'pv_id',
    ],
  },
  {
    title: 'a material with a time and no table',
    file: STORAGE,
    from: '    table: ga4_region\n',
    to: '',
    parts: ['storage.yaml: materials.ga4_region.table', 'is missing'],
  },
  {
    title: 'a parent that is not a material',
    file: STORAGE,
    from: 'parent: {material: allpv',
    to: 'parent: {material: allpw',
    parts: ['storage.yaml: materials.click_event.parent.material', "'allpw' is not a material"],
  },
  {
    title: 'a bit that is not a flag',
    file: MATERIALS,
    from: 'is_article: {type: flag',
    to: 'is_article: {type: int',
    parts: ['storage.yaml: materials.allpv.columns.is_article.bit', 'is for flags, but the type is int'],
  },
  {
    title: 'an import of a computed column',
    file: MATERIALS,
    from: 'age_label: {type: text, about',
    to: 'age_label: {type: text, import: optional, about',
    parts: ['materials.ga4_age_gender.columns.age_label.import', 'only for stored columns'],
  },
  {
    title: 'an empty range',
    file: MATERIALS,
    from: 'min: 0, max: 23',
    to: 'min: 24, max: 23',
    parts: ['materials.allpv.columns.access_hour.min', '24 is above max 23'],
  },
  {
    title: 'an unknown type',
    file: MATERIALS,
    from: 'pv: {type: int',
    to: 'pv: {type: number',
    parts: ['materials.yaml: materials.allpv.columns.pv.type', 'datetime'],
  },
  {
    title: 'an unknown attribute',
    file: MATERIALS,
    from: 'pv: {type: int',
    to: 'pv: {typ: int, type: int',
    parts: ['materials.yaml: materials.allpv.columns.pv', '"typ"'],
  },
  {
    title: 'a repeated key',
    file: MATERIALS,
    from: 'pv: {type: int',
    to: 'pv: {type: id, type: int',
    parts: ['materials.yaml: line', 'duplicated mapping key'],
  },
  {
    title: 'broken YAML',
    file: CONTRACT,
    from: 'limits:',
    to: 'limits: [',
    parts: ['contracts/2026-05-11.yaml: line', 'not valid YAML'],
  },
  {
    title: 'a version that differs from the file name',
    file: CONTRACT,
    from: "version: '2026-05-11'",
    to: "version: '2026-05-12'",
    parts: ['contracts/2026-05-11.yaml: version', "'2026-05-12'", 'same date'],
  },
  {
    title: '`knows` with an unknown material',
    file: CONTRACT,
    from: '\nknows: all',
    to: '\nknows: {pageviews: [url]}',
    parts: ['contracts/2026-05-11.yaml: knows.pageviews', 'is not a material', 'allpv'],
  },
  {
    title: '`knows` with an unknown column',
    file: CONTRACT,
    from: '\nknows: all',
    to: '\nknows: {allpv: [pv_id, country]}',
    parts: ['knows.allpv[1]', "'country' is not a column of allpv", 'country_code'],
  },
  {
    // conformance: version.features-fields-carry
    title: 'an enabled feature without a date',
    file: CONTRACT,
    from: "calc: {enabled: true, since: '2025-10-20',",
    to: 'calc: {enabled: true,',
    parts: ['features.calc.since', 'is missing'],
  },
  {
    title: 'a disabled feature with a date',
    file: CONTRACT,
    from: 'sample: {enabled: false,',
    to: "sample: {enabled: false, since: '2026-05-11',",
    parts: ['features.sample.since', 'must be left out'],
  },
  {
    title: 'a default above the maximum',
    file: CONTRACT,
    from: 'default_rows: 1000',
    to: 'default_rows: 60000',
    parts: ['limits.default_rows', 'must not exceed max_rows, which is 50000'],
  },
];

test('the shipped manifest', () => {
  expect(() => checkManifest(MANIFEST_DIRECTORY)).not.toThrow();
});

describe('a broken manifest fails the check', () => {
  let copy: ManifestCopy;
  beforeEach(() => {
    copy = copyManifest();
  });
  afterEach(() => copy.remove());

  test.each(CASES)('$title', ({ file, from, to, parts }) => {
    copy.replace(file, from, to);
    let message = 'The check found nothing.';
    try {
      checkManifest(copy.directory);
    } catch (error) {
      message = error instanceof Error ? error.message : String(error);
    }
    for (const part of parts) expect(message).toContain(part);
  });

  test('all errors in a file are reported at once, on separate lines', () => {
    copy.replace(STORAGE, 'os_id: os\n', 'os_id: system\n');
    copy.replace(STORAGE, 'computed: ua', 'computed: ua, via: os_id');
    expect(() => checkManifest(copy.directory)).toThrow(/keys\.os_id.*\n.*columns\.ua/);
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
