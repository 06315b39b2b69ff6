// Application passwords over REST: bodies, statuses, error codes and URLs are the same as in WordPress.
import type { HostCase } from '../host-case';

const ME = '/wp-json/wp/v2/users/me/application-passwords';
const passwordsOf = (login: string) => `/wp-json/wp/v2/users/{id:${login}}/application-passwords`;
const selfOf = (login: string, uuid: string) => ({
  self: [{ href: `{root}wp/v2/users/{id:${login}}/application-passwords/${uuid}` }],
});
const UNUSED = {
  app_id: '',
  created: '2026-06-01T12:00:00',
  last_used: null,
  last_ip: null,
  expires_at: null,
  sites: null,
  address_ranges: null,
  rate_share: null,
  level: 'all',
};
const BEAS_PASSWORD = { ...UNUSED, uuid: '{key:bea}', name: 'A program', _links: selfOf('bea', '{key:bea}') };
const SECRET = /^[A-Za-z0-9]{4}( [A-Za-z0-9]{4}){5}$/;
const UUID_V4 = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;
const UNKNOWN = '00000000-0000-4000-8000-000000000000';
const NOT_FOUND = {
  code: 'rest_application_password_not_found',
  message: 'Application password not found.',
  data: { status: 404 },
};
/** Returns a multipart form. The arguments alternate: a field's header, then its value. */
const parts = (...texts: readonly string[]): string =>
  texts
    .map((text, index) =>
      index % 2 === 0 ? `--xx\r\nContent-Disposition: form-data; ${text}\r\n\r\n` : `${text}\r\n`,
    )
    .concat('--xx--\r\n')
    .join('');
const APP_ID = '6f1d5ac6-8e7d-4b6f-9d83-0d3a63c1a2b4';

