// Owns the texts of the guide: read from the shipped files at request time, so that they are always of this version.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MANIFEST_DIRECTORY } from '../../manifests/reader/manifest';
import type { GuideSection, GuideText } from './guide';

/** The texts with their content, in the same order. */
export function readSections(texts: readonly GuideText[]): Promise<readonly GuideSection[]> {
  return Promise.all(
    texts.map(async ({ path, ...section }) => ({
      ...section,
      content: await readFile(join(MANIFEST_DIRECTORY, path), 'utf8'),
    })),
  );
}
