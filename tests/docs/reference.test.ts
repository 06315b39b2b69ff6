// The generated pages are up to date.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { referencePages } from '../../docs/reference-pages';
import { loadManifest } from '../../manifests/reader/manifest';

// conformance: material.full-column-lists
test.each(referencePages(loadManifest()).map((page) => [page.file, page.text]))('%s', (file, text) => {
  expect(readFileSync(join(__dirname, '..', '..', 'docs', 'reference', file), 'utf8')).toBe(text);
});
