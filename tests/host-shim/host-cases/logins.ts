// Rejected logins, and whether the host or the namespace formats the error.
import type { HostCase } from '../host-case';

const ECHO = '/wp-json/toy/v1/echo';

export const loginCases: readonly HostCase[] = [
  {
    line: 'challenge',
    // conformance: host.www-authenticate
    label: 'no credentials, in the namespace’s format',
    path: ECHO,
    status: 401,
    answerHeaders: { 'www-authenticate': 'Basic realm="Test host", charset="UTF-8"' },
    json: { toy: { kind: 'unauthorized' }, path: '/echo' },
  },
  {
    line: 'challenge',
    // conformance: host.www-authenticate
    label: 'no login dialog for a page (Sec-Fetch-Mode)',
    path: ECHO,
    headers: { 'Sec-Fetch-Mode': 'cors' },
    status: 401,
    answerHeaders: { 'www-authenticate': null },
  },
  {
    line: 'challenge',
    // conformance: host.www-authenticate
    label: 'no login dialog for a page (cookie)',
    path: ECHO,
    headers: { Cookie: 'a=b' },
    status: 401,
    answerHeaders: { 'www-authenticate': null },
  },
  {
    line: 'challenge',
    label: 'no login dialog for a page (nonce)',
    path: ECHO,
    headers: { 'X-WP-Nonce': 'x', Authorization: 'Basic YTpi' },
    status: 401,
    answerHeaders: { 'www-authenticate': null },
  },
  {
    line: 5,
    label: 'wrong credentials are refused on a public route too',
    path: '/wp-json/toy/v1/open',
    headers: { Authorization: 'Basic YTpi' },
    status: 401,
    json: { toy: { kind: 'unauthorized' } },
  },
  {
    line: 5,
    label: 'wrong credentials on a host route, unknown user',
    clauses: ['5 invalid_username'],
    path: '/wp-json/',
    headers: { Authorization: `Basic ${Buffer.from('nobody:x').toString('base64')}` },
    status: 401,
    json: { code: 'invalid_username', data: { status: 401 } },
  },
  {
    line: 5,
    label: 'wrong credentials on a host route, wrong secret',
    clauses: ['5 incorrect_password'],
    path: '/wp-json/',
    headers: { Authorization: `Basic ${Buffer.from('ann:x').toString('base64')}` },
    status: 401,
    json: { code: 'incorrect_password', data: { status: 401 } },
  },
  {
    line: 1,
    label: 'a different scheme',
    path: ECHO,
    headers: { Authorization: 'Bearer abc' },
    status: 401,
    json: { toy: { kind: 'unauthorized' } },
  },
  {
    line: 5,
    label: 'a restricted route',
    method: 'POST',
    path: '/wp-json/toy/v1/admins',
    as: 'ann',
    body: {},
    status: 403,
    json: { code: 'rest_forbidden', data: { status: 403 } },
  },
  {
    line: 5,
    label: 'a restricted route, without credentials',
    method: 'POST',
    path: '/wp-json/toy/v1/admins',
    body: {},
    status: 401,
    json: { toy: { kind: 'unauthorized' } },
  },
];