const cases: readonly Omit<HostCase, 'line'>[] = [
  {
    label: 'the list',
    clauses: ['9 list', '9 dates'],
    path: passwordsOf('bea'),
    as: 'root',
    status: 200,
    answerHeaders: { allow: 'GET, POST, DELETE' },
    whole: [BEAS_PASSWORD],
  },
  {
    label: 'one password',
    clauses: ['9 read'],
    path: `${passwordsOf('bea')}/{key:bea}`,
    as: 'root',
    status: 200,
    whole: BEAS_PASSWORD,
  },
  {
    label: 'the user’s own list',
    path: ME,
    as: 'ann',
    status: 200,
    json: [
      { uuid: expect.stringMatching(UUID_V4), name: expect.any(String) },
      { uuid: expect.stringMatching(UUID_V4), name: expect.any(String) },
    ],
  },
  {
    label: 'created from JSON, with the secret in groups',
    clauses: ['9 create', '9 app_id'],
    method: 'POST',
    path: ME,
    as: 'dan',
    body: { name: 'Reports', app_id: APP_ID },
    status: 201,
    answerHeaders: { location: /^{root}wp\/v2\/users\/{id:dan}\/application-passwords\/[\da-f-]{36}$/ },
    whole: {
      ...UNUSED,
      uuid: expect.stringMatching(UUID_V4),
      app_id: APP_ID,
      name: 'Reports',
      password: expect.stringMatching(SECRET),
      _links: { self: [{ href: expect.stringContaining('/application-passwords/') }] },
    },
  },
  {
    label: 'created from a form, as python-requests sends it',
    method: 'POST',
    path: ME,
    as: 'dan',
    headers: {
      'User-Agent': 'python-requests/2.32.3',
      'Content-Type': 'application/x-www-form-urlencoded',
    },
    body: 'name=A+form+%C3%BC&app_id=',
    status: 201,
    json: { name: 'A form ü', app_id: '' },
  },
  {
    label: 'created from query parameters',
    method: 'POST',
    path: `${ME}?name=By%20address`,
    as: 'dan',
    status: 201,
    json: { name: 'By address' },
  },
  {
    label: 'a name may be used twice',
    method: 'POST',
    path: passwordsOf('dan'),
    as: 'root',
    body: { name: 'A program' },
    status: 201,
    json: { name: 'A program' },
  },
  {
    label: 'a restricted password',
    method: 'POST',
    path: ME,
    as: 'dan',
    body: {
      name: 'Narrow',
      expires: '2026-07-01T00:00:00',
      sites: ['demo'],
      addresses: ['10.0.0.0/8', '::1'],
      rate_share: 20,
    },
    status: 201,
    json: {
      expires_at: '2026-07-01T00:00:00',
      sites: ['demo'],
      address_ranges: ['10.0.0.0/8', '::1'],
      rate_share: 20,
    },
  },
  {
    label: 'a restricted password, from a form',
    method: 'POST',
    path: ME,
    as: 'dan',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: 'name=Narrow&sites[]=demo&addresses=10.0.0.1,10.0.0.2&rate_share=5',
    status: 201,
    json: { sites: ['demo'], address_ranges: ['10.0.0.1', '10.0.0.2'], rate_share: 5 },
  },
  {
    label: 'a restricted password, with the names used in responses',
    method: 'POST',
    path: ME,
    as: 'dan',
    body: { name: 'Narrow', expires_at: '2026-07-01T00:00:00', address_ranges: ['10.0.0.0/8'], sites: null },
    status: 201,
    json: { expires_at: '2026-07-01T00:00:00', address_ranges: ['10.0.0.0/8'], sites: null },
  },
  {
    label: 'an empty app_id in a form is treated as not sent',
    method: 'POST',
    path: ME,
    as: 'dan',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: 'name=Empty+fields&app_id=',
    status: 201,
    json: UNUSED,
  },
  {
    label: 'created from a multipart form, as curl -F sends it',
    method: 'POST',
    path: ME,
    as: 'dan',
    headers: { 'Content-Type': 'multipart/form-data; boundary=xx' },
    body: parts('name="name"', 'In parts \u00fc', 'name="sites[]"', 'demo'),
    status: 201,
    json: { name: 'In parts \u00fc', sites: ['demo'] },
  },
  {
    label: 'WordPress’s other fields are accepted',
    method: 'POST',
    path: `${ME}?_locale=user&context=edit`,
    as: 'dan',
    body: { name: 'Sent back', uuid: UNKNOWN, created: '2026-06-01T12:00:00', last_used: null, _links: {} },
    status: 201,
    json: { name: 'Sent back', uuid: expect.not.stringContaining(UNKNOWN) },
  },
  {
    label: 'without a new name, nothing changes',
    method: 'PUT',
    path: `${passwordsOf('eve')}/{key:eve}`,
    as: 'root',
    body: {},
    status: 200,
    json: { uuid: '{key:eve}', name: 'A program' },
  },
  {
    label: 'a password sent back unchanged',
    method: 'PUT',
    path: `${passwordsOf('eve')}/{key:eve}`,
    as: 'root',
    body: { ...UNUSED, uuid: UNKNOWN, name: 'A program', _links: {} },
    status: 200,
    json: { uuid: '{key:eve}', name: 'A program' },
  },
  {
    label: 'restrictions cannot be changed',
    method: 'PUT',
    path: `${passwordsOf('eve')}/{key:eve}`,
    as: 'root',
    body: { name: 'x', expires_at: '2026-07-01T00:00:00', sites: ['demo'], ip: '::1' },
    status: 400,
    json: {
      code: 'rest_invalid_param',
      data: {
        params: {
          expires_at: 'expires_at cannot be changed; create another application password.',
          sites: expect.stringContaining('cannot be changed'),
          ip: expect.stringContaining('is not a parameter of this route'),
        },
      },
    },
  },
  {
    label: 'renamed by PUT',
    clauses: ['9 PUT'],
    method: 'PUT',
    path: `${passwordsOf('eve')}/{key:eve}`,
    as: 'root',
    body: { name: 'Renamed' },
    status: 200,
    whole: { ...UNUSED, uuid: '{key:eve}', name: 'Renamed', _links: selfOf('eve', '{key:eve}') },
  },
  ...(['POST', 'PATCH'] as const).map((method) => ({
    label: `renamed by ${method}`,
    clauses: [`9 ${method}`] as const,
    method,
    path: `${passwordsOf('eve')}/{key:eve}`,
    as: 'root' as const,
    body: { name: `By ${method}` },
    status: 200,
    json: { name: `By ${method}` },
  })),
  {
    label: 'introspection',
    clauses: ['9 introspect'],
    path: `${ME}/introspect`,
    as: 'narrow',
    status: 200,
    json: { uuid: '{key:narrow}', name: 'Narrow', rate_share: 50, _links: selfOf('ann', '{key:narrow}') },
  },
  {
    label: 'introspection of another account',
    path: `${passwordsOf('bea')}/introspect`,
    as: 'root',
    status: 403,
    json: { code: 'rest_cannot_introspect_app_password_for_non_authenticated_user' },
  },
  {
    label: 'introspection without an application password',
    clauses: ['9 no_authenticated_app_password'],
    path: `${ME}/introspect`,
    headers: { Cookie: '{cookie}', 'X-WP-Nonce': '{nonce}' },
    status: 404,
    whole: {
      code: 'rest_no_authenticated_app_password',
      message: 'Cannot introspect application password.',
      data: { status: 404 },
    },
  },
  {
    label: 'revoked',
    clauses: ['9 delete'],
    method: 'DELETE',
    path: `${passwordsOf('eve')}/{key:eve}`,
    as: 'root',
    headers: { 'Content-Type': 'application/json' },
    status: 200,
    whole: {
      deleted: true,
      previous: {
        ...UNUSED,
        uuid: '{key:eve}',
        name: 'By PATCH',
        _links: selfOf('eve', '{key:eve}'),
      },
    },
  },
  {
    label: 'already revoked',
    clauses: ['9 not_found'],
    method: 'DELETE',
    path: `${passwordsOf('eve')}/{key:eve}`,
    as: 'root',
    status: 404,
    whole: NOT_FOUND,
  },
  {
    label: 'all revoked',
    clauses: ['9 delete all'],
    method: 'DELETE',
    path: passwordsOf('dan'),
    as: 'root',
    status: 200,
    json: { deleted: true, count: 11 },
  },
  {
    label: 'all revoked when none exist',
    method: 'DELETE',
    path: passwordsOf('dan'),
    as: 'root',
    status: 200,
    whole: { deleted: true, count: 0 },
  },
  {
    label: 'a request with a revoked password is rejected',
    path: ME,
    as: 'dan',
    status: 401,
    json: { code: 'incorrect_password' },
  },
  {
    label: 'an unknown account',
    path: '/wp-json/wp/v2/users/999999/application-passwords',
    as: 'root',
    status: 404,
    whole: { code: 'rest_user_invalid_id', message: 'Invalid user ID.', data: { status: 404 } },
  },
  ...(['GET', 'PUT', 'DELETE'] as const).map((method) => ({
    label: `an unknown password, ${method}`,
    method,
    path: `${passwordsOf('bea')}/${UNKNOWN}`,
    as: 'root' as const,
    ...(method === 'PUT' && { body: { name: 'x' } }),
    status: 404,
    whole: NOT_FOUND,
  })),
  { label: 'an id that is not a UUID', path: `${ME}/abc`, as: 'ann', status: 404, whole: NOT_FOUND },
  {
    label: 'someone else’s password, under the caller’s own account',
    path: `${ME}/{key:bea}`,
    as: 'ann',
    status: 404,
    whole: NOT_FOUND,
  },
];

export const passwordCases: readonly HostCase[] = cases.map(
  (row): HostCase => ({ ...row, line: row.label.startsWith('a request with a revoked') ? 2 : 9 }),
);
