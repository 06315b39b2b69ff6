// GET /guide: what this user can ask here.
import type { RouteDefinition } from '../../host-shim/extension-api';
import type { Analytics } from '../analytics';
import { buildGuide } from '../guide/build-guide';
import { GUIDE, outputOf } from '../schemas/api-routes';
import { answer } from './answer';

/** The discovery route. */
export function guideRoute(analytics: Analytics): RouteDefinition {
  const { host, manifest, settings, version } = analytics;
  return {
    ...GUIDE,
    checkedBy: 'route',
    output: outputOf(analytics.contracts, ({ guide }) => [guide]),
    permission: 'logged-in',
    rateLimit: 'per-user',
    handle: (request) =>
      answer(analytics, request, async (contract) => {
        const guide = await buildGuide({
          contract,
          manifest,
          sites: request.user?.sites ?? [],
          database: host.database.read,
          now: host.clock(),
          pluginVersion: version,
          docsUrl: settings.docsUrl ?? '',
          queryTimeoutSeconds: settings.queryTimeoutSeconds,
        });
        return contract.format.guide(guide);
      }),
  };
}
