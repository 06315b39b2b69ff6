// Owns the texts of the guide: read from the shipped files at request time, so that they are always of this version.
// The list of features in them follows the switches of the installation: clients take the YAML for the authority.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MANIFEST_DIRECTORY } from '../../manifests/reader/manifest';
import type { Guide, GuideSection, GuideText } from './guide';

/** The texts with their content, in the same order. */
export function readSections(
  texts: readonly GuideText[],
  features: Guide['features'],
): Promise<readonly GuideSection[]> {
  return Promise.all(
    texts.map(async ({ path, ...section }) => {
      const content = await readFile(join(MANIFEST_DIRECTORY, path), 'utf8');
      return { ...section, content: section.format === 'yaml' ? asSwitched(content, features) : content };
    }),
  );
}

/** What is switched off is not enabled, and has no date. */
function asSwitched(yaml: string, features: Guide['features']): string {
  const off = [...features].filter(([, { enabled }]) => !enabled).map(([name]) => name);
  const entry = new RegExp(`^(  (?:${off.join('|')}): \\{)enabled: true, since: '[^']*'`, 'gm');
  return yaml.replace(entry, '$1enabled: false');
}
