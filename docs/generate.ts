// Program: writes docs/reference/ and the tables of docs/security.md. `make check` fails if they are out of date.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { loadManifest } from '../manifests/reader/manifest';
import { withAttacks } from './attacks-table';
import { referencePages } from './reference-pages';

const folder = join(__dirname, 'reference');
for (const { file, text } of referencePages(loadManifest())) {
  mkdirSync(dirname(join(folder, file)), { recursive: true });
  writeFileSync(join(folder, file), text);
}

const security = join(__dirname, 'security.md');
writeFileSync(security, withAttacks(readFileSync(security, 'utf8')));
