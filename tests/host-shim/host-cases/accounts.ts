// /wp/v2/users: the caller and other accounts.
import type { HostCase } from '../host-case';

const USERS = '/wp-json/wp/v2/users';
const LINKS = { self: [{ href: '{root}wp/v2/users/{id:ann}' }], collection: [{ href: '{root}wp/v2/users' }] };
const EMBEDDED = {
  id: '{id:ann}',
  name: 'ann',
  url: '',
  description: '',
  link: '{home}/?author={id:ann}',
  slug: 'ann',
  avatar_urls: {},
};
const ANN = { ...EMBEDDED, meta: { timezone: 'UTC' }, _links: LINKS };
const NOT_LOGGED_IN = {
  code: 'rest_not_logged_in',
  message: 'You are not currently logged in.',
  data: { status: 401 },
};
const MAY_NOT_VIEW = {
  code: 'rest_user_cannot_view',
  message: 'Sorry, you are not allowed to list users.',
};
const INVALID_ID = { code: 'rest_user_invalid_id', message: 'Invalid user ID.', data: { status: 404 } };

const single: readonly Omit<HostCase, 'line'>[] = [
  { label: 'the caller', clauses: ['9 users/me'], path: `${USERS}/me`, as: 'ann', status: 200, whole: ANN },
  { label: 'the caller, context=view', path: `${USERS}/me?context=view`, as: 'ann', status: 200, whole: ANN },
  {
    label: 'the caller, context=embed',
    path: `${USERS}/me?context=embed`,
    as: 'ann',
    status: 200,
    whole: { ...EMBEDDED, _links: LINKS },
  },
  {
    label: 'the caller, context=edit',
    clauses: ['9 context=edit'],
    path: `${USERS}/me?context=edit`,
    as: 'ann',
    status: 200,
    whole: {
      ...ANN,
      username: 'ann',
      first_name: '',
      last_name: '',
      nickname: 'ann',
      email: 'ann@people.example',
      locale: 'en_US',
      registered_date: '2026-06-01T12:00:00+00:00',
      roles: ['analyst'],
      capabilities: { read: true, analyst: true },
      extra_capabilities: { analyst: true },
    },
  },
  {
    label: 'an invalid context',
    clauses: ['5 rest_invalid_param'],
    path: `${USERS}/me?context=all`,
    as: 'ann',
    status: 400,
    whole: {
      code: 'rest_invalid_param',
      message: 'Invalid parameter(s): context',
      data: {
        status: 400,
        params: { context: 'context is not one of view, embed, and edit.' },
        details: {
          context: {
            code: 'rest_not_in_enum',
            message: 'context is not one of view, embed, and edit.',
            data: null,
          },
        },
      },
    },
  },
  {
    label: 'no credentials',
    clauses: ['5 rest_not_logged_in'],
    path: `${USERS}/me`,
    status: 401,
    answerHeaders: { 'www-authenticate': /^Basic / },
    whole: NOT_LOGGED_IN,
  },
  {
    label: 'python-requests: lower-case scheme, gzip, */*',
    path: `${USERS}/me/`,
    authorization: ({ login, secret }) => `basic ${Buffer.from(`${login}:${secret}`).toString('base64')}`,
    headers: { 'User-Agent': 'python-requests/2.32.3', Accept: '*/*', 'Accept-Encoding': 'gzip, deflate' },
    status: 200,
    json: { slug: 'ann' },
  },
  { label: 'the caller’s own id', path: `${USERS}/{id:ann}`, as: 'ann', status: 200, whole: ANN },
  {
    label: 'someone else’s id',
    path: `${USERS}/{id:bea}`,
    as: 'ann',
    status: 403,
    whole: { ...MAY_NOT_VIEW, data: { status: 403 } },
  },
  {
    label: 'an unknown id is refused in the same way as a known one',
    path: `${USERS}/999999`,
    as: 'ann',
    status: 403,
    whole: { ...MAY_NOT_VIEW, data: { status: 403 } },
  },
  {
    label: 'an id, without credentials',
    path: `${USERS}/{id:ann}`,
    status: 401,
    whole: { ...MAY_NOT_VIEW, data: { status: 401 } },
  },
  { label: 'an administrator sees others', path: `${USERS}/{id:ann}`, as: 'root', status: 200, whole: ANN },
  {
    label: 'an unknown id',
    clauses: ['9 invalid_id'],
    path: `${USERS}/999999`,
    as: 'root',
    status: 404,
    whole: INVALID_ID,
  },
  ...[2_147_483_648, 99_999_999_999, '9007199254740993', '9'.repeat(20), '9'.repeat(400)].flatMap(
    (number) => [
      {
        label: `an out-of-range id, ${String(number).length} digits`,
        path: `${USERS}/${number}`,
        as: 'root' as const,
        status: 404,
        whole: INVALID_ID,
      },
      {
        label: `an out-of-range id, ${String(number).length} digits, without list_users`,
        path: `${USERS}/${number}`,
        as: 'ann' as const,
        status: 403,
        whole: { ...MAY_NOT_VIEW, data: { status: 403 } },
      },
      {
        label: `the application passwords of an out-of-range id, ${String(number).length} digits`,
        path: `${USERS}/${number}/application-passwords`,
        as: 'root' as const,
        status: 404,
        whole: INVALID_ID,
      },
    ],
  ),
  { label: 'id 0', path: `${USERS}/0`, as: 'root', status: 404, whole: INVALID_ID },
  {
    label: 'the caller with a restricted key: no e-mail, and fewer capabilities',
    path: `${USERS}/me?context=edit`,
    as: 'narrow',
    status: 200,
    whole: {
      ...ANN,
      username: 'ann',
      first_name: '',
      last_name: '',
      nickname: 'ann',
      email: '',
      locale: 'en_US',
      registered_date: '2026-06-01T12:00:00+00:00',
      roles: ['analyst'],
      capabilities: { read: true },
      extra_capabilities: {},
    },
  },
];

