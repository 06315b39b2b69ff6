// The parameters of an import over HTTP that need more than their types.
import type { HostUser, InvalidParam } from '../../../host-shim/extension-api';
import { IMPORTABLE } from '../../data/import/loaders';
import { readPairs } from '../../data/import/read-pairs';
import { permittedSites } from '../../data/storage/sites/list-sites';
import type { Analytics } from '../analytics';
import type { ImportValues } from '../schemas/import-api';

const wrong = (message: string): InvalidParam => ({ code: 'rest_invalid_param', message, data: null });

/** What is wrong with a text of pairs, under the name of its parameter. */
function pairFault(name: 'map' | 'set', text = ''): Record<string, InvalidParam> {
  try {
    if (text !== '') readPairs(text);
    return {};
  } catch (error) {
    if (error instanceof RangeError) return { [name]: wrong(`${name} ${error.message}`) };
    throw error;
  }
}

/** What is wrong with the parameters of an import, by their names. */
export async function checkImport(
  { host }: Pick<Analytics, 'host'>,
  { material, site, map, set }: Partial<ImportValues>,
  user: HostUser | null,
): Promise<Record<string, InvalidParam>> {
  const sites = await permittedSites(host.database.read, user?.sites ?? []);
  const names = sites.map(({ trackingId }) => trackingId);
  return {
    ...(material !== undefined && !IMPORTABLE.includes(material)
      ? { material: wrong(`${material} cannot be imported; these can: ${IMPORTABLE.join(', ')}.`) }
      : {}),
    ...(site !== undefined && !names.includes(site)
      ? { site: wrong(`There is no site ${site}; you see ${names.join(', ') || 'none'}.`) }
      : {}),
    ...pairFault('map', map),
    ...pairFault('set', set),
  };
}
