// Registering routes. An invalid route prevents startup, with an error that names the route.
import { z } from 'zod';
import type { NamespaceDefinition, RouteDefinition } from '../../host-shim/extension-api';
import { createRegistry } from '../../host-shim/rest/registry';

const route: RouteDefinition = {
  path: '/a',
  methods: ['GET'],
  summary: 'A.',
  checkedBy: 'route',
  input: z.object({}),
  permission: 'public',
  rateLimit: 'none',
  handle: async () => ({ status: 200, body: null }),
};

const namespace = (routes: readonly object[], name = 'ns'): NamespaceDefinition => {
  const definition = { name, description: 'N.', routes, answerFailure: () => ({ status: 500, body: null }) };
  // Some definitions are intentionally invalid, as those in plain JavaScript could be.
  return definition as NamespaceDefinition;
};

const { permission: _permission, ...withoutPermission } = route;
const { rateLimit: _rateLimit, ...withoutLimit } = route;

const refused: readonly (readonly [string, readonly object[], string, RegExp])[] = [
  ['a missing permission', [withoutPermission], 'ns', /\/a of ns is invalid: its permission must be/],
  ['a missing rate limit', [withoutLimit], 'ns', /\/a of ns is invalid: its rate limit must be/],
  ['a rate limit without a user', [{ ...route, rateLimit: 'per-user' }], 'ns', /it is public/],
  ['a missing input', [{ ...route, input: undefined }], 'ns', /its input is not a zod object/],
  ['a missing checkedBy', [{ ...route, checkedBy: undefined }], 'ns', /its checkedBy must be host or route/],
  ['an empty list of methods', [{ ...route, methods: [] }], 'ns', /its methods must be/],
  ['an unknown method', [{ ...route, methods: ['TRACE'] }], 'ns', /its methods must be/],
  ['a path without a slash', [{ ...route, path: 'a' }], 'ns', /its path must begin/],
  ['a path with a trailing slash', [{ ...route, path: '/a/' }], 'ns', /its path must begin/],
  ['an empty path', [{ ...route, path: '' }], 'ns', /its path must begin/],
  [
    'a path parameter that the input does not define',
    [{ ...route, path: '/a/{id}' }],
    'ns',
    /does not define what \{id\} matches/,
  ],
  [
    'a path parameter that matches anything',
    [{ ...route, path: '/a/{id}', input: z.object({ id: z.string() }) }],
    'ns',
    /does not define what \{id\} matches/,
  ],
  [
    'a pattern with a capturing group',
    [{ ...route, path: '/a/{id}', input: z.object({ id: z.string().regex(/^(a|b)$/) }) }],
    'ns',
    /has a capturing group/,
  ],
  [
    'two definitions with different patterns',
    [
      { ...route, path: '/a/{id}', input: z.object({ id: z.int() }) },
      { ...route, path: '/a/{id}', input: z.object({ id: z.string().regex(/^[a-z]+$/) }), methods: ['POST'] },
    ],
    'ns',
    /another definition of its path has a different pattern/,
  ],
  ['the same route twice', [route, route], 'ns', /\/a of ns is registered twice/],
  [
    'the same route in different letter case',
    [route, { ...route, path: '/A' }],
    'ns',
    /\/A of ns is registered twice/,
  ],
  ['a namespace with surrounding slashes', [route], '/ns/', /must be words joined/],
  ['a namespace without a name', [route], '', /must be words joined/],
];

test.each(refused)('%s is rejected', (_label, routes, name, message) => {
  expect(() => createRegistry().add(namespace(routes, name))).toThrow(message);
});

test('two namespaces with the same name are rejected', () => {
  const registry = createRegistry();
  registry.add(namespace([route]));
  expect(() => registry.add(namespace([route], 'NS'))).toThrow('The namespace NS is registered twice.');
});

test('a rejected namespace leaves nothing registered', () => {
  const registry = createRegistry();
  expect(() => registry.add(namespace([route, { ...route, path: 'bad' }]))).toThrow();
  expect(registry.find('/ns/a').definitions).toEqual([]);
  expect(registry.namespaces).toEqual([]);
});

test('GET and POST for the same path may be separate definitions', () => {
  const registry = createRegistry();
  registry.add(namespace([route, { ...route, methods: ['POST'] }]));
  expect(registry.find('/ns/a').definitions.map(({ methods }) => methods)).toEqual([['GET'], ['POST']]);
});

describe('path parameters', () => {
  const named = {
    ...route,
    path: '/sites/{site}/rows',
    input: z.object({ site: z.string().regex(/^[\w-]+$/) }),
  };

  test('match the address in its original letter case', () => {
    const registry = createRegistry();
    registry.add(namespace([named]));
    expect(registry.find('/NS/Sites/Demo-1/rows')).toEqual({
      definitions: [named],
      params: { site: 'Demo-1' },
    });
  });

  test.each(['/ns/sites//rows', '/ns/sites/a.b/rows', '/ns/sites/a/rows/b', '/x/ns/sites/a/rows'])(
    '%s does not match',
    (address) => {
      const registry = createRegistry();
      registry.add(namespace([named]));
      expect(registry.find(address)).toEqual({ definitions: [], params: {} });
    },
  );

  test('a path without parameters takes precedence over one with parameters', () => {
    const registry = createRegistry();
    const plain = { ...route, path: '/sites/all/rows' };
    registry.add(namespace([named, plain]));
    expect(registry.find('/ns/sites/all/rows').definitions).toEqual([plain]);
  });

  test('if several paths with parameters match, the first one is used', () => {
    const registry = createRegistry();
    const digits = { ...named, path: '/sites/{id}/rows', input: z.object({ id: z.int() }) };
    registry.add(namespace([digits, named]));
    expect(registry.find('/ns/sites/12/rows').params).toEqual({ id: '12' });
    expect(registry.find('/ns/sites/ab/rows').params).toEqual({ site: 'ab' });
  });
});

test('the longest matching namespace is used', () => {
  const registry = createRegistry();
  registry.add(namespace([route], 'ns'));
  registry.add(namespace([route], 'ns/v2'));
  expect(registry.namespaceOf('/ns/v2/none')?.name).toBe('ns/v2');
  expect(registry.namespaceOf('/ns/v20')?.name).toBe('ns');
  expect(registry.namespaceOf('/nsx')).toBeUndefined();
});