const roles: readonly Omit<HostCase, 'line'>[] = [
  {
    label: 'an administrator’s capabilities',
    path: `${USERS}/me?context=edit`,
    as: 'root',
    status: 200,
    json: {
      roles: ['administrator'],
      capabilities: {
        administrator: true,
        read: true,
        list_users: true,
        edit_users: true,
        manage_sites: true,
        activate_plugins: true,
        manage_options: true,
      },
    },
  },
  {
    label: 'extension routes get the user’s sites',
    path: '/wp-json/toy/v1/echo',
    as: 'ann',
    status: 200,
    json: { user: { role: 'analyst', sites: ['demo'], timezone: 'UTC' } },
  },
  {
    label: 'an administrator has all sites',
    path: '/wp-json/toy/v1/echo',
    as: 'root',
    status: 200,
    json: { user: { role: 'administrator', sites: 'all' } },
  },
];

/** Query -> the logins in the list, in order. */
const LIST_QUERIES: readonly (readonly [string, readonly string[]])[] = [
  ['slug=bea', ['bea']],
  ['slug[]=eve&slug[]=bea', ['bea', 'eve']],
  ['slug=nobody', []],
  ['include={id:dan},{id:ann}', ['ann', 'dan']],
  ['include={id:dan},{id:ann}&orderby=include', ['dan', 'ann']],
  ['include=', ['ann', 'bea', 'dan', 'eve', 'root']],
  ['exclude[]={id:ann}&exclude[]={id:root}', ['bea', 'dan', 'eve']],
  ['roles=administrator', ['root']],
  ['roles=analyst,administrator&order=desc', ['root', 'eve', 'dan', 'bea', 'ann']],
  ['roles=editor', []],
  ['orderby=id&order=desc', ['root', 'eve', 'dan', 'bea', 'ann']],
  ['orderby=email&order=asc', ['ann', 'bea', 'dan', 'eve', 'root']],
  ['orderby=registered_date', ['ann', 'bea', 'dan', 'eve', 'root']],
  ['orderby=include_slugs&slug=eve,ann', ['eve', 'ann']],
  ['offset=3', ['eve', 'root']],
  ['search={id:bea}', ['bea']],
  ['search=people.example&roles=administrator', ['root']],
];

