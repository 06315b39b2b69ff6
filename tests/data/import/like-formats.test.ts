// Custom formats with `like` inherit from another format the parts that they omit, but use their own field names.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readFormat, type SourceFormat } from '../../../manifests/reader/formats';
import { loadManifest } from '../../../manifests/reader/manifest';
import { readText } from './read-format';

const AGENT = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
const { formats, materials } = loadManifest();
const folder = mkdtempSync(join(tmpdir(), 'qal-like-'));
afterAll(() => rmSync(folder, { recursive: true }));

function formatOf(...lines: readonly string[]): SourceFormat {
  const file = join(folder, 'own.yaml');
  writeFileSync(file, ['about: Log of the shop', ...lines].join('\n'));
  return readFormat(file, formats, materials);
}

test('a JSON log inherits the rules of combined, with its own field names', async () => {
  const format = formatOf(
    'like: combined',
    'layout: ndjson',
    'timezone: Europe/Berlin',
    'fields: {time: when, path: target.path, user_agent: agent|client, remote_addr: from}',
    'skip: [{where: {from: path, matches: "^/health"}, because: probes}]',
    'materials: {allpv: {columns: {language: {from: lang, as: language}}}}',
  );
  const line = (path: string, more: object = {}) =>
    JSON.stringify({ when: '2026-03-02 09:15:02', target: { path }, client: AGENT, ...more });
  const lines = [
    line('/tea', { lang: 'de-CH,de' }),
    line('/health', { status: 500 }),
    line('/b', { status: 500 }),
    line('/c.css'),
    line('/d', { agent: 'curl/8' }),
  ];
  const { rows, skipped, wrong } = await readText(lines.join('\n'), 'allpv', { format });
  expect(wrong).toEqual([]);
  expect(skipped).toEqual({ probes: 1, 'answered with an error': 1, 'static files': 1, bots: 1 });
  expect(rows).toMatchObject([
    { url: 'https://t.example/tea', access_time: '2026-03-02 09:15:02', language: 'de-CH' },
  ]);
});

test('--map refers to the fields of the file, even if the rules use the same name for another field', async () => {
  const format = formatOf('like: combined', 'layout: ndjson', 'fields: {time: when, path: target}');
  const text = JSON.stringify({ when: '2026-03-02T09:15:02Z', target: '/tea', path: 'ann' });
  const unseen = new Set(['path']);
  const renamed = new Map([['path', 'original_id']]);
  const { rows } = await readText(text, 'allpv', { format, renamed, unseen });
  expect(rows).toMatchObject([{ url: 'https://t.example/tea', original_id: 'ann' }]);
  expect(unseen.size).toBe(0);
});

test('a format that is like one with a pattern may have its own pattern, or none', async () => {
  const line = '2026-03-02T09:15:02Z /tea\n';
  const read = await readText(line, 'allpv', { format: formatOf('like: combined', 'pattern: $time $path') });
  expect(read).toMatchObject({ rows: [{ url: 'https://t.example/tea' }], skipped: {}, wrong: [] });
  const json = formatOf('like: combined', 'layout: ndjson');
  expect(json).not.toHaveProperty('pattern');
});

test.each([
  ['like: nothing', 'own.yaml: like: must name a format that can be imported'],
  ['like: plausible', 'own.yaml: like: must name a format that can be imported'],
  [
    'like: combined\nlayout: ndjson\npattern: $time $path',
    'own.yaml: pattern: is required if the layout is log',
  ],
  [
    'like: combined\nmaterials: {gsc: {columns: {url: path}}}',
    'materials.gsc: is not a material of combined',
  ],
  [
    'like: combined\nmaterials: {allpv: {columns: {adress: path}}}',
    'materials.allpv.columns.adress: is not an importable column',
  ],
  [
    'like: combined\nlayout: ndjson\nfields: {user-agent: agent}',
    'own.yaml: fields.user-agent: is not a field of combined; its fields are host, method, path, ',
  ],
])('%j is rejected', (text, message) => {
  expect(() => formatOf(text)).toThrow(message);
});

test('all mistakes in a format are reported, however many there are', () => {
  const broken = () =>
    formatOf(
      'layout: cvs',
      'colour: red',
      'skip: [{where: {from: status, is: bott}, because: bots}]',
      'materials: {allpv: {columns: {url: {from: page, as: adress}, title: {form: name}}}}',
    );
  for (const place of [
    'layout: Invalid option',
    'the file: Unrecognized key: "colour"',
    'skip.0.where.is: Invalid option',
    'materials.allpv.columns.url.as: Invalid option',
    'materials.allpv.columns.title: Unrecognized key: "form"',
  ])
    expect(broken).toThrow(`own.yaml: ${place}`);
});
