import { createHash } from 'node:crypto';
import { DOCS_PATH, type HostRequest, type RouteDefinition } from '../../../host-shim/extension-api';
import { isEnabled } from '../../language/types/contract';
import { type Analytics, asSwitched, manifestFor } from '../analytics';
import type { InstalledContract } from '../contracts/contract';
import { buildGuide, type GuideContext } from '../guide/build-guide';
import { pickParts, requestedParts } from '../guide/requested-parts';
import { GUIDE, outputOf } from '../schemas/api-routes';
import { answerUnswitched } from './answer';
import { mayRead } from './query-route';

const REVISION_FEATURE = 'guide_revision';

export function guideRoute(analytics: Analytics): RouteDefinition {
  return {
    ...GUIDE,
    checkedBy: 'route',
    output: outputOf(analytics.contracts, ({ guide, guideParts }) =>
      guideParts === undefined ? [guide] : [guide, guideParts],
    ),
    permission: mayRead,
    rateLimit: 'per-user',
    handle: (request) =>
      answerUnswitched(analytics, request, async (chosen) => {
        const contract = await asSwitched(analytics, chosen);
        const { parts, material } = request.query;
        const context = guideContext(analytics, contract, request);
        const requested = requestedParts({ parts, material }, contract, context.manifest);
        const guide = await buildGuide(context, requested);
        const whole = contract.format.guide(guide);
        const body = requested === undefined ? whole : pickParts(whole, requested);
        if (!isEnabled(contract, REVISION_FEATURE)) return { status: 200, body };
        const revised = withRevision(body);
        // A weak ETag, because responses with the same revision differ in their timestamp.
        return { status: 200, headers: { ETag: `W/"${revised.revision}"` }, body: revised };
      }),
  };
}

/** An anonymous user has no sites. */
export const guideContext = (
  analytics: Pick<Analytics, 'host' | 'manifest' | 'settings' | 'version' | 'workers'>,
  contract: InstalledContract,
  { user, home }: Pick<HostRequest, 'user' | 'home'>,
): GuideContext => ({
  contract,
  manifest: manifestFor(analytics, user),
  sites: user?.sites ?? [],
  database: analytics.host.database.read,
  workers: analytics.workers,
  now: analytics.host.clock(),
  pluginVersion: analytics.version,
  docsUrl: analytics.settings.docsUrl || `${home}${DOCS_PATH}/`,
  queryTimeoutSeconds: analytics.settings.queryTimeoutSeconds,
  maxAnswerBytes: analytics.settings.maxAnswerBytes,
});

/** Adds a digest of the body without its timestamp, so that clients can tell whether their copy is current. */
function withRevision(body: object & { readonly version?: unknown }): object & { readonly revision: string } {
  const text = JSON.stringify({ ...body, timestamp: undefined });
  const revision = createHash('sha256').update(text).digest('hex').slice(0, 32);
  return { version: body.version, revision, ...body };
}
