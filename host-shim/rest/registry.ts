// The registered REST routes. Everything is checked at registration, so that a fault stops the start.
import { z } from 'zod';
import {
  type Method,
  NAMESPACE_PATTERN,
  type NamespaceDefinition,
  type RouteDefinition,
} from '../extension-api';
import { parametersOf } from './read-input';

/** The definitions at an address, one per set of methods, and the values of the names in braces. */
export interface FoundRoute {
  readonly definitions: readonly RouteDefinition[];
  readonly params: Readonly<Record<string, string>>;
}

export interface Registry {
  /** Throws a RegistrationError. */
  add(namespace: NamespaceDefinition): void;
  readonly namespaces: readonly NamespaceDefinition[];
  /** In any letter case. */
  find(route: string): FoundRoute;
  /** The namespace of an address, also where there is no such route. */
  namespaceOf(route: string): NamespaceDefinition | undefined;
}

class RegistrationError extends Error {
  override readonly name = 'RegistrationError';
}

const PATH = /^(\/([A-Za-z0-9_-]+|\{[a-z_]+\}))+$/;
const NAME_IN_PATH = /\{([a-z_]+)\}/g;
const METHODS = new Set<string>(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] satisfies Method[]);

/** Matching the empty alternative shows how many groups the pattern has. */
const captures = (pattern: string): boolean => new RegExp(`${pattern}|`).exec('')?.length !== 1;

/** What a name in a path matches, as the text of a regular expression; undefined if the input does not define it. */
export function addressPattern(input: z.ZodObject, name: string): string | undefined {
  const { type, pattern } = parametersOf(input).get(name)?.schema ?? {};
  return type === 'integer' ? '[\\d]+' : pattern?.replace(/^\^|\$$/g, '');
}

function faultOf(route: RouteDefinition): string | undefined {
  if (!PATH.test(route.path))
    return 'its path must begin with a slash and have words of letters, digits, - and _, or names in braces';
  if (!(route.input instanceof z.ZodObject)) return 'its input is not a zod object';
  if (route.checkedBy !== 'host' && route.checkedBy !== 'route')
    return 'it does not say who checks its input: host or route';
  const names = [...route.path.matchAll(NAME_IN_PATH)].map((match) => match[1] ?? '');
  const unsaid = names.find((name) => addressPattern(route.input, name) === undefined);
  if (unsaid !== undefined) return `its input does not say what {${unsaid}} matches`;
  const capturing = names.find((name) => captures(addressPattern(route.input, name) ?? ''));
  if (capturing !== undefined) return `the pattern of {${capturing}} has a group that captures`;
  if (route.methods.length === 0 || !route.methods.every((method) => METHODS.has(method))) {
    return 'its methods must be some of GET, POST, PUT, PATCH and DELETE';
  }
  const { permission } = route;
  if (permission !== 'public' && permission !== 'logged-in' && typeof permission !== 'function')
    return 'it has no permission: say public, logged-in or a function';
  if (route.rateLimit !== 'none' && route.rateLimit !== 'per-user')
    return 'it has no rate limit: say none or per-user';
  if (route.rateLimit === 'per-user' && route.permission === 'public') {
    return 'it is public, so there is no user whose budget could be charged';
  }
  return undefined;
}

interface Address {
  /** As it is registered, in lower case. */
  readonly address: string;
  readonly pattern: RegExp;
  readonly definitions: RouteDefinition[];
}

/** `/ns/users/{id}` as a pattern with a group for each name. */
const patternOf = (address: string, input: z.ZodObject): RegExp =>
  new RegExp(
    `^${address.replace(NAME_IN_PATH, (_braces, name) => `(?<${name}>${addressPattern(input, name)})`)}$`,
    'i',
  );

const NOTHING: FoundRoute = { definitions: [], params: {} };

export function createRegistry(): Registry {
  const namespaces: NamespaceDefinition[] = [];
  const plain = new Map<string, Address>();
  const withNames: Address[] = [];

  function refuse(namespace: NamespaceDefinition, route: RouteDefinition, why: string): never {
    throw new RegistrationError(`The route ${route.path} of ${namespace.name} is refused: ${why}.`);
  }

  function addressesOf(namespace: NamespaceDefinition): ReadonlyMap<string, Address> {
    const added = new Map<string, Address>();
    for (const route of namespace.routes) {
      const fault = faultOf(route);
      if (fault !== undefined) refuse(namespace, route, fault);
      const address = `/${namespace.name}${route.path}`.toLowerCase();
      const there = added.get(address);
      const taken = there?.definitions.some(({ methods }) =>
        methods.some((method) => route.methods.includes(method)),
      );
      if (taken || plain.has(address) || withNames.some((other) => other.address === address)) {
        throw new RegistrationError(`The route ${route.path} of ${namespace.name} is registered twice.`);
      }
      const pattern = patternOf(address, route.input);
      if (there !== undefined && there.pattern.source !== pattern.source)
        refuse(namespace, route, 'another definition of its path matches other addresses');
      if (there !== undefined) there.definitions.push(route);
      else added.set(address, { address, pattern, definitions: [route] });
    }
    return added;
  }

  function add(namespace: NamespaceDefinition): void {
    const { name } = namespace;
    if (!NAMESPACE_PATTERN.test(name))
      throw new RegistrationError(`The namespace ${JSON.stringify(name)} is not words joined by slashes.`);
    if (namespaces.some((other) => other.name.toLowerCase() === name.toLowerCase())) {
      throw new RegistrationError(`The namespace ${name} is registered twice.`);
    }
    const added = addressesOf(namespace);
    namespaces.push(namespace);
    for (const one of added.values()) {
      if (one.address.includes('{')) withNames.push(one);
      else plain.set(one.address, one);
    }
  }

  return {
    add,
    namespaces,
    find(route) {
      const exact = plain.get(route.toLowerCase());
      if (exact !== undefined) return { definitions: exact.definitions, params: {} };
      for (const { pattern, definitions } of withNames) {
        const match = pattern.exec(route);
        if (match !== null) return { definitions, params: { ...match.groups } };
      }
      return NOTHING;
    },
    namespaceOf(route) {
      const asked = `${route}/`.toLowerCase();
      return namespaces
        .filter(({ name }) => asked.startsWith(`/${name.toLowerCase()}/`))
        .sort((one, other) => other.name.length - one.name.length)[0];
    },
  };
}
