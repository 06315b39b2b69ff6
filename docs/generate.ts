// Program: writes the pages in docs/reference/. `make check` fails if they are out of date.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { loadManifest } from '../manifests/reader/manifest';
import { referencePages } from './reference-pages';

const folder = join(__dirname, 'reference');
for (const { file, text } of referencePages(loadManifest())) {
  const path = join(folder, file);
  // A file that is up to date keeps its modification time, which make uses to decide whether to build again.
  if (existsSync(path) && readFileSync(path, 'utf8') === text) continue;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
