// Parameters that change the format of a response: _fields and _envelope.
import type { HostCase } from '../host-case';

const ME = '/wp-json/wp/v2/users/me';

const cases: readonly Omit<HostCase, 'line'>[] = [
  {
    label: '_fields',
    path: `${ME}?_fields=slug,name`,
    as: 'ann',
    status: 200,
    whole: { name: 'ann', slug: 'ann' },
  },
  {
    label: '_fields as a list',
    path: `${ME}?_fields[]=slug&_fields[]=name`,
    as: 'ann',
    status: 200,
    whole: { name: 'ann', slug: 'ann' },
  },
  {
    label: '_fields as a list with indexes',
    path: `${ME}?_fields[0]=slug&_fields[1]=id`,
    as: 'ann',
    status: 200,
    whole: { id: '{id:ann}', slug: 'ann' },
  },
  {
    label: '_fields with nested fields',
    path: `${ME}?_fields=meta.timezone,_links.self`,
    as: 'ann',
    status: 200,
    whole: { meta: { timezone: 'UTC' }, _links: { self: [{ href: '{root}wp/v2/users/{id:ann}' }] } },
  },
  {
    label: '_fields with unknown names',
    path: `${ME}?_fields=none,meta.none`,
    as: 'ann',
    status: 200,
    whole: { meta: {} },
  },
  {
    label: '_fields without a name',
    path: `${ME}?_fields=`,
    as: 'ann',
    status: 200,
    json: { slug: 'ann', name: 'ann' },
  },
  {
    label: '_fields for each item in a list',
    path: '/wp-json/wp/v2/users?_fields=slug&per_page=2',
    as: 'root',
    status: 200,
    answerHeaders: { 'x-wp-total': '5' },
    whole: [{ slug: 'ann' }, { slug: 'bea' }],
  },
  {
    label: '_fields for the index',
    path: '/wp-json/?_fields=namespaces',
    status: 200,
    whole: { namespaces: ['wp/v2', 'toy/v1'] },
  },
  {
    label: '_fields does not affect errors',
    path: `${ME}?_fields=slug`,
    status: 401,
    json: { code: 'rest_not_logged_in', message: expect.any(String), data: { status: 401 } },
  },
  {
    label: '_envelope',
    path: '/wp-json/wp/v2/users?_envelope&_fields=slug&per_page=1',
    as: 'root',
    status: 200,
    whole: {
      body: [{ slug: 'ann' }],
      status: 200,
      headers: {
        Allow: 'GET',
        'X-WP-Total': '5',
        'X-WP-TotalPages': '5',
        Link: expect.stringContaining('rel="next"'),
      },
    },
  },
  {
    label: '_envelope around an error',
    path: '/wp-json/none?_envelope=1',
    status: 200,
    whole: {
      body: {
        code: 'rest_no_route',
        message: 'No route was found matching the URL and request method.',
        data: { status: 404 },
      },
      status: 404,
      headers: {},
    },
  },
];

const exposed: readonly HostCase[] = [
  {
    line: 7,
    label: 'CORS allows the other headers that clients send',
    method: 'OPTIONS',
    path: ME,
    headers: {
      Origin: 'https://app.example',
      'Access-Control-Request-Method': 'DELETE',
      'Access-Control-Request-Headers': 'x-wp-nonce,x-http-method-override',
    },
    status: 200,
    answerHeaders: {
      'access-control-allow-methods': /PUT,PATCH,DELETE/,
      'access-control-allow-headers': /X-WP-Nonce,X-HTTP-Method-Override/,
    },
  },
  {
    line: 7,
    label: 'responses other than pages load nothing and cannot be framed',
    path: '/wp-json/',
    status: 200,
    answerHeaders: { 'content-security-policy': "default-src 'none';frame-ancestors 'none'" },
  },
];

export const shapeCases: readonly HostCase[] = [
  ...cases.map((one): HostCase => ({ ...one, line: 'shape' })),
  ...exposed,
];
