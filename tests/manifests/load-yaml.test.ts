// Limits on the size of YAML from users, in formats and in sites files.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSiteYaml, SitesError } from '../../extension/data/storage/sites/site-file';
import { readFormat } from '../../manifests/reader/formats';
import { ManifestError } from '../../manifests/reader/read-yaml';

const folder = mkdtempSync(join(tmpdir(), 'qal-test-'));
afterAll(() => rmSync(folder, { recursive: true }));

const levels = (count: number, item: (below: string) => string): string =>
  [
    'a0: &a0 [1]',
    ...Array.from({ length: count }, (_unused, at) => `a${at + 1}: &a${at + 1} [${item(`*a${at}`)}]`),
  ].join('\n');

describe.each([
  [
    'aliases of aliases',
    levels(30, (below) => `${below}, ${below}`),
    'has more than 1000000 values with aliases expanded',
  ],
  [
    'nested aliases',
    levels(100, (below) => below),
    'is nested more than 100 levels deep with aliases expanded',
  ],
  ['nested lists', `${'['.repeat(101)}${']'.repeat(101)}`, 'nesting exceeded maxDepth (100)'],
  ['a long string', `a: ${'x'.repeat(16_000_000)}`, 'is longer than 16000000 characters'],
])('%s', (_name, text, reason) => {
  test('is rejected as a sites file', () => {
    const read = () => readSiteYaml(text);
    expect(read).toThrow(SitesError);
    expect(read).toThrow(reason);
  });

  test('is rejected as a format', () => {
    const file = join(folder, 'format.yaml');
    writeFileSync(file, text);
    const read = () => readFormat(file, new Map(), new Map());
    expect(read).toThrow(ManifestError);
    expect(read).toThrow(reason);
  });
});

test('an alias repeats a value', () => {
  expect(readSiteYaml('a: &a [1]\nb: *a')).toEqual({ a: [1], b: [1] });
});
