// The bodies of /wp-json/ and /wp-json/<namespace>. Names in addresses are written as in WordPress, `(?P<id>[\d]+)`, because
// clients derive their calls from them.

import { z } from 'zod';
import type { NamespaceDefinition, RouteDefinition } from '../extension-api';
import { AUTHORIZE_PATH } from '../server/page-addresses';
import { type Parameter, parametersOf } from './read-input';
import { addressPattern, type Registry } from './registry';

export interface Installation {
  readonly name: string;
  readonly description: string;
  /** Scheme, host and port, without a trailing slash: from QAL_PUBLIC_URL, or as the client sent them. */
  readonly home: string;
  readonly restPrefix: string;
  /** Whether credentials are safe on this connection. */
  readonly credentialsAllowed: boolean;
}

export const rootOf = ({ home, restPrefix }: Pick<Installation, 'home' | 'restPrefix'>): string =>
  `${home}${restPrefix}/`;

/** The route's address in WordPress's notation, with its namespace. */
export const spellAddress = (
  namespace: NamespaceDefinition,
  { path, input }: Pick<RouteDefinition, 'input' | 'path'>,
): string =>
  `/${namespace.name}${path}`.replace(
    /\{([a-z_]+)\}/g,
    (_braces, name) => `(?P<${name}>${addressPattern(input, name)})`,
  );

/** Returns the keywords that WordPress uses. JSON omits undefined ones. */
function describeArgument({ isRequired, schema }: Parameter): object {
  const { type, description, enum: choices, minimum, maximum, default: defaultValue, items } = schema;
  return {
    type,
    description,
    required: isRequired,
    enum: choices,
    minimum,
    maximum,
    default: defaultValue,
    items,
  };
}

const describeInput = (input: z.ZodObject): object =>
  Object.fromEntries(
    [...parametersOf(input)].flatMap(([name, parameter]) =>
      parameter.schema.readOnly ? [] : [[name, describeArgument(parameter)]],
    ),
  );

export function describeRoute(
  address: string,
  namespace: string,
  definitions: readonly Pick<RouteDefinition, 'methods' | 'input'>[],
  installation: Installation,
): object {
  return {
    namespace,
    methods: definitions.flatMap(({ methods }) => methods),
    endpoints: definitions.map(({ methods, input }) => ({ methods, args: describeInput(input) })),
    ...(!address.includes('(?P<') && {
      _links: { self: [{ href: rootOf(installation) + address.slice(1) }] },
    }),
  };
}

const READ_ONLY = [{ methods: ['GET'], input: z.object({}) }] as const;

function describeRoutes(namespace: NamespaceDefinition, installation: Installation): Record<string, object> {
  const addresses = new Map<string, RouteDefinition[]>();
  for (const route of namespace.routes) {
    const address = spellAddress(namespace, route);
    addresses.set(address, [...(addresses.get(address) ?? []), route]);
  }
  const index = `/${namespace.name}`;
  return {
    [index]: describeRoute(index, namespace.name, READ_ONLY, installation),
    ...Object.fromEntries(
      [...addresses].map(([address, routes]) => [
        address,
        describeRoute(address, namespace.name, routes, installation),
      ]),
    ),
  };
}

const describeLinks = ({ links = {} }: NamespaceDefinition, installation: Installation) =>
  Object.fromEntries(
    Object.entries(links).map(([relation, route]) => [
      relation,
      [{ href: rootOf(installation) + route.slice(1) }],
    ]),
  );

/** The body of `/wp-json/<namespace>`. */
export function describeNamespace(namespace: NamespaceDefinition, installation: Installation): object {
  return {
    namespace: namespace.name,
    description: namespace.description,
    routes: describeRoutes(namespace, installation),
    _links: { up: [{ href: rootOf(installation) }], ...describeLinks(namespace, installation) },
  };
}

/** The body of `/wp-json/`. */
export function describeInstallation(registry: Registry, installation: Installation): object {
  const { name, description, home, credentialsAllowed } = installation;
  return {
    name,
    description,
    url: home,
    home,
    namespaces: registry.namespaces.map((namespace) => namespace.name),
    authentication: credentialsAllowed
      ? { 'application-passwords': { endpoints: { authorization: home + AUTHORIZE_PATH } } }
      : [],
    routes: Object.assign(
      { '/': describeRoute('/', '', READ_ONLY, installation) },
      ...registry.namespaces.map((namespace) => describeRoutes(namespace, installation)),
    ),
  };
}
