// Owns what all routes of the pages have in common: sessions alone may ask them, and each call is charged to the pages.
// An application password is refused whatever its owner may do: programs have the namespace of the query service.
import type {
  Capability,
  HostRequest,
  HostResponse,
  RawRoute,
  RouteDefinition,
} from '../../host-shim/extension-api';
import type { Analytics } from '../analytics';
import { answerFailure } from '../routes/answer';

/** The namespace of these routes. */
export const pagesNamespaceOf = ({ namespace }: Analytics['settings']): string => `${namespace}-pages`;

/** A route that a script of the pages asks. */
export interface PageRoute extends Omit<RawRoute, 'checkedBy' | 'permission' | 'rateLimit' | 'refuse'> {
  readonly capability: Capability;
}

/** The route as the host registers it. */
export const forSessions = (analytics: Analytics, { capability, ...route }: PageRoute): RouteDefinition => ({
  ...route,
  checkedBy: 'route',
  permission: ({ key, capabilities }) => key === null && capabilities.includes(capability),
  rateLimit: 'per-user',
  refuse: (request) => refusal(analytics, request),
});

function refusal(analytics: Analytics, request: HostRequest): HostResponse {
  const { user } = request;
  if (user === null) {
    const reason = 'This serves the pages: log in there.';
    return answerFailure(analytics, { kind: 'unauthorized', reason }, request);
  }
  const { namespace } = analytics.settings;
  const message =
    user.key === null
      ? 'Your account may not do this.'
      : `This serves the pages alone and takes no application password: ask /${namespace}/guide and /${namespace}/query.`;
  return { status: 403, body: { code: 'rest_forbidden', message, data: { status: 403 } } };
}
