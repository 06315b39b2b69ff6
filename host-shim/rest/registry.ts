// The registered REST routes. They are checked at registration, so the server does not start with an invalid route.
import { z } from 'zod';
import {
  type Method,
  NAMESPACE_PATTERN,
  type NamespaceDefinition,
  type RouteDefinition,
} from '../extension-api';
import { parametersOf } from './read-input';

/** The definitions, one per set of methods, and the values of the path parameters. */
export interface FoundRoute {
  readonly definitions: readonly RouteDefinition[];
  readonly params: Readonly<Record<string, string>>;
}

export interface Registry {
  add(namespace: NamespaceDefinition): void;
  readonly namespaces: readonly NamespaceDefinition[];
  /** Ignores case. */
  find(route: string): FoundRoute;
  /** Works even for a path that matches no route. */
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

/** Returns the regular expression for a name in a path; undefined if the input does not define the name. */
export function addressPattern(input: z.ZodObject, name: string): string | undefined {
  const { type, pattern } = parametersOf(input).get(name)?.schema ?? {};
  return type === 'integer' ? '[\\d]+' : pattern?.replace(/^\^|\$$/g, '');
}

function faultOf(route: RouteDefinition): string | undefined {
  if (!PATH.test(route.path))
    return 'its path must begin with a slash and consist of words of letters, digits, - and _, or names in braces';
  if (!(route.input instanceof z.ZodObject)) return 'its input is not a zod object';
  if (route.checkedBy !== 'host' && route.checkedBy !== 'route') return 'its checkedBy must be host or route';
  const names = [...route.path.matchAll(NAME_IN_PATH)].map((match) => match[1] ?? '');
  const undefinedName = names.find((name) => addressPattern(route.input, name) === undefined);
  if (undefinedName !== undefined) return `its input does not define what {${undefinedName}} matches`;
  const capturing = names.find((name) => captures(addressPattern(route.input, name) ?? ''));
  if (capturing !== undefined) return `the pattern of {${capturing}} has a capturing group`;
  if (route.methods.length === 0 || !route.methods.every((method) => METHODS.has(method))) {
    return 'its methods must be one or more of GET, POST, PUT, PATCH and DELETE';
  }
  const { permission } = route;
  if (permission !== 'public' && permission !== 'logged-in' && typeof permission !== 'function')
    return 'its permission must be public, logged-in or a function';
  if (!['none', 'per-user', 'reading'].includes(route.rateLimit))
    return 'its rate limit must be none, per-user or reading';
  if (route.rateLimit !== 'none' && route.permission === 'public') {
    return 'it is public, so there is no user for its rate limit';
  }
  return undefined;
}

interface Address {
  /** In lower case. */
  readonly address: string;
  readonly pattern: RegExp;
  readonly definitions: RouteDefinition[];
}

/** Converts an address such as `/ns/users/{id}` to a pattern with a group for each name. */
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
    throw new RegistrationError(`The route ${route.path} of ${namespace.name} is invalid: ${why}.`);
  }

  function addressesOf(namespace: NamespaceDefinition): ReadonlyMap<string, Address> {
    const added = new Map<string, Address>();
    for (const route of namespace.routes) {
      const fault = faultOf(route);
      if (fault !== undefined) refuse(namespace, route, fault);
      const address = `/${namespace.name}${route.path}`.toLowerCase();
      const existing = added.get(address);
      const taken = existing?.definitions.some(({ methods }) =>
        methods.some((method) => route.methods.includes(method)),
      );
      if (taken || plain.has(address) || withNames.some((other) => other.address === address)) {
        throw new RegistrationError(`The route ${route.path} of ${namespace.name} is registered twice.`);
      }
      const pattern = patternOf(address, route.input);
      if (existing !== undefined && existing.pattern.source !== pattern.source)
        refuse(namespace, route, 'another definition of its path has a different pattern');
      if (existing !== undefined) existing.definitions.push(route);
      else added.set(address, { address, pattern, definitions: [route] });
    }
    return added;
  }

  function add(namespace: NamespaceDefinition): void {
    const { name } = namespace;
    if (!NAMESPACE_PATTERN.test(name))
      throw new RegistrationError(`The namespace ${JSON.stringify(name)} must be words joined by slashes.`);
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
      const path = `${route}/`.toLowerCase();
      return namespaces
        .filter(({ name }) => path.startsWith(`/${name.toLowerCase()}/`))
        .sort((one, other) => other.name.length - one.name.length)[0];
    },
  };
}
