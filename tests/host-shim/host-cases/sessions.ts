// REST with the session cookie: with a valid nonce, the request is made as the user; without one, it is anonymous.
import type { HostCase } from '../host-case';

const ME = '/wp-json/wp/v2/users/me';
const NONCE = /^[\w-]{10,}$/;

const cases: readonly Omit<HostCase, 'line'>[] = [
  {
    label: 'a cookie, with the nonce in the header; the response has a fresh nonce for the next call',
    clauses: ['10 X-WP-Nonce', '10 fresh nonce'],
    path: ME,
    headers: { Cookie: '{cookie}', 'X-WP-Nonce': '{nonce}' },
    status: 200,
    answerHeaders: {
      'x-wp-nonce': NONCE,
      'cache-control': 'no-cache, must-revalidate, max-age=0, no-store, private',
    },
    json: { slug: 'ann' },
  },
  {
    label: 'a cookie, with the nonce in the URL',
    clauses: ['10 _wpnonce'],
    path: `${ME}?_wpnonce={nonce}`,
    headers: { Cookie: '{cookie}' },
    status: 200,
    answerHeaders: { 'x-wp-nonce': NONCE },
    json: { slug: 'ann' },
  },
  {
    label: 'a cookie without a nonce is anonymous',
    clauses: ['10 cookie alone'],
    path: ME,
    headers: { Cookie: '{cookie}' },
    status: 401,
    answerHeaders: { 'www-authenticate': null, 'x-wp-nonce': null },
    json: { code: 'rest_not_logged_in' },
  },
  {
    label: 'a wrong nonce',
    clauses: ['10 bad nonce', '5 rest_cookie_invalid_nonce'],
    path: ME,
    headers: { Cookie: '{cookie}', 'X-WP-Nonce': 'wrong' },
    status: 403,
    json: { code: 'rest_cookie_invalid_nonce', data: { status: 403 } },
  },
  {
    label: 'a wrong nonce on an extension route',
    path: '/wp-json/toy/v1/open',
    headers: { Cookie: '{cookie}', 'X-WP-Nonce': 'wrong' },
    status: 403,
    json: { code: 'rest_cookie_invalid_nonce' },
  },
  {
    label: 'a nonce without its cookie is invalid',
    path: ME,
    headers: { 'X-WP-Nonce': '{nonce}' },
    status: 403,
    json: { code: 'rest_cookie_invalid_nonce' },
  },
  {
    label: 'a cookie with a valid nonce takes precedence over the application password',
    path: ME,
    as: 'root',
    headers: { Cookie: '{cookie}', 'X-WP-Nonce': '{nonce}' },
    status: 200,
    json: { slug: 'ann' },
  },
];

export const sessionCases: readonly HostCase[] = cases.map((one): HostCase => ({ ...one, line: 10 }));
