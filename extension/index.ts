// The extension: everything that it registers with the host.
import { join } from 'node:path';
import {
  type Extension,
  type ExtensionFactory,
  type PreparedHost,
  programVersion,
} from '../host-shim/extension-api';
import { type Analytics, loadAnalytics } from './api/analytics';
import { dailyGrowth } from './api/growth';
import { analyticsChecks } from './api/health-checks';
import { loadMcp, mcpRoutes } from './api/mcp/mcp-routes';
import { watchAnalytics } from './api/metrics';
import { retentions } from './api/retentions';
import { answerFailure } from './api/routes/answer';
import { guideRoute } from './api/routes/guide-route';
import { importNamespace } from './api/routes/import-routes';
import { queryRoute } from './api/routes/query-route';
import { schemaLinks, schemaNamespace } from './api/routes/schema-routes';
import { type AnalyticsSettings, analyticsSettings } from './api/settings';
import { analyticsCommands, COMMAND_GROUPS } from './commands/commands';
import { loadDemoIfEmpty, welcomeLines } from './commands/server-start';
import { ERASURES, keepErasures } from './data/removal/erasures';
import { type Retention, startRetention } from './data/removal/retention';
import { BACKUP_QUESTIONS } from './data/storage/backup-questions';
import { permittedSites } from './data/storage/sites/list-sites';
import { measureStored } from './data/storage/stored-sizes';
import { createWorkers } from './data/storage/workers';
import { extensionPages, pagesNamespace } from './pages/pages';
import { reportsCheck } from './pages/reports/reports-check';
import { sendDueReports } from './pages/reports/send-reports';
import { transferSavedData } from './pages/saved/pass-on';
import { columnFacts, systemFacts } from './pages/system-facts';
import { usageExamples } from './pages/usage-examples';
import { columnsOfServer } from './query/columns/columns-of-server';
import { discardCopy } from './query/columns/discard-copy';

export type { AnalyticsSettings } from './api/settings';

export function analyticsExtension(settings: AnalyticsSettings): Extension {
  // Created once per process, because extensions are registered again whenever one of them changes.
  const columns = columnsOfServer(settings);
  const watcher = createWorkers();
  const commands = analyticsCommands(settings);
  let retention: Retention | undefined;
  let isServing = false;
  const keepRetention = ({ host, manifest, workers }: Pick<Analytics, 'host' | 'manifest' | 'workers'>) => {
    const { write } = host.database;
    if (isServing)
      retention ??= startRetention(host, [
        ...retentions({ ...host, write, manifest, workers }, settings),
        {
          failure: 'The size of the stored data could not be measured',
          run: () => measureStored({ write, manifest, clock: host.clock }),
        },
        {
          failure: 'The list of erased visitors could not be compared with the database',
          run: () => repeatErasures(host),
        },
      ]);
  };
  const watchWorkers = ({ host, isDivided }: Pick<Analytics, 'host' | 'isDivided'>) => {
    if (isDivided) watcher.start({ read: host.database.read, log: host.log });
  };
  const stop = async () => {
    await Promise.all([columns.stop(), retention?.stop(), watcher.stop()]);
    retention = undefined;
  };
  return {
    name: 'qal-analytics',
    version: programVersion(),
    description: 'A read-only query service for website analytics.',
    requires: { hostApi: 1 },
    required: true,
    storage: {
      schema: 'analytics',
      migrations: join(__dirname, 'data/storage/migrations'),
      questions: BACKUP_QUESTIONS,
      ledgers: [ERASURES],
    },
    commands,
    commandGroups: COMMAND_GROUPS,
    prepare: repeatErasures,
    deactivate: stop,
    register: async (host) => {
      const analytics = await loadAnalytics(host, settings, columns.current, watcher);
      columns.restart(analytics);
      keepRetention(analytics);
      host.addAction('rest_api_init', ({ registerNamespace }) => {
        registerNamespace({
          name: settings.namespace,
          description: 'GET /guide lists what is available; send queries to POST /query.',
          routes: [guideRoute(analytics), queryRoute(analytics), ...mcpRoutes(analytics)],
          links: schemaLinks(settings.namespace),
          answerFailure: (failure, request) => answerFailure(analytics, failure, request),
        });
        registerNamespace(schemaNamespace(analytics));
        registerNamespace(importNamespace(analytics));
        registerNamespace(pagesNamespace(analytics));
      });
      host.addAction('admin_menu', ({ registerPage }) => {
        for (const page of extensionPages(analytics)) registerPage(page);
      });
      host.addAction('user_deleted', ({ userId, heir, write }) => transferSavedData(write, userId, heir));
      host.addAction('minute', ({ signal }) => sendDueReports(analytics, signal));
      host.addAction('server_started', async (start) => {
        if (settings.demo) await loadDemoIfEmpty(host, start);
        await analytics.places.removeUnfinished();
        await loadMcp();
        await analytics.zones();
        watchWorkers(analytics);
        columns.start(analytics);
        isServing = true;
        keepRetention(analytics);
      });
      host.addAction('server_ready', ({ openProgress }) => columns.showFilling(openProgress));
      host.addAction('server_stopped', stop);
      host.addAction('server_stopped', () => analytics.shadow.stop());
      for (const { settle } of [analytics.imports, analytics.records, analytics.shadow])
        host.addAction('settle', settle);
      host.addFilter('known_sites', async (known) => {
        const sites = await permittedSites(host.database.read, 'all');
        return [
          ...known,
          ...sites.map(({ trackingId, name, domain, timezone }) => ({ trackingId, name, domain, timezone })),
        ];
      });
      host.addFilter('application_password_levels', (levels) => [
        ...levels.map((one) => (one.level === 'read' ? { ...one, title: 'Read analytics' } : one)),
        IMPORT_LEVEL,
      ]);
      host.addFilter('welcome_lines', async (lines, context) => [
        ...lines,
        ...(await welcomeLines(analytics, context)),
      ]);
      host.addFilter('application_password_examples', async (examples, context) => [
        ...examples,
        ...(await usageExamples(analytics, context)),
      ]);
      host.addFilter('daily_growth', async (_none, { isDatabaseHere }) =>
        dailyGrowth(host.database, columns.current(), isDatabaseHere),
      );
      host.addFilter('system_sections', async (sections) => [
        ...sections,
        { title: 'Analytics', lines: await systemFacts(analytics) },
        { title: 'Column store', lines: await columnFacts(analytics) },
      ]);
      for (const check of [...analyticsChecks(analytics), reportsCheck(analytics)])
        host.registerHealthCheck(check);
      watchAnalytics(analytics);
      for (const command of commands)
        host.registerCommand({
          ...command,
          run(input) {
            watchWorkers(analytics);
            return command.run(analytics, input).finally(watcher.stop);
          },
        });
    },
  };
}

/** Repeats erasures that a restored database lacks. The columnar copy may still contain those visitors, so it is discarded. */
async function repeatErasures(host: PreparedHost): Promise<void> {
  if (await keepErasures(host)) await discardCopy(host.dataDir);
}

const IMPORT_LEVEL = {
  level: 'import',
  about: 'read these sites, import data into them, and undo imports',
  also: 'import data into all sites, and undo imports',
} as const;

export const analytics: ExtensionFactory<typeof analyticsSettings> = {
  settings: analyticsSettings,
  create: analyticsExtension,
};
