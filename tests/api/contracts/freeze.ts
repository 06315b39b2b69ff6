// Saves the promises of each contract to tests/api/contracts/published. Run `make published` before a release.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadManifest } from '../../../manifests/reader/manifest';
import { publishedForm } from './published';

const folder = join(__dirname, 'published');
const manifest = loadManifest();
mkdirSync(folder, { recursive: true });
for (const [version, contract] of manifest.contracts) {
  const text = JSON.stringify(publishedForm(manifest, contract), null, 2);
  writeFileSync(join(folder, `${version}.json`), `${text}\n`);
}
