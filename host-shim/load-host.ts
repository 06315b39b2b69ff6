// Loads the host's own routes and pages, and the extensions beside them.
import { hostPages } from './admin/pages/pages';
import type { Config } from './config';
import type { Extension, HostTools } from './extension-api';
import { type Extensions, loadExtensions } from './extensions/load-extensions';
import { knownSites } from './known-sites';
import { applicationPasswordsRoutes } from './rest/wp-v2/application-passwords';
import { pluginsRoutes } from './rest/wp-v2/plugins';
import { usersRoutes } from './rest/wp-v2/users';

export interface HostOptions extends HostTools {
  readonly installed: readonly Extension[];
  /** As they were read at the start; the page "System" shows the limits among them. */
  readonly settings: Config;
}

/** What the host's own pages work with. */
export interface HostParts extends HostTools {
  readonly settings: Config;
  extensions(): Extensions;
}

export function loadHost({ installed, settings, ...tools }: HostOptions): Promise<Extensions> {
  const { clock, database } = tools;
  return loadExtensions({
    ...tools,
    installed,
    builtIn: (extensions) => ({
      namespaces: [
        {
          name: 'wp/v2',
          description: 'Accounts, their application passwords, and extensions.',
          routes: [
            ...usersRoutes(database),
            ...applicationPasswordsRoutes({
              clock,
              write: database.write,
              hooks: extensions.hooks,
              knownSites: () => knownSites(extensions.hooks),
            }),
            ...pluginsRoutes(extensions),
          ],
        },
      ],
      pages: hostPages({ ...tools, settings, extensions: () => extensions }),
    }),
  });
}
