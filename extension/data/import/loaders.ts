// The materials that can be imported, with their loaders.
import type { Manifest, Material } from '../../../manifests/reader/manifest';
import { ImportError } from './import-error';
import type { OpenLoader } from './loader';
import { viewRowLoader } from './on-view/view-row-loader';
import { VIEW_ROWS } from './on-view/view-row-tables';
import { openPageViewLoader } from './page-view/page-view-loader';
import { upsertLoader } from './upsert/upsert-loader';

const LOADERS: ReadonlyMap<string, OpenLoader> = new Map<string, OpenLoader>([
  ['allpv', openPageViewLoader],
  ...Object.keys(VIEW_ROWS).map((name) => [name, viewRowLoader] as const),
  ...['gsc', 'page_version', 'ga4_age_gender', 'ga4_country', 'ga4_region'].map(
    (name) => [name, upsertLoader] as const,
  ),
]);

/** The names of the materials that can be imported. */
export const IMPORTABLE: readonly string[] = [...LOADERS.keys()];

/** The material with this name, and its loader. If it cannot be imported, throws an ImportError that lists the materials that can. */
export function findLoader(manifest: Manifest, name: string): { material: Material; openLoader: OpenLoader } {
  const material = manifest.materials.get(name);
  const openLoader = LOADERS.get(name);
  if (material !== undefined && openLoader !== undefined) return { material, openLoader };
  const can = `the materials that can be imported are ${IMPORTABLE.join(', ')}`;
  if (material !== undefined || /^goal_\d+$|^events\./.test(name))
    throw new ImportError(`${name} is computed from other materials and cannot be imported; ${can}`);
  throw new ImportError(`${name} is not a material; ${can}`);
}
