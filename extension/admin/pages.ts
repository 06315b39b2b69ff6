// The pages of the extension, and the routes that their scripts ask: one line for each.
import type { AdminPage, NamespaceDefinition } from '../../host-shim/extension-api';
import type { Analytics } from '../analytics';
import { answerFailure } from '../routes/answer';
import { catalogueRoute } from './catalogue-route';
import { countRoutes } from './count-routes';
import { dashboardPage } from './dashboard-page';
import { explainRoute } from './explain-route';
import { featuresPage } from './features-page';
import { goalsPage } from './goals-page';
import { importsPage } from './imports-page';
import { forSessions, pagesNamespaceOf } from './page-route';
import { playgroundPage } from './playground-page';
import { queriesPage } from './queries-page';
import { recordRoute } from './record-route';
import { sitesPage } from './sites-page';

export const extensionPages = (analytics: Analytics): readonly AdminPage[] => [
  dashboardPage(analytics),
  playgroundPage(analytics),
  queriesPage(analytics),
  sitesPage(analytics),
  goalsPage(analytics),
  importsPage(analytics),
  featuresPage(analytics),
];

/** Serves the pages alone: unlike those of the query service, its routes may change with any release. */
export const pagesNamespace = (analytics: Analytics): NamespaceDefinition => ({
  name: pagesNamespaceOf(analytics.settings),
  description: 'What the scripts of the pages ask. For programs there is the namespace of the query service.',
  routes: [
    catalogueRoute(analytics),
    explainRoute(analytics),
    recordRoute(analytics),
    ...countRoutes(analytics),
  ].map((route) => forSessions(analytics, route)),
  answerFailure: (failure, request) => answerFailure(analytics, failure, request),
});
