// The guide's documents are the installed files, which are read for each request. The guide contains only the parts that a client
// requests.
import { readFileSync } from 'node:fs';
import promises from 'node:fs/promises';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { setSwitch } from '../../extension/api/features/feature-switches';
import { MANIFEST_DIRECTORY } from '../../manifests/reader/manifest';
import type { TestHost } from '../support/test-host';
import { bodiesOf, GUIDE, guideOf, startContractHost, VERSIONS } from './contracts/contract-host';

interface Section {
  readonly file: string;
  readonly content: string;
}

let host: TestHost;
beforeAll(async () => {
  host = await startContractHost();
});
afterAll(() => host.stop());
afterEach(() => jest.restoreAllMocks());

const HEAD = '2026-05-11';

const sectionsOf = async (version: string): Promise<readonly Section[]> =>
  (await guideOf(host, version)).documentation.sections;

const partsOf = (search: string, login = 'ann') =>
  host.request('GET', `${GUIDE}?${search}`, { user: host.credentials(login) });

/** Returns the text of a guide with a single section. */
const textOf = async (search: string, login?: string): Promise<string> => {
  const { body } = await partsOf(search, login);
  expect(body.documentation.sections).toHaveLength(1);
  return body.documentation.sections[0].content;
};

const installed = (path: string) => readFileSync(join(MANIFEST_DIRECTORY, path), 'utf8');

test('qal-validation.yaml is an installed file', async () => {
  const section = (await sectionsOf(HEAD)).find(({ file }) => file === 'qal-validation.yaml');
  expect(section?.content).toBe(installed('contracts/2026-05-11.yaml'));
});

test.each([
  ['examples', 'guide/examples.md'],
  ['errors', 'guide/errors.md'],
])('the %s part is an installed file, and only included on request', async (part, path) => {
  expect(await textOf(`parts=${part}`)).toBe(installed(path));
  expect((await sectionsOf(HEAD)).map(({ file }) => `guide/${file}`)).not.toContain(path);
});

const datasets = (yaml: string): Record<string, { columns: Record<string, object>; row: string }> =>
  Object(load(yaml)).materials;

test('materials.yaml contains every dataset and column in the installed file, with type and meaning', async () => {
  const section = (await sectionsOf(HEAD)).find(({ file }) => file === 'materials.yaml');
  const served = datasets(section?.content ?? '');
  const { gsc_period: _hidden, ...known } = datasets(installed('materials.yaml'));
  expect(Object.keys(served)).toEqual(Object.keys(known));
  for (const [name, { row, columns }] of Object.entries(known)) {
    expect(served[name]?.row).toBe(row);
    expect(Object.keys(served[name]?.columns ?? {})).toEqual(Object.keys(columns));
    expect(columns).toMatchObject(served[name]?.columns ?? {});
  }
  expect(served.allpv?.columns.url).toEqual({ type: 'text', about: 'URL of the page.' });
});

// conformance: version.features-fields-carry
test('materials.yaml contains dates only for entries that are newer than the contract', async () => {
  const served = datasets(await textOf('parts=materials'));
  const later = (entry: object) => {
    const { since } = Object.assign({ since: '' }, entry);
    return since > HEAD ? since : undefined;
  };
  for (const [name, { columns, ...material }] of Object.entries(datasets(installed('materials.yaml')))) {
    if (name === 'gsc_period') continue;
    expect([name, Object(served[name]).since]).toEqual([name, later(material)]);
    for (const [column, entry] of Object.entries(columns))
      expect([column, Object(served[name]?.columns[column]).since]).toEqual([column, later(entry)]);
  }
  expect(served).toMatchObject({
    query_record: { since: '2026-11-22' },
    summary_allpage: { since: '2026-05-21' },
    allpv: { columns: { window_inner_width: { since: '2026-05-20' } } },
  });
});

test('materials.yaml omits columns and datasets that are switched off', async () => {
  const features = ['access_week', 'datalayer_observed_events'];
  const off = { enabled: false, changedAt: new Date(0) };
  const { write } = host.database;
  await Promise.all(features.map((feature) => setSwitch(write, { ...off, feature })));
  const served = datasets(await textOf('parts=materials'));
  const compact = await textOf('parts=compact');
  await write('analytics.feature_switch').delete();
  expect(served).not.toHaveProperty(['events.{name}']);
  expect(Object.keys(served.allpv?.columns ?? {})).not.toContain('access_week');
  expect(compact).toMatch(/\nOff here: .*access_week/);
  expect(compact).not.toMatch(/^- `allpv`: .*access_week[ ;]/m);
});

// conformance: flag.guide-local-source, guide.sections-read-installed, goals.sections-read-request
test.each(VERSIONS)('under %s, a changed file is included in the next response', async (version) => {
  const before = await sectionsOf(version);
  const read = promises.readFile;
  const isMaterials = (file: unknown) => String(file).endsWith('materials.yaml');
  const changed = (file: unknown, text: string) =>
    isMaterials(file) ? text.replaceAll('Id of', 'Key of') : `changed ${text}`;
  jest
    .spyOn(promises, 'readFile')
    .mockImplementation(async (path, options) => changed(path, String(await read(path, options))));
  const after = await sectionsOf(version);
  expect(after.map(({ content }) => content)).toEqual(
    before.map(({ file, content }) => changed(file, content)),
  );
  expect(after).not.toEqual(before);
});

