// Owns GET /guide: what there is to ask on this server, for this user.
import { z } from 'zod';
import type { RouteDefinition } from '../../host-shim/extension-api';
import type { Analytics } from '../analytics';
import { buildGuide } from '../guide/build-guide';
import { answer, versionInput } from './answer';

/** The discovery route. */
export function guideRoute(analytics: Analytics): RouteDefinition {
  const { host, manifest, settings, version } = analytics;
  return {
    path: '/guide',
    methods: ['GET'],
    summary: 'Tells the sites, features, materials and rules: call it first.',
    checkedBy: 'route',
    input: z.object(versionInput),
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
          docsUrl: settings.docsUrl,
          queryTimeoutSeconds: settings.queryTimeoutSeconds,
        });
        return contract.wire.guide(guide);
      }),
  };
}
