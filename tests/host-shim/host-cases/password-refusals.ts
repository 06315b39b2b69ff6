// Requests to manage application passwords, rejected because they are invalid or because permission is missing.
import type { HostCase } from '../host-case';

const ME = '/wp-json/wp/v2/users/me/application-passwords';
const passwordsOf = (login: string) => `/wp-json/wp/v2/users/{id:${login}}/application-passwords`;
const UNKNOWN_UUID = '00000000-0000-4000-8000-000000000000';

const ACTIONS = [
  ['GET', '', 'rest_cannot_list_application_passwords', '9 cannot_list'],
  ['POST', '', 'rest_cannot_create_application_passwords', '9 cannot_create'],
  ['DELETE', '', 'rest_cannot_delete_application_passwords', '9 cannot_delete all'],
  ['GET', '/{key:bea}', 'rest_cannot_read_application_password', '9 cannot_read'],
  ['PUT', '/{key:bea}', 'rest_cannot_edit_application_password', '9 cannot_edit'],
  ['DELETE', '/{key:bea}', 'rest_cannot_delete_application_password', '9 cannot_delete'],
] as const;

const named = (method: string) => (method === 'POST' || method === 'PUT' ? { body: { name: 'x' } } : {});

const refused: readonly Omit<HostCase, 'line'>[] = ACTIONS.flatMap(([method, rest, code, clause]) => [
  {
    label: `${code}, for another account`,
    clauses: [clause],
    method,
    path: passwordsOf('bea') + rest,
    as: 'ann' as const,
    ...named(method),
    status: 403,
    json: { code, message: expect.stringMatching(/^Sorry, you are not allowed to /), data: { status: 403 } },
  },
  {
    label: `${code}, without credentials`,
    method,
    path: passwordsOf('bea') + rest,
    ...named(method),
    status: 401,
    json: { code, data: { status: 401 } },
  },
  {
    label: `${code}, for "me" without credentials`,
    method,
    path: ME + rest,
    ...named(method),
    status: 401,
    json: { code: 'rest_not_logged_in', data: { status: 401 } },
  },
]);

const restricted: readonly Omit<HostCase, 'line'>[] = [
  ...ACTIONS.map(([method, rest, code]) => ({
    label: `with a restricted password: ${method} ${rest === '' ? 'all' : 'one'}`,
    method,
    path: ME + rest.replace('bea', 'ann'),
    as: 'narrow' as const,
    ...named(method),
    ...(`${method}${rest}` === 'GET'
      ? { status: 200, json: [{ uuid: '{key:narrow}' }], answerHeaders: { allow: 'GET' } }
      : {
          status: 403,
          json: { code, message: expect.stringContaining('is restricted'), data: { status: 403 } },
        }),
  })),
  {
    label: 'a restricted password sees itself',
    path: `${ME}/{key:narrow}`,
    as: 'narrow',
    status: 200,
    answerHeaders: { allow: 'GET' },
    json: { uuid: '{key:narrow}' },
  },
  {
    label: 'a restricted password cannot find out whether another one exists',
    path: `${ME}/${UNKNOWN_UUID}`,
    as: 'narrow',
    status: 403,
    json: { code: 'rest_cannot_read_application_password' },
  },
  ...(['POST', 'PUT'] as const).map((method) => ({
    label: `missing permission is reported before invalid parameters, ${method}`,
    method,
    path: passwordsOf('bea') + (method === 'PUT' ? '/{key:bea}' : ''),
    as: 'ann' as const,
    body: { rate_share: 'x' },
    status: 403,
    answerHeaders: { allow: null },
    json: { data: { status: 403 } },
  })),
];