describe('parts', () => {
  const ALWAYS = ['version', 'api_update', 'timestamp', 'plugin_version'];

  test.each([
    ['sites', ['sites']],
    ['features', ['features', 'features_detail']],
    ['sites,%20features', ['features', 'features_detail', 'sites']],
    ['rules', ['documentation']],
    // conformance: beyond.parts-guide-compact
  ])('parts=%s returns only these keys', async (parts, keys) => {
    const { status, body } = await partsOf(`parts=${parts}`);
    expect(status).toBe(200);
    expect(Object.keys(body).sort()).toEqual([...ALWAYS, 'revision', ...keys].sort());
    expect(bodiesOf(HEAD).guideParts?.parse(body)).toEqual(body);
    const whole = await guideOf(host, HEAD);
    for (const key of keys.filter((it) => it !== 'documentation')) expect(body[key]).toEqual(whole[key]);
  });

  test.each([
    ['allpv', ['allpv']],
    ['gsc,page_version', ['gsc', 'page_version']],
    ['goal_1', ['goal_N']],
    ['events.purchase', ['events.{name}']],
    // conformance: beyond.parts-guide-compact
  ])('material=%s returns the columns of %j', async (material, names) => {
    expect(Object.keys(datasets(await textOf(`material=${material}`)))).toEqual(names);
  });

  // conformance: beyond.parts-guide-compact
  test('README.md contains the installed instructions and all columns, and is the same in every response', async () => {
    const [readme] = await sectionsOf(HEAD);
    const text = await textOf('parts=compact');
    expect(readme).toMatchObject({ file: 'README.md', content: text });
    expect(await textOf('parts=instructions')).toBe(text);
    expect(text.startsWith(installed('guide/README.md'))).toBe(true);
    const lineOf = (name: string) => text.split('\n').find((it) => it.startsWith(`- \`${name}\`: `)) ?? '';
    for (const [name, { columns }] of Object.entries(datasets(await textOf('parts=materials')))) {
      const line = ` ${lineOf(name).replaceAll(';', ' ')} `;
      expect(Object.keys(columns).filter((column) => !line.includes(` ${column} `))).toEqual([]);
    }
    expect(lineOf('goal_N')).toContain('all columns of allpv; ');
  });

  test("compact also contains the user's sites, as the whole guide does", async () => {
    const { body } = await partsOf('parts=compact', 'bob');
    expect(body.sites).toEqual((await guideOf(host, HEAD, 'bob')).sites);
    expect(body.sites.map(({ tracking_id }: { tracking_id: string }) => tracking_id)).toEqual([
      'shop',
      'all',
    ]);
  });

  // conformance: beyond.parts-guide-compact
  test('the compact guide and the whole one stay small', async () => {
    // Fewer than 5,000 tokens: a token in this text has 3.55 bytes on average (cl100k and o200k).
    expect(Buffer.byteLength(await textOf('parts=compact'))).toBeLessThan(17_700);
    expect(Buffer.byteLength(JSON.stringify(await guideOf(host, HEAD)))).toBeLessThan(60_000);
  });

  // conformance: beyond.parts-guide-compact
  test('the first third of the response contains all of README.md, in case the client truncates it', async () => {
    const whole = JSON.stringify(await guideOf(host, HEAD, 'bob'));
    const readme = JSON.stringify(await textOf('parts=compact', 'bob')).slice(1, -1);
    expect(whole.indexOf('"documentation"')).toBeLessThan(5_000);
    expect(whole.slice(0, 24_000)).toContain(readme);
  });

  test('README.md shows how to request other parts', async () => {
    const text = await textOf('parts=compact');
    for (const part of ['compact', 'examples', 'errors', 'sites', 'materials'])
      expect(text).toMatch(new RegExp(`parts=(\\w+,)*${part}`));
  });

  test.each([
    ['parts=site', 'E_INVALID_PARAMETER', 'parts', 'Did you mean "sites"?'],
    ['parts=', 'E_INVALID_PARAMETER', 'parts', expect.stringContaining('Its parts are compact, sites')],
    ['material=allp', 'E_UNKNOWN_MATERIAL', 'material', 'Did you mean "allpv"?'],
    ['parts=sites&material=', 'E_UNKNOWN_MATERIAL', 'material', expect.stringContaining('allpv')],
  ])('%s is rejected with %s', async (search, code, at, hint) => {
    const { status, body } = await partsOf(search);
    expect([status, body.error]).toEqual([400, expect.objectContaining({ code, at, hint })]);
  });

  test('the initial contract has no parts', async () => {
    const { status, body } = await partsOf('version=2025-10-20&parts=sites');
    expect([status, body.code, body.data.at]).toEqual([400, 'E_FEATURE_NOT_SUPPORTED', 'parts']);
  });
});
