// Where credentials are accepted: over HTTPS, on loopback, or in the `local` environment. Elsewhere, the response contains the
// reason. The production host trusts its proxy, which forwards the client's address and protocol.
import type { HostCase } from '../host-case';

const ECHO = '/wp-json/toy/v1/echo';
const FROM_ELSEWHERE = { 'X-Forwarded-For': '203.0.113.9' };
const OVER_HTTPS = { ...FROM_ELSEWHERE, 'X-Forwarded-Proto': 'https' };
const PASSWORDS = '/wp-json/wp/v2/users/me/application-passwords';
const DISABLED = { code: 'application_passwords_disabled', data: { status: 501 } };

const cases: readonly Omit<HostCase, 'line' | 'on'>[] = [
  { label: 'on loopback', path: ECHO, as: 'ann', status: 200 },
  { label: 'over HTTPS to the proxy', path: ECHO, as: 'ann', headers: OVER_HTTPS, status: 200 },
  {
    label: 'over plain HTTP from another machine: rejected with the reason',
    path: ECHO,
    as: 'ann',
    headers: FROM_ELSEWHERE,
    status: 401,
    json: { toy: { kind: 'unauthorized', reason: expect.stringContaining('HTTPS') } },
  },
  {
    label: 'over plain HTTP from elsewhere, on a host route',
    path: '/wp-json/wp/v2/users/me',
    as: 'ann',
    headers: FROM_ELSEWHERE,
    status: 401,
    json: { code: 'rest_not_logged_in', message: expect.stringContaining('HTTPS') },
  },
  {
    label: 'discovery offers no login',
    path: '/wp-json/',
    headers: FROM_ELSEWHERE,
    status: 200,
    json: { authentication: [] },
  },
  {
    label: 'discovery over HTTPS returns the https address of the authorize page',
    path: '/wp-json/',
    headers: OVER_HTTPS,
    status: 200,
    json: {
      home: expect.stringMatching(/^https:/),
      authentication: {
        'application-passwords': { endpoints: { authorization: expect.stringMatching(/^https:/) } },
      },
    },
  },
  ...(['GET', 'POST', 'DELETE'] as const).map((method) => ({
    label: `application passwords are not available, ${method}`,
    method,
    path: PASSWORDS,
    headers: FROM_ELSEWHERE,
    status: 501,
    json: DISABLED,
  })),
  {
    label: 'a single application password is not available either',
    path: `${PASSWORDS}/{key:ann}`,
    headers: FROM_ELSEWHERE,
    status: 501,
    json: DISABLED,
  },
];

const generic: readonly Omit<HostCase, 'line' | 'on'>[] = [
  { label: 'unknown user', user: 'nobody' },
  { label: 'wrong secret', user: 'ann' },
].map(({ label, user }) => ({
  label: `the same response to every failed login in production: ${label}`,
  clauses: ['5 generic in production'],
  path: '/wp-json/wp/v2/users/me',
  headers: { Authorization: `Basic ${Buffer.from(`${user}:x`).toString('base64')}` },
  status: 401,
  whole: {
    code: 'rest_not_logged_in',
    message:
      'Unknown user or wrong application password. The password for the login page is not accepted here.',
    data: { status: 401 },
  },
}));

export const availabilityCases: readonly HostCase[] = [
  ...cases.map((one): HostCase => ({ ...one, line: 8, on: 'production' })),
  ...generic.map((one): HostCase => ({ ...one, line: 5, on: 'production' })),
];