const FAULTS: readonly Pick<HostCase, 'label' | 'clauses' | 'headers' | 'body' | 'json'>[] = [
  {
    label: 'a missing name',
    clauses: ['5 rest_missing_callback_param'],
    body: {},
    json: {
      code: 'rest_missing_callback_param',
      message: 'Missing parameter(s): name',
      data: { status: 400, params: ['name'] },
    },
  },
  {
    label: 'an empty name',
    clauses: ['9 empty_name'],
    body: { name: '  ' },
    json: { code: 'application_password_empty_name' },
  },
  {
    label: 'a name that is a number',
    body: { name: 7 },
    json: { code: 'rest_invalid_param', data: { params: { name: 'name is not of type string.' } } },
  },
  {
    label: 'a name that is too long',
    body: { name: 'x'.repeat(101) },
    json: { code: 'rest_invalid_param', data: { params: { name: expect.stringContaining('100') } } },
  },
  {
    label: 'an invalid app_id',
    body: { name: 'x', app_id: 'abc' },
    json: { code: 'rest_invalid_param', data: { params: { app_id: 'app_id is not a valid UUID.' } } },
  },
  {
    label: 'all invalid restrictions in one response',
    body: { name: 'x', expires: '2026-02-30', sites: ['other'], addresses: ['10.0.0.300'] },
    json: {
      code: 'rest_invalid_param',
      data: {
        params: {
          expires: expect.stringContaining('2026-02-30'),
          sites: expect.stringContaining('other'),
          addresses: expect.stringContaining('10.0.0.300'),
        },
      },
    },
  },
  {
    label: 'one restriction under two names',
    body: { name: 'x', expires: '2026-07-01', expires_at: '2026-08-01T00:00:00' },
    json: { data: { params: { expires_at: expect.stringContaining('mean the same') } } },
  },
  {
    label: 'errors use the name that was sent',
    body: { name: 'x', expires_at: '2026-02-30', address_ranges: '10.0.0.300' },
    json: {
      data: {
        params: {
          expires_at: expect.stringContaining('2026-02-30'),
          address_ranges: expect.stringContaining('10.0.0.300'),
        },
      },
    },
  },
  {
    label: 'an unknown restriction does not create an unrestricted password',
    body: { name: 'x', expiry: '2027-01-01', site: 'demo', ip: '192.0.2.7' },
    json: {
      code: 'rest_invalid_param',
      message: 'Invalid parameter(s): expiry, site, ip',
      data: { params: { expiry: expect.stringContaining('expires_at'), site: expect.any(String) } },
    },
  },
  {
    label: 'all errors in one response',
    body: { app_id: 'abc', expires: '2026-02-30', rate_share: 0, ip: '::1' },
    json: {
      code: 'rest_missing_callback_param',
      data: {
        params: ['name'],
        details: {
          app_id: { message: 'app_id is not a valid UUID.' },
          expires: { message: expect.stringContaining('2026-02-30') },
          rate_share: { code: 'rest_out_of_bounds' },
          ip: { code: 'rest_invalid_param' },
        },
      },
    },
  },
  {
    label: 'an empty name among other errors',
    body: { name: ' ', app_id: 'abc' },
    json: {
      code: 'rest_invalid_param',
      data: { details: { name: { code: 'application_password_empty_name' }, app_id: {} } },
    },
  },
  {
    label: 'a lone surrogate',
    body: '{"name":"a\\ud800b"}',
    json: { data: { params: { name: 'name is not valid Unicode text.' } } },
  },
  {
    label: 'a form with bytes that are not UTF-8',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: 'name=%ff%fe',
    json: { data: { params: { name: 'name is not valid Unicode text.' } } },
  },
  {
    label: 'an expiry in the past, in the response format',
    body: { name: 'x', expires: '2026-06-01T11:59:59' },
    json: { code: 'rest_invalid_param', data: { params: { expires: expect.any(String) } } },
  },
  {
    label: 'an empty list of sites does not mean all sites',
    body: { name: 'x', sites: [], addresses: [' '] },
    json: {
      code: 'rest_invalid_param',
      data: {
        params: {
          sites: 'sites is empty; leave it out for no restriction.',
          addresses: 'addresses is empty; leave it out for no restriction.',
        },
      },
    },
  },
  ...(
    [
      [
        { 'Content-Type': 'application/x-www-form-urlencoded' },
        'name=x&expires=&expires_at=&sites=&addresses=&address_ranges=&rate_share=&level=',
      ],
      [
        {},
        {
          name: 'x',
          expires: '',
          expires_at: '',
          sites: '',
          addresses: '',
          address_ranges: '',
          rate_share: '',
          level: '',
        },
      ],
    ] as const
  ).map(([headers, body]) => ({
    label: `an empty restriction does not create an unrestricted password, in ${typeof body === 'string' ? 'a form' : 'JSON'}`,
    headers,
    body,
    json: {
      code: 'rest_invalid_param',
      data: {
        params: {
          expires: 'expires is empty; leave it out, or send a value.',
          expires_at: expect.stringContaining('is empty'),
          sites: expect.stringContaining('is empty'),
          addresses: expect.stringContaining('is empty'),
          address_ranges: expect.stringContaining('is empty'),
          rate_share: expect.stringContaining('is empty'),
          level: expect.stringContaining('is empty'),
        },
      },
    },
  })),
  {
    label: 'a share of 0',
    body: { name: 'x', rate_share: 0 },
    json: {
      code: 'rest_invalid_param',
      data: { params: { rate_share: 'rate_share must be between 1 (inclusive) and 99 (inclusive)' } },
    },
  },
];

const faults = FAULTS.map(
  (one): Omit<HostCase, 'line'> => ({ ...one, method: 'POST', path: ME, as: 'ann', status: 400 }),
);

export const passwordRefusalCases = [...refused, ...restricted, ...faults].map(
  (row): HostCase => ({ ...row, line: 9 }),
);
