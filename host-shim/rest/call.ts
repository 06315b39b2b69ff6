// A request, the routes at its address, and what a user may do with them.
import type { HostRequest, HostUser, NamespaceDefinition, RouteDefinition } from '../extension-api';
import type { RestRequest } from './host-request';
import type { FoundRoute, Registry } from './registry';

/** A request, and what the registry contained when the request arrived. */
export interface Call extends FoundRoute, Pick<HostRequest, 'ahead'> {
  readonly request: RestRequest;
  readonly registry: Registry;
  readonly namespace: NamespaceDefinition | undefined;
}

export function allows(
  { permission, opens }: RouteDefinition,
  { params }: Call,
  user: HostUser | null,
): boolean {
  if (user?.key?.opens !== undefined) return user.key.opens === opens;
  if (permission === 'public') return true;
  if (user === null) return false;
  return permission === 'logged-in' || permission(user, params);
}

/** Lists only the methods that this user may call, so that nothing is revealed about the others. */
export function allowHeader(call: Call, user: HostUser | null): { readonly Allow?: string } {
  const allowed = call.definitions.filter((route) => allows(route, call, user));
  return allowed.length === 0 ? {} : { Allow: allowed.flatMap(({ methods }) => methods).join(', ') };
}

export function routeOf({ request, definitions }: Call): RouteDefinition | undefined {
  const method = request.method === 'HEAD' ? 'GET' : request.method;
  return definitions.find(({ methods }) => methods.some((name) => name === method));
}

export const aheadOf = (route: RouteDefinition) => (route.checkedBy === 'route' ? route.ahead : undefined);
