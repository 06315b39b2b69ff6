// The host's own REST namespaces: accounts, their application passwords, and extensions, as WordPress has them.
import type { NamespaceDefinition } from '../../extension-api';
import type { HostParts } from '../../load-host';
import { applicationPasswordsRoutes } from './application-passwords-routes';
import { pluginsRoutes } from './plugins-routes';
import { usersRoutes } from './users-routes';

export const hostNamespaces = (parts: HostParts): readonly NamespaceDefinition[] => [
  {
    name: 'wp/v2',
    description: 'Accounts, their application passwords, and extensions.',
    routes: [...usersRoutes(parts), ...applicationPasswordsRoutes(parts), ...pluginsRoutes(parts)],
  },
];
