// The generated pages are up to date.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { withAttacks } from '../../docs/attacks-table';
import { referencePages } from '../../docs/reference-pages';
import { loadManifest } from '../../manifests/reader/manifest';

// conformance: material.full-column-lists
test.each(referencePages(loadManifest()).map((page) => [page.file, page.text]))('%s', (file, text) => {
  expect(readFileSync(join(__dirname, '..', '..', 'docs', 'reference', file), 'utf8')).toBe(text);
});

test('the tables of docs/security.md match attacks.yaml', () => {
  const page = readFileSync(join(__dirname, '..', '..', 'docs', 'security.md'), 'utf8');
  expect(withAttacks(page)).toBe(page);
});
