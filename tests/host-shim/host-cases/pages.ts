// URLs outside the REST interface.
import type { HostCase } from '../host-case';

const LINK = '<{root}>; rel="https://api.w.org/"';

export const pageCases: readonly HostCase[] = [
  {
    line: 'page',
    label: 'front page',
    path: '/',
    status: 200,
    answerHeaders: { link: LINK },
    text: /Test host.*\n.*{root}/,
  },
  {
    line: 'page',
    label: 'front page, HEAD',
    method: 'HEAD',
    path: '/',
    status: 200,
    answerHeaders: { link: LINK },
  },
  {
    line: 'page',
    label: 'front page, for a browser',
    path: '/',
    headers: { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' },
    status: 302,
    answerHeaders: { link: LINK, location: '/wp-admin/', vary: /Accept/ },
  },
  { line: 'page', label: 'alive', path: '/healthz', status: 200, text: 'ok\n' },
  { line: 'page', label: 'ready', path: '/readyz', status: 200, text: 'ok\n' },
  {
    line: 'page',
    label: 'an unknown address',
    path: '/none',
    status: 404,
    text: /The REST interface is at {root}/,
  },
  { line: 'page', label: 'an address that cannot be decoded', path: '/%', status: 404 },
  {
    line: 'authorize',
    label: 'the address in discovery leads to the login and back',
    path: '/wp-admin/authorize-application.php?app_name=x',
    status: 303,
    answerHeaders: { location: /^\/wp-login\.php\?redirect_to=.*authorize-application\.php/ },
  },
  {
    line: 'authorize',
    label: 'a logged-in user is asked for permission',
    path: '/wp-admin/authorize-application.php?app_name=Reports%20of%20x',
    headers: { Cookie: '{cookie}' },
    status: 200,
    answerHeaders: { 'content-security-policy': /frame-ancestors 'none'/ },
    text: /Reports of x/,
  },
];
