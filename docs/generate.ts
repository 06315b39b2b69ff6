// Program: writes docs/reference/. `make check` fails if they are out of date.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { loadManifest } from '../manifests/reader/manifest';
import { referencePages } from './reference-pages';

const folder = join(__dirname, 'reference');
for (const { file, text } of referencePages(loadManifest())) {
  mkdirSync(dirname(join(folder, file)), { recursive: true });
  writeFileSync(join(folder, file), text);
}
