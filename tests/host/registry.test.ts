// What may be registered, and that a fault stops the start with a name.
import type { NamespaceDefinition, RouteDefinition } from '../../host-shim/extension-api';
import { createExtensionHost, registerExtensions } from '../../host-shim/extension-host';
import { createLog } from '../../host-shim/logging';
import { createRegistry } from '../../host-shim/rest/registry';

const route: RouteDefinition = {
  path: '/a',
  methods: ['GET'],
  summary: 'A.',
  args: {},
  permission: 'public',
  rateLimit: 'none',
  handle: async () => ({ status: 200, body: null }),
};

const namespace = (routes: readonly object[], name = 'ns'): NamespaceDefinition => {
  const definition = { name, description: 'N.', routes, answerFailure: () => ({ status: 500, body: null }) };
  // What is registered here is wrong on purpose, as an extension in plain JavaScript could write it.
  return definition as NamespaceDefinition;
};

const { permission: _permission, ...withoutPermission } = route;
const { rateLimit: _rateLimit, ...withoutLimit } = route;

const refused: readonly (readonly [string, readonly object[], string, RegExp])[] = [
  ['no permission', [withoutPermission], 'ns', /\/a of ns is refused: it has no permission/],
  ['no rate limit', [withoutLimit], 'ns', /\/a of ns is refused: it has no rate limit/],
  ['a budget without a user', [{ ...route, rateLimit: 'per-user' }], 'ns', /it is public/],
  ['no methods', [{ ...route, methods: [] }], 'ns', /its methods must be/],
  ['an unknown method', [{ ...route, methods: ['PATCH'] }], 'ns', /its methods must be/],
  ['a path without slash', [{ ...route, path: 'a' }], 'ns', /its path must begin/],
  ['a path with a slash at its end', [{ ...route, path: '/a/' }], 'ns', /its path must begin/],
  ['an empty path', [{ ...route, path: '' }], 'ns', /its path must begin/],
  ['the same route twice', [route, route], 'ns', /\/a of ns is registered twice/],
  [
    'the same route in another case',
    [route, { ...route, path: '/A' }],
    'ns',
    /\/A of ns is registered twice/,
  ],
  ['a namespace with slashes around', [route], '/ns/', /is not words joined/],
  ['a namespace without a name', [route], '', /is not words joined/],
];

test.each(refused)('%s is refused', (_label, routes, name, message) => {
  expect(() => createRegistry().add(namespace(routes, name))).toThrow(message);
});

test('two namespaces of one name are refused', () => {
  const registry = createRegistry();
  registry.add(namespace([route]));
  expect(() => registry.add(namespace([route], 'NS'))).toThrow('The namespace NS is registered twice.');
});

test('a namespace that is refused leaves nothing behind', () => {
  const registry = createRegistry();
  expect(() => registry.add(namespace([route, { ...route, path: 'bad' }]))).toThrow();
  expect(registry.routesAt('/ns/a')).toEqual([]);
  expect(registry.namespaces).toEqual([]);
});

test('GET and POST of one path may be two definitions', () => {
  const registry = createRegistry();
  registry.add(namespace([route, { ...route, methods: ['POST'] }]));
  expect(registry.routesAt('/ns/a').map(({ methods }) => methods)).toEqual([['GET'], ['POST']]);
});

test('the longest namespace wins', () => {
  const registry = createRegistry();
  registry.add(namespace([route], 'ns'));
  registry.add(namespace([route], 'ns/v2'));
  expect(registry.namespaceOf('/ns/v2/none')?.name).toBe('ns/v2');
  expect(registry.namespaceOf('/ns/v20')?.name).toBe('ns');
  expect(registry.namespaceOf('/nsx')).toBeUndefined();
});

test('an extension that fails is named, with its reason', async () => {
  const log = createLog('silent');
  const unused = new Proxy({}, { get: () => undefined });
  // The extension below uses no database.
  const { host } = createExtensionHost({ clock: () => new Date(0), log, database: unused as never });
  const extension = {
    name: 'weather',
    version: '2.1.0',
    description: 'W.',
    commands: [],
    register: async () => {
      throw new Error('the barometer is missing');
    },
  };
  await expect(registerExtensions(host, [extension])).rejects.toThrow(
    'The extension weather 2.1.0 could not start: the barometer is missing',
  );
});
