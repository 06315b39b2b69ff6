// Options of qal import that describe the format of a file.
import { WrongUsage } from '../../host-shim/extension-api';
import { readFormat, type SourceFormat } from '../../manifests/reader/formats';
import type { Manifest } from '../../manifests/reader/manifest';
import { ManifestError } from '../../manifests/reader/read-yaml';
import { importableColumns, importName } from '../data/import/column-setters';
import { readPairs } from '../data/import/read-pairs';

/** The format in a YAML file, or the name of a format. */
export function formatOption(
  text: string | undefined,
  manifest: Manifest,
): string | SourceFormat | undefined {
  if (text === undefined || !/\.ya?ml$/i.test(text)) return text;
  try {
    return readFormat(text, manifest.formats, (name) => {
      const material = manifest.materials.get(name);
      return material && importableColumns(material).map(importName);
    });
  } catch (error) {
    if (error instanceof ManifestError) throw new WrongUsage(error.message);
    throw error;
  }
}

export function pairsOption(flag: string, text: string | boolean | undefined): ReadonlyMap<string, string> {
  if (typeof text !== 'string') return new Map();
  try {
    return readPairs(text);
  } catch (error) {
    if (error instanceof RangeError) throw new WrongUsage(`${flag} ${error.message}`);
    throw error;
  }
}