const lists: readonly Omit<HostCase, 'line'>[] = [
  {
    label: 'the list with its totals',
    path: `${USERS}?per_page=2&page=1`,
    as: 'root',
    status: 200,
    answerHeaders: {
      'x-wp-total': '5',
      'x-wp-totalpages': '3',
      link: '<{root}>; rel="https://api.w.org/", <{root}wp/v2/users?per_page=2&page=2>; rel="next"',
    },
    json: [ANN, { slug: 'bea' }],
  },
  {
    label: 'the last page of the list',
    path: `${USERS}?per_page=2&page=3`,
    as: 'root',
    status: 200,
    answerHeaders: { 'x-wp-total': '5', 'x-wp-totalpages': '3', link: /page=2>; rel="prev"$/ },
    json: [{ slug: 'root' }],
  },
  {
    label: 'a page beyond the end',
    path: `${USERS}?per_page=2&page=4`,
    as: 'root',
    status: 200,
    answerHeaders: {
      'x-wp-total': '5',
      'x-wp-totalpages': '3',
      link: '<{root}>; rel="https://api.w.org/", <{root}wp/v2/users?per_page=2&page=3>; rel="prev"',
    },
    whole: [],
  },
  {
    label: 'page 2 of an empty list',
    path: `${USERS}?search=nobody&page=2`,
    as: 'root',
    status: 200,
    answerHeaders: { 'x-wp-total': '0', 'x-wp-totalpages': '0', link: '<{root}>; rel="https://api.w.org/"' },
    whole: [],
  },
  {
    label: 'the links to the next and previous page keep the query',
    path: `${USERS}?per_page=1&page=2&include[]={id:ann}&include[]={id:bea}&_fields=slug`,
    as: 'root',
    status: 200,
    answerHeaders: {
      'x-wp-total': '2',
      link: /<{root}wp\/v2\/users\?per_page=1&page=1&include%5B%5D=\d+&include%5B%5D=\d+&_fields=slug>; rel="prev"$/,
    },
    whole: [{ slug: 'bea' }],
  },
  {
    label: 'the links of a list with an offset have the next and previous offset',
    path: `${USERS}?_fields=slug&per_page=2&offset=2`,
    as: 'root',
    status: 200,
    answerHeaders: { link: /per_page=2&offset=0>; rel="prev", <.*per_page=2&offset=4>; rel="next"$/ },
    whole: [{ slug: 'dan' }, { slug: 'eve' }],
  },
  ...LIST_QUERIES.map(([search, slugs]) => ({
    label: `the list with ${search}`,
    path: `${USERS}?_fields=slug&${search}`,
    as: 'root' as const,
    status: 200,
    answerHeaders: { 'x-wp-total': String(search.startsWith('offset') ? 5 : slugs.length) },
    whole: slugs.map((slug) => ({ slug })),
  })),
  ...[
    ['orderby=shoe_size', 'orderby', 'orderby is not one of'],
    ['order=up', 'order', 'order is not one of asc and desc.'],
    ['include=1,x', 'include', 'include[1] is not of type integer.'],
    ['offset=-1', 'offset', 'offset must be greater than or equal to 0'],
  ].map(([search = '', name = '', message = '']) => ({
    label: `the list with ${search}`,
    path: `${USERS}?${search}`,
    as: 'root' as const,
    status: 400,
    json: { code: 'rest_invalid_param', data: { params: { [name]: expect.stringContaining(message) } } },
  })),
  {
    label: 'a search, in any letter case',
    path: `${USERS}?search=BEA`,
    as: 'root',
    status: 200,
    answerHeaders: { 'x-wp-total': '1', 'x-wp-totalpages': '1' },
    json: [{ slug: 'bea' }],
  },
  {
    label: 'a page size that is too large',
    path: `${USERS}?per_page=101`,
    as: 'root',
    status: 400,
    json: {
      code: 'rest_invalid_param',
      data: {
        params: { per_page: 'per_page must be between 1 (inclusive) and 100 (inclusive)' },
        details: { per_page: { code: 'rest_out_of_bounds' } },
      },
    },
  },
  {
    label: 'a page that is not a number',
    path: `${USERS}?page=first`,
    as: 'root',
    status: 400,
    json: { code: 'rest_invalid_param', data: { params: { page: 'page is not of type integer.' } } },
  },
];

const refused: readonly Omit<HostCase, 'line'>[] = [
  {
    label: 'the list without list_users',
    clauses: ['5 rest_forbidden 403'],
    path: USERS,
    as: 'ann',
    status: 403,
    whole: {
      code: 'rest_forbidden',
      message: 'Sorry, you are not allowed to do that.',
      data: { status: 403 },
    },
  },
  {
    label: 'the list without credentials',
    clauses: ['5 rest_forbidden 401'],
    path: USERS,
    status: 401,
    whole: {
      code: 'rest_forbidden',
      message: 'Sorry, you are not allowed to do that.',
      data: { status: 401 },
    },
  },
  {
    label: 'accounts cannot be created here',
    method: 'POST',
    path: USERS,
    as: 'root',
    body: {},
    status: 404,
    answerHeaders: { allow: 'GET' },
    json: { code: 'rest_no_route' },
  },
];

export const accountCases: readonly HostCase[] = [
  ...[...single, ...lists].map((row): HostCase => ({ ...row, line: 9 })),
  ...roles.map((row): HostCase => ({ ...row, line: 12 })),
  ...refused.map((row): HostCase => ({ ...row, line: 5 })),
];
