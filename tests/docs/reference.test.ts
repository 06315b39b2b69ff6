// `make generated` runs these tests.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { referencePages } from '../../docs/reference-pages';
import { loadManifest } from '../../manifests/reader/manifest';

// conformance: material.full-column-lists
test.each(referencePages(loadManifest()).map((page) => [page.file, page.text]))(
  '%s is up to date (otherwise: make docs)',
  (file, text) => {
    expect(readFileSync(join(__dirname, '..', '..', 'docs', 'reference', file), 'utf8')).toBe(text);
  },
);
