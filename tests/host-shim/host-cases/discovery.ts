// Discovery: the responses that a client reads before its first call.
import type { HostCase } from '../host-case';

const LINK = '<{root}>; rel="https://api.w.org/"';
const AVAILABLE = {
  'application-passwords': { endpoints: { authorization: '{home}/wp-admin/authorize-application.php' } },
};

const described = (path: string, methods: readonly string[]) => ({
  namespace: 'toy/v1',
  methods,
  endpoints: [{ methods, args: { version: { type: 'string', description: 'Any.', required: false } } }],
  _links: { self: [{ href: `{root}toy/v1${path}` }] },
});

export const discoveryCases: readonly HostCase[] = [
  {
    line: 4,
    label: 'the index describes the installation, the login and every route',
    path: '/wp-json/',
    status: 200,
    answerHeaders: { link: LINK, allow: 'GET' },
    json: {
      name: 'Test host',
      description: 'A host for tests.',
      url: '{home}',
      home: '{home}',
      namespaces: ['wp/v2', 'toy/v1'],
      authentication: AVAILABLE,
      routes: {
        '/': { namespace: '', methods: ['GET'] },
        '/wp/v2': { namespace: 'wp/v2', methods: ['GET'] },
        '/toy/v1': { namespace: 'toy/v1', methods: ['GET'] },
        '/toy/v1/echo': described('/echo', ['GET', 'POST']),
      },
    },
  },
  {
    line: 4,
    label: 'route parameters are in WordPress’s notation, without a link',
    path: '/wp-json/wp/v2',
    status: 200,
    answerHeaders: { allow: 'GET' },
    json: {
      namespace: 'wp/v2',
      routes: {
        '/wp/v2/users/me': { _links: { self: [{ href: '{root}wp/v2/users/me' }] } },
        '/wp/v2/users/(?P<id>[\\d]+)': {
          namespace: 'wp/v2',
          methods: ['GET'],
          endpoints: [
            {
              methods: ['GET'],
              args: {
                id: { type: 'integer', required: true },
                context: { enum: ['view', 'embed', 'edit'], default: 'view' },
              },
            },
          ],
        },
        '/wp/v2/users/(?P<user_id>(?:[\\d]+|me))/application-passwords': {
          methods: ['GET', 'POST', 'DELETE'],
        },
        '/wp/v2/users/(?P<user_id>(?:[\\d]+|me))/application-passwords/introspect': { methods: ['GET'] },
        '/wp/v2/users/(?P<user_id>(?:[\\d]+|me))/application-passwords/(?P<uuid>[\\w\\-]+)': {
          methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
        },
        '/wp/v2/plugins/(?P<plugin>[^.\\/]+(?:\\/[^.\\/]+)?)': {
          methods: ['GET', 'POST', 'PUT', 'PATCH'],
        },
      },
    },
  },
  {
    line: 4,
    label: 'a namespace describes itself',
    path: '/wp-json/toy/v1/',
    status: 200,
    json: {
      namespace: 'toy/v1',
      routes: { '/toy/v1/open': { methods: ['GET'] } },
      _links: { up: [{ href: '{root}' }] },
    },
  },
  {
    line: 4,
    label: 'the index, requested with a query parameter',
    path: '/?rest_route=/',
    status: 200,
    json: { namespaces: ['wp/v2', 'toy/v1'] },
  },
  {
    line: 4,
    label: 'the front page links to the root',
    path: '/',
    status: 200,
    answerHeaders: { link: LINK },
  },
  {
    line: 4,
    label: 'the front page links to the root, HEAD',
    method: 'HEAD',
    path: '/',
    status: 200,
    answerHeaders: { link: LINK },
  },
  {
    line: 4,
    label: 'OPTIONS describes a route with parameters',
    method: 'OPTIONS',
    path: '/wp-json/wp/v2/users/7',
    as: 'root',
    status: 200,
    answerHeaders: { allow: 'GET' },
    json: { namespace: 'wp/v2', methods: ['GET'] },
  },
];
