import type { AdminPage, NamespaceDefinition } from '../../host-shim/extension-api';
import type { Analytics } from '../api/analytics';
import { answerFailure } from '../api/routes/answer';
import { catalogueRoute } from './catalogue-route';
import { checkRoute } from './check-route';
import { dashboardPage } from './dashboard/dashboard-page';
import { dashboardRoute } from './dashboard/dashboard-route';
import { explainRoute } from './explain-route';
import { featuresPage } from './features-page';
import { funnelsPage } from './funnels/funnels-page';
import { funnelsRoute } from './funnels/funnels-route';
import { geoipRoute } from './geoip-page';
import { goalsPage } from './goals-page';
import { importColumnsRoute } from './import-columns-route';
import { importsPage } from './imports-page';
import { noteRoutes } from './notes/notes-routes';
import { forSessions, pagesNamespaceOf } from './page-route';
import { playgroundPage } from './playground-page';
import { queriesPage, queryRecordRoute } from './queries-page';
import { reportsPage } from './reports/reports-page';
import { retentionPage, retentionRoute } from './retention/retention-page';
import { savedQueryRoutes } from './saved/saved-queries-routes';
import { segmentRoutes } from './segments/segments-routes';
import { sitesPage } from './sites-page';
import { storagePage } from './storage-page';

export const extensionPages = (analytics: Analytics): readonly AdminPage[] => [
  dashboardPage(analytics),
  funnelsPage(analytics),
  retentionPage(analytics),
  reportsPage(analytics),
  playgroundPage(analytics),
  queriesPage(analytics),
  sitesPage(analytics),
  storagePage(analytics),
  goalsPage(analytics),
  importsPage(analytics),
  featuresPage(analytics),
];

/** Unlike routes of the query service, these may change with any release. */
export const pagesNamespace = (analytics: Analytics): NamespaceDefinition => ({
  name: pagesNamespaceOf(analytics.settings),
  description: 'Routes for the scripts of the pages. Programs use the namespace of the query service.',
  routes: [
    ...[
      catalogueRoute(analytics),
      dashboardRoute(analytics),
      funnelsRoute(analytics),
      retentionRoute(analytics),
      checkRoute(analytics),
      explainRoute(analytics),
      queryRecordRoute(analytics),
      importColumnsRoute(analytics),
      ...savedQueryRoutes(analytics),
      ...segmentRoutes(analytics),
      ...noteRoutes(analytics),
    ].map((route) => forSessions(analytics, route)),
    geoipRoute(analytics),
  ],
  answerFailure: (failure, request) => answerFailure(analytics, failure, request),
});
