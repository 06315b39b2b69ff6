import { listRetired } from '../../db/embedded/cluster';
import { callerRecords } from '../accounts/caller-records';
import { connectionPage } from '../admin/connection-test';
import { applicationPasswordsPage } from '../admin/pages/application-passwords-page';
import { authorizePage } from '../admin/pages/authorize-page';
import { extensionsPage } from '../admin/pages/extensions-page';
import { healthPage } from '../admin/pages/health-page';
import { linksPage } from '../admin/pages/links-page';
import { profilePage } from '../admin/pages/profile-page';
import { systemPage } from '../admin/pages/system-page';
import { usersPage } from '../admin/pages/users-page';
import { createMessages } from '../alarms/messages';
import { openLedger } from '../backups/ledger';
import type { Extension, HostTools } from '../extension-api';
import { type Extensions, loadExtensions } from '../extensions/extensions';
import { type HostCheckOptions, hostChecks } from '../health/host-checks';
import { applicationPasswordsRoutes } from '../rest/wp-v2/application-passwords';
import { pluginsRoutes } from '../rest/wp-v2/plugins';
import { usersRoutes } from '../rest/wp-v2/users';
import type { Config } from './config';

interface HostOptions extends HostTools, Pick<HostCheckOptions, 'compareMigrations'> {
  readonly installed: readonly Extension[];
  /** The settings at startup, for the System page. */
  readonly settings: Config;
}

export async function loadHost({
  installed,
  settings: config,
  compareMigrations,
  ...tools
}: HostOptions): Promise<Extensions> {
  const { clock, database, dataDir, log } = tools;
  const { write } = database;
  const hasRetired = (await listRetired(dataDir)).length > 0;
  const ledgers = {
    openLedger: (name: string) => openLedger({ dataDir, backupDir: config.backupDir }, name),
  };
  for (const extension of installed) await extension.prepare?.({ ...tools, ...ledgers, callerRecords });
  return loadExtensions({
    ...tools,
    ...ledgers,
    installed,
    messages: createMessages(config, clock),
    publicUrl: config.publicUrl,
    builtIn(extensions) {
      const { hooks } = extensions;
      const accountTools = { clock, hooks, write };
      return {
        namespaces: [
          {
            name: 'wp/v2',
            description: 'Accounts, their application passwords, and extensions.',
            routes: [
              ...usersRoutes({ write }),
              ...applicationPasswordsRoutes(accountTools),
              ...pluginsRoutes(extensions),
            ],
          },
        ],
        pages: [
          usersPage({ ...accountTools, log }),
          extensionsPage(extensions),
          systemPage({ clock, write, config, extensions }),
          healthPage(log, extensions),
          profilePage({ ...accountTools, log }),
          applicationPasswordsPage(accountTools, () => extensions.current().pages),
          linksPage(accountTools),
          authorizePage(accountTools, { allowHttp: config.environment === 'local' }),
          connectionPage(),
        ],
        healthChecks: hostChecks({
          clock,
          write,
          replicas: database.replicas,
          dataDir,
          backupDir: config.backupDir,
          hasRetired,
          dailyGrowth: () =>
            hooks.applyFilters('daily_growth', null, { isDatabaseHere: config.databaseUrl === undefined }),
          extensions,
          compareMigrations,
        }),
      };
    },
  });
}
