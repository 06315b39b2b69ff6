// Owns whether the ids of a dictionary are those of a site alone.
import type { Manifest } from '../../../manifests/reader/manifest';

/** Tells it of a dictionary by its name. */
export const perSiteIn =
  (manifest: Manifest) =>
  (dictionary: string): boolean =>
    manifest.dictionaries.get(dictionary)?.scope === 'site';
