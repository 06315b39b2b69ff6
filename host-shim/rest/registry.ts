// The REST routes that extensions registered. Everything is checked when it is registered, so that a fault stops the start.
import { NAMESPACE_PATTERN } from '../config';
import type { NamespaceDefinition, RouteDefinition } from '../extension-api';

export interface Registry {
  /** Throws a RegistrationError that names what is wrong. */
  add(namespace: NamespaceDefinition): void;
  readonly namespaces: readonly NamespaceDefinition[];
  /** All definitions at a route (in lower case, as routeAddressOf gives it): one per set of methods. */
  routesAt(route: string): readonly RouteDefinition[];
  /** The namespace that a route lies in, also when there is no such route. */
  namespaceOf(route: string): NamespaceDefinition | undefined;
}

export class RegistrationError extends Error {
  override readonly name = 'RegistrationError';
}

const PATH = /^(\/[A-Za-z0-9_-]+)+$/;
const METHODS = new Set<string>(['GET', 'POST'] satisfies RouteDefinition['methods'][number][]);

function isPermission(value: unknown): boolean {
  return value === 'public' || value === 'logged-in' || typeof value === 'function';
}

function faultOf(route: RouteDefinition): string | undefined {
  if (!PATH.test(route.path))
    return 'its path must begin with a slash and hold words of letters, digits, - and _';
  if (route.methods.length === 0 || !route.methods.every((method) => METHODS.has(method))) {
    return 'its methods must be GET, POST or both';
  }
  if (!isPermission(route.permission)) return 'it has no permission: say public, logged-in or a function';
  if (route.rateLimit !== 'none' && route.rateLimit !== 'per-user')
    return 'it has no rate limit: say none or per-user';
  if (route.rateLimit === 'per-user' && route.permission === 'public') {
    return 'it is public, so its calls have no user whose budget could be charged';
  }
  return undefined;
}

export function createRegistry(): Registry {
  const namespaces: NamespaceDefinition[] = [];
  const routes = new Map<string, RouteDefinition[]>();

  function add(namespace: NamespaceDefinition): void {
    const { name } = namespace;
    if (!NAMESPACE_PATTERN.test(name))
      throw new RegistrationError(`The namespace ${JSON.stringify(name)} is not words joined by slashes.`);
    if (namespaces.some((other) => other.name.toLowerCase() === name.toLowerCase())) {
      throw new RegistrationError(`The namespace ${name} is registered twice.`);
    }
    const added = new Map<string, RouteDefinition[]>();
    for (const route of namespace.routes) {
      const fault = faultOf(route);
      if (fault !== undefined)
        throw new RegistrationError(`The route ${route.path} of ${name} is refused: ${fault}.`);
      const address = `/${name}${route.path}`.toLowerCase();
      const there = added.get(address) ?? [];
      if (
        routes.has(address) ||
        there.some((other) => other.methods.some((method) => route.methods.includes(method)))
      ) {
        throw new RegistrationError(`The route ${route.path} of ${name} is registered twice.`);
      }
      added.set(address, [...there, route]);
    }
    namespaces.push(namespace);
    for (const [address, definitions] of added) routes.set(address, definitions);
  }

  return {
    add,
    namespaces,
    routesAt: (route) => routes.get(route) ?? [],
    namespaceOf(route) {
      const inside = namespaces.filter(({ name }) => `${route}/`.startsWith(`/${name.toLowerCase()}/`));
      return inside.reduce<NamespaceDefinition | undefined>(
        (longest, namespace) =>
          longest && longest.name.length >= namespace.name.length ? longest : namespace,
        undefined,
      );
    },
  };
}
