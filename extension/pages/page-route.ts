// All routes for the pages require a session and count against the pages' rate limit. Application passwords are refused
// regardless of their owner's role: programs use the query service's namespace.
import type {
  Capability,
  HostRequest,
  HostResponse,
  HostTools,
  HostUser,
  RawRoute,
  RouteDefinition,
} from '../../host-shim/extension-api';
import type { Analytics } from '../api/analytics';
import { answerFailure } from '../api/routes/answer';
import { refusal } from '../api/routes/refusal';
import { permittedSites, type Site } from '../data/storage/sites/list-sites';
import { maySee } from '../data/storage/sites/site-states';

export const pagesNamespaceOf = ({ namespace }: Analytics['settings']): string => `${namespace}-pages`;

export interface PageRoute
  extends Omit<RawRoute, 'checkedBy' | 'permission' | 'rateLimit' | 'refuse' | 'handle'> {
  /** null: any account. */
  readonly capability: Capability | null;
  handle(request: HostRequest, user: HostUser): Promise<HostResponse>;
}

export const forSessions = (
  analytics: Analytics,
  { capability, handle, ...route }: PageRoute,
): RouteDefinition => ({
  ...route,
  checkedBy: 'route',
  permission: ({ key, capabilities }) =>
    key === null && (capability === null || capabilities.includes(capability)),
  rateLimit: 'per-user',
  refuse: (request) => refuseCaller(analytics, request),
  handle(request) {
    if (request.user === null) throw new Error('A route of the pages was called without a user.');
    return handle(request, request.user);
  },
});

function refuseCaller(analytics: Analytics, request: HostRequest): HostResponse {
  const { user } = request;
  if (user === null) {
    const reason = 'This route is for the pages: log in to use it.';
    return answerFailure(analytics, { kind: 'unauthorized', reason, needs: 'session' }, request);
  }
  const { namespace } = analytics.settings;
  const message =
    user.key === null
      ? 'Your account may not do this.'
      : `This route is for the pages and does not accept application passwords. Use /${namespace}/guide and /${namespace}/query.`;
  return refuse(403, message);
}

const CODES = { 400: 'invalid_request', 403: 'rest_forbidden', 404: 'not_found', 409: 'conflict' } as const;

export const refuse = (status: keyof typeof CODES, message: string, data?: object): HostResponse =>
  refusal(status, CODES[status], message, data);

export const noSuchSite = (trackingId: string): HostResponse =>
  refuse(404, `There is no site ${trackingId}.`);

/** The site, if the user may see it. */
export async function siteOf(
  { database }: Pick<HostTools, 'database'>,
  { sites }: Pick<HostUser, 'sites'>,
  trackingId: string,
): Promise<Site | undefined> {
  if (!maySee(sites, trackingId)) return undefined;
  const [site] = await permittedSites(database.read, [trackingId]);
  return site;
}
