// Owns whether the ids of a dimension are those of a site alone.
import type { Manifest } from '../../../manifests/reader/manifest';

/** Tells it of a dimension by its name. */
export const perSiteIn =
  (manifest: Manifest) =>
  (dimension: string): boolean =>
    manifest.dimensions.get(dimension)?.scope === 'site';
