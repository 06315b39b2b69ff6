// The materials that can be imported, with their loaders.
import type { Manifest, Material } from '../../../manifests/reader/manifest';
import { ImportError } from './import-error';
import type { OpenLoader } from './loader';
import { openClickLoader, openEventLoader } from './on-view/click-and-event-loaders';
import { openPageViewLoader } from './page-view/page-view-loader';
import { rejectTakenNumbers } from './upsert/reject-taken-numbers';
import { upsertLoader } from './upsert/upsert-loader';

const LOADERS: ReadonlyMap<string, OpenLoader> = new Map<string, OpenLoader>([
  ['allpv', openPageViewLoader],
  ['click_event', openClickLoader],
  ['datalayer_event', openEventLoader],
  ['gsc', (context) => upsertLoader(context)],
  ['page_version', (context) => upsertLoader(context, rejectTakenNumbers)],
  ['ga4_age_gender', (context) => upsertLoader(context)],
  ['ga4_country', (context) => upsertLoader(context)],
  ['ga4_region', (context) => upsertLoader(context)],
]);

/** The names of the materials that can be imported. */
export const IMPORTABLE: readonly string[] = [...LOADERS.keys()];

/** The material with this name, and its loader. Throws an ImportError that lists those that can be imported. */
export function findLoader(manifest: Manifest, name: string): { material: Material; openLoader: OpenLoader } {
  const material = manifest.materials.get(name);
  const openLoader = LOADERS.get(name);
  if (material !== undefined && openLoader !== undefined) return { material, openLoader };
  const can = `the materials that can be imported: ${IMPORTABLE.join(', ')}`;
  if (material !== undefined || /^goal_\d+$|^events\./.test(name))
    throw new ImportError(`${name} is computed from other materials and cannot be imported; ${can}`);
  throw new ImportError(`${name} is not a material; ${can}`);
}
