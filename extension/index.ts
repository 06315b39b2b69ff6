// Owns the registration of the extension: its two routes, the documents beside them, and its commands.
import type { Extension } from '../host-shim/extension-api';
import { loadAnalytics } from './analytics';
import { explainCommand, explainUsage } from './commands/explain-command';
import {
  featuresGroup,
  listFeaturesCommand,
  listFeaturesUsage,
  setFeatureCommand,
  setFeatureUsage,
} from './commands/features-commands';
import { queryCommand, queryUsage } from './commands/query-command';
import { answerFailure } from './routes/answer';
import { guideRoute } from './routes/guide-route';
import { queryRoute } from './routes/query-route';
import { schemaLinks, schemaNamespace } from './routes/schema-routes';
import type { AnalyticsSettings } from './settings';
import { installedVersion } from './version';

export type { AnalyticsSettings } from './settings';

/** The analytics extension of the host. */
export function analyticsExtension(settings: AnalyticsSettings): Extension {
  return {
    name: 'qal-analytics',
    version: installedVersion(),
    description: 'A read-only query service over web-site measurement data.',
    commands: [queryUsage, explainUsage, listFeaturesUsage, setFeatureUsage],
    commandGroups: featuresGroup,
    register: async (host) => {
      const analytics = await loadAnalytics(host, settings);
      host.registerNamespace({
        name: settings.namespace,
        description: 'Ask GET /guide what there is, then send a query to POST /query.',
        routes: [guideRoute(analytics), queryRoute(analytics)],
        links: schemaLinks(settings.namespace),
        answerFailure: (failure, request) => answerFailure(analytics, failure, request),
      });
      host.registerNamespace(schemaNamespace(analytics));
      host.registerCommand(queryCommand(analytics));
      host.registerCommand(explainCommand(analytics));
      host.registerCommand(listFeaturesCommand(analytics));
      host.registerCommand(setFeatureCommand(analytics));
    },
  };
}
