// Checks for import parameters that the schema cannot express.
import type { HostUser, InvalidParam, ReadPool } from '../../../host-shim/extension-api';
import { IMPORTABLE } from '../../data/import/loaders';
import { readPairs } from '../../data/import/read-pairs';
import { permittedSites } from '../../data/storage/sites/list-sites';
import type { ImportValues } from '../schemas/import-api';

const invalid = (message: string): InvalidParam => ({ code: 'rest_invalid_param', message, data: null });

function pairFault(name: 'map' | 'set', text = ''): Record<string, InvalidParam> {
  try {
    if (text !== '') readPairs(text);
    return {};
  } catch (error) {
    if (error instanceof RangeError) return { [name]: invalid(`${name} ${error.message}`) };
    throw error;
  }
}

export async function checkImport(
  read: ReadPool,
  { material, site, map, set }: Partial<ImportValues>,
  user: HostUser | null,
): Promise<Record<string, InvalidParam>> {
  const sites = await permittedSites(read, user?.sites ?? []);
  const names = sites.map(({ trackingId }) => trackingId);
  return {
    ...(material !== undefined && !IMPORTABLE.includes(material)
      ? { material: invalid(`${material} cannot be imported. Use one of ${IMPORTABLE.join(', ')}.`) }
      : {}),
    ...(site !== undefined && !names.includes(site)
      ? { site: invalid(`There is no site ${site}. Your sites: ${names.join(', ') || 'none'}.`) }
      : {}),
    ...pairFault('map', map),
    ...pairFault('set', set),
  };
}
