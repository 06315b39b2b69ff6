// What all routes of the pages share: only sessions may call them, and each call counts against the rate limit of pages.
// Application passwords are refused whatever their owner may do: programs have the namespace of the query service.
import type {
  Capability,
  HostRequest,
  HostResponse,
  HostTools,
  RawRoute,
  RouteDefinition,
} from '../../host-shim/extension-api';
import type { Analytics } from '../api/analytics';
import { answerFailure } from '../api/routes/answer';
import { permittedSites } from '../data/storage/sites/list-sites';

export const pagesNamespaceOf = ({ namespace }: Analytics['settings']): string => `${namespace}-pages`;

/** A route for the scripts of the pages. */
export interface PageRoute extends Omit<RawRoute, 'checkedBy' | 'permission' | 'rateLimit' | 'refuse'> {
  readonly capability: Capability;
}

/** The route as the host registers it. */
export const forSessions = (analytics: Analytics, { capability, ...route }: PageRoute): RouteDefinition => ({
  ...route,
  checkedBy: 'route',
  permission: ({ key, capabilities }) => key === null && capabilities.includes(capability),
  rateLimit: 'per-user',
  refuse: (request) => refuseCaller(analytics, request),
});

function refuseCaller(analytics: Analytics, request: HostRequest): HostResponse {
  const { user } = request;
  if (user === null) {
    const reason = 'This route is for the pages: log in there.';
    return answerFailure(analytics, { kind: 'unauthorized', reason }, request);
  }
  const { namespace } = analytics.settings;
  const message =
    user.key === null
      ? 'Your account may not do this.'
      : `This route is for the pages and accepts no application password. Use /${namespace}/guide and /${namespace}/query.`;
  return { status: 403, body: { code: 'rest_forbidden', message, data: { status: 403 } } };
}

const CODES = { 400: 'invalid_request', 403: 'rest_forbidden', 404: 'not_found', 409: 'conflict' } as const;

export const refuse = (status: keyof typeof CODES, message: string): HostResponse => ({
  status,
  body: { code: CODES[status], message, data: { status } },
});

/** The body of a request; undefined where it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

export const noSuchSite = (trackingId: string): HostResponse =>
  refuse(404, `There is no site ${trackingId}.`);

/** Compared here, not in the database: an address may contain what no database text can. */
export async function maySeeSite(
  { database }: HostTools,
  { user }: HostRequest,
  trackingId: string,
): Promise<boolean> {
  const sites = await permittedSites(database.read, user?.sites ?? []);
  return sites.some((site) => site.trackingId === trackingId);
}
