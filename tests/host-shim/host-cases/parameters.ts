// How the host reads parameters from the path, the query, JSON and forms.
import type { HostCase } from '../host-case';

const PASSWORDS = '/wp-json/wp/v2/users/me/application-passwords';
const USERS = '/wp-json/wp/v2/users';

const BODIES: readonly Omit<HostCase, 'line' | 'path' | 'status'>[] = [
  {
    label: 'broken JSON',
    clauses: ['5 rest_invalid_json'],
    body: '{"name":',
    json: {
      code: 'rest_invalid_json',
      message: 'Invalid JSON body passed.',
      data: { status: 400, json_error_code: 4, json_error_message: 'Syntax error' },
    },
  },
  {
    label: 'JSON that is not an object',
    body: '["name"]',
    json: { code: 'rest_invalid_json', data: { json_error_code: 0, json_error_message: 'No error' } },
  },
  {
    label: 'null is treated as not sent',
    body: { name: null },
    json: { code: 'rest_missing_callback_param', data: { params: ['name'] } },
  },
];

const TYPES: readonly Omit<HostCase, 'line' | 'path' | 'status'>[] = [
  {
    label: 'a different type of body',
    headers: { 'Content-Type': 'text/plain' },
    body: 'name=x',
    json: { message: expect.stringContaining('application/x-www-form-urlencoded') },
  },
  {
    label: 'a different charset',
    headers: { 'Content-Type': 'application/json; charset=iso-8859-1' },
    body: '{"name":"x"}',
    json: { message: expect.stringContaining('iso-8859-1') },
  },
  {
    label: 'a compressed body',
    headers: { 'Content-Encoding': 'gzip' },
    body: '{"name":"x"}',
    json: { message: expect.stringContaining('gzip') },
  },
  {
    label: 'a file in a multipart form',
    headers: { 'Content-Type': 'multipart/form-data; boundary=xx' },
    body: '--xx\r\nContent-Disposition: form-data; name="name"; filename="a.txt"\r\n\r\nx\r\n--xx--\r\n',
    json: { message: 'The field name is a file; send text.' },
  },
  {
    label: 'a broken multipart form',
    headers: { 'Content-Type': 'multipart/form-data; boundary=xx' },
    body: 'name=x',
    json: { message: expect.stringContaining('multipart/form-data') },
  },
].map((one) => ({
  ...one,
  json: { ...one.json, code: 'rest_unsupported_media_type', data: { status: 415 } },
}));

const posted =
  (status: number) =>
  (one: (typeof BODIES)[number]): Omit<HostCase, 'line'> => ({
    method: 'POST',
    path: PASSWORDS,
    as: 'ann',
    status,
    ...one,
  });
const bodies = [...BODIES.map(posted(400)), ...TYPES.map(posted(415))];

const precedence: readonly HostCase[] = [
  {
    line: 5,
    label: 'the path takes precedence over the query',
    path: `${USERS}/{id:ann}?id={id:bea}`,
    as: 'root',
    status: 200,
    json: { slug: 'ann' },
  },
  {
    line: 5,
    label: 'the body takes precedence over the query',
    method: 'POST',
    path: `${USERS}/{id:bea}/application-passwords?name=query&app_id=abc`,
    as: 'root',
    body: { name: '', app_id: '' },
    status: 400,
    json: { code: 'application_password_empty_name' },
  },
  {
    line: 7,
    label: 'a Content-Type without a body',
    method: 'DELETE',
    path: `${PASSWORDS}/abc`,
    as: 'ann',
    headers: { 'Content-Type': 'text/plain' },
    status: 404,
    json: { code: 'rest_application_password_not_found' },
  },
  {
    line: 7,
    label: 'a different JSON type',
    method: 'POST',
    path: PASSWORDS,
    as: 'ann',
    headers: { 'Content-Type': 'application/vnd.api+json; charset=utf-8' },
    body: '{"name":""}',
    status: 400,
    json: { code: 'application_password_empty_name' },
  },
];

const NAMELESS = { as: 'root', status: 400, json: { code: 'application_password_empty_name' } } as const;

const overrides: readonly HostCase[] = [
  {
    line: 'shape',
    label: 'X-HTTP-Method-Override',
    method: 'POST',
    path: `${USERS}/{id:bea}/application-passwords/{key:bea}`,
    headers: { 'X-HTTP-Method-Override': 'put' },
    body: { name: ' ' },
    ...NAMELESS,
  },
  {
    line: 'shape',
    label: '_method',
    method: 'POST',
    path: `${USERS}/{id:bea}/application-passwords/00000000-0000-4000-8000-000000000000?_method=DELETE`,
    as: 'root',
    status: 404,
    json: { code: 'rest_application_password_not_found' },
  },
  {
    line: 'shape',
    label: 'an override of GET is ignored',
    path: `${USERS}/me?_method=DELETE`,
    as: 'ann',
    headers: { 'X-HTTP-Method-Override': 'DELETE' },
    status: 200,
    json: { slug: 'ann' },
  },
  {
    line: 'shape',
    label: 'a POST with an override to GET',
    method: 'POST',
    path: `${USERS}/me`,
    as: 'ann',
    headers: { 'X-HTTP-Method-Override': 'GET' },
    body: {},
    status: 200,
    json: { slug: 'ann' },
  },
  {
    line: 'shape',
    label: 'an empty override',
    method: 'POST',
    path: `${USERS}/{id:bea}/application-passwords?_method=`,
    headers: { 'X-HTTP-Method-Override': '' },
    body: { name: ' ' },
    ...NAMELESS,
  },
  {
    line: 'shape',
    label: 'an unknown method',
    method: 'POST',
    path: `${USERS}/me?_method=BREW`,
    as: 'ann',
    body: {},
    status: 404,
    json: { code: 'rest_no_route' },
  },
];

export const parameterCases: readonly HostCase[] = [
  ...bodies.map((one): HostCase => ({ ...one, line: 5 })),
  ...precedence,
  ...overrides,
];
