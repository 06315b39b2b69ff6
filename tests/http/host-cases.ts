// What the host answers, as data: one row per promise. `{root}` stands for the address of the REST interface.
export interface HostCase {
  readonly label: string;
  readonly method?: 'GET' | 'POST' | 'HEAD' | 'OPTIONS' | 'PUT' | 'DELETE';
  readonly path: string;
  /** Sends the application password of ann. */
  readonly loggedIn?: true;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object | string;
  readonly status: number;
  /** Expected headers: a text, a pattern, or null for none. */
  readonly answerHeaders?: Readonly<Record<string, string | RegExp | null>>;
  /** Part of the answer's JSON. */
  readonly json?: unknown;
  readonly text?: string | RegExp;
}

const NO_ROUTE = {
  code: 'rest_no_route',
  message: 'No route was found matching the URL and request method.',
  data: { status: 404 },
};
const ECHO = '/wp-json/toy/v1/echo';
const PRIVATE = 'no-cache, must-revalidate, max-age=0, no-store, private';
const LINK = '<{root}>; rel="https://api.w.org/"';
const EXPOSED =
  'X-WP-Total, X-WP-TotalPages, Link, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, Retry-After';

const addresses: readonly HostCase[] = [
  ECHO,
  `${ECHO}/`,
  '/wp-json/Toy/V1/ECHO',
  '/wp-json//toy/v1/echo',
  '/?rest_route=/toy/v1/echo',
  '/?rest_route=%2Ftoy%2Fv1%2Fecho%2F',
  '/index.php?rest_route=/toy/v1/echo/',
].map((path) => ({
  label: `address ${path}`,
  path,
  loggedIn: true,
  status: 200,
  json: { path: '/echo', query: {} },
}));

const queries: readonly HostCase[] = [
  `${ECHO}?version=latest`,
  '/?rest_route=/toy/v1/echo&version=latest',
  '/?rest_route=/toy/v1/echo/?version=latest',
  '/index.php?rest_route=/toy/v1/echo?version=latest',
].map((path) => ({
  label: `query of ${path}`,
  path,
  loggedIn: true,
  status: 200,
  json: { query: { version: 'latest' } },
}));

const routing: readonly HostCase[] = [
  { label: 'unknown route', path: '/wp-json/toy/v1/none', status: 404, json: NO_ROUTE },
  { label: 'unknown namespace', path: '/wp-json/none', status: 404, json: NO_ROUTE },
  { label: 'unknown route by parameter', path: '/?rest_route=/none', status: 404, json: NO_ROUTE },
  {
    label: 'unknown route, POST with a body',
    method: 'POST',
    path: '/wp-json/none',
    body: {},
    status: 404,
    json: NO_ROUTE,
  },
  {
    label: 'a wrong method is an unknown route, and the right ones are told',
    method: 'PUT',
    path: ECHO,
    loggedIn: true,
    body: {},
    status: 404,
    answerHeaders: { allow: 'GET, POST' },
    json: NO_ROUTE,
  },
  { label: 'POST to the index', method: 'POST', path: '/wp-json/', body: {}, status: 404, json: NO_ROUTE },
  {
    label: 'HEAD is GET without body',
    method: 'HEAD',
    path: ECHO,
    loggedIn: true,
    status: 200,
    text: '',
    answerHeaders: { 'content-length': /^[1-9]/, allow: 'GET, POST' },
  },
  { label: 'HEAD of a POST route', method: 'HEAD', path: '/wp-json/toy/v1/admins', status: 404 },
  {
    label: 'OPTIONS describes the route without login',
    method: 'OPTIONS',
    path: ECHO,
    status: 200,
    answerHeaders: { allow: 'GET, POST' },
    json: { namespace: 'toy/v1', methods: ['GET', 'POST'] },
  },
  { label: 'OPTIONS of an unknown route', method: 'OPTIONS', path: '/wp-json/none', status: 200 },
  {
    label: 'a public route',
    path: '/wp-json/toy/v1/open',
    status: 200,
    json: { user: null },
    answerHeaders: { 'cache-control': null },
  },
];

const headers: readonly HostCase[] = [
  {
    label: 'headers of every REST answer',
    path: '/wp-json/toy/v1/open',
    status: 200,
    answerHeaders: {
      link: LINK,
      'x-robots-tag': 'noindex',
      'x-content-type-options': 'nosniff',
      'content-type': 'application/json; charset=UTF-8',
      'x-request-id': /^[0-9a-f-]{36}$/,
      'x-powered-by': null,
      etag: null,
      'strict-transport-security': null,
    },
  },
  {
    label: 'an error carries them too',
    path: '/wp-json/none',
    status: 404,
    answerHeaders: { link: LINK, 'x-robots-tag': 'noindex', 'x-request-id': /./ },
  },
  {
    label: 'whoever is logged in gets no cached answer',
    path: ECHO,
    loggedIn: true,
    status: 200,
    answerHeaders: { 'cache-control': PRIVATE },
  },
  {
    label: 'a sane request id is kept',
    path: '/wp-json/',
    headers: { 'X-Request-Id': 'job-7.a:1' },
    status: 200,
    answerHeaders: { 'x-request-id': 'job-7.a:1' },
  },
  {
    label: 'another request id is replaced',
    path: '/wp-json/',
    headers: { 'X-Request-Id': 'a b' },
    status: 200,
    answerHeaders: { 'x-request-id': /^[0-9a-f-]{36}$/ },
  },
  {
    label: 'CORS echoes the origin and exposes what a client reads',
    path: '/wp-json/toy/v1/open',
    headers: { Origin: 'https://app.example' },
    status: 200,
    answerHeaders: {
      'access-control-allow-origin': 'https://app.example',
      'access-control-expose-headers': EXPOSED,
      vary: /Origin/,
    },
  },
  {
    label: 'CORS preflight',
    method: 'OPTIONS',
    path: ECHO,
    headers: {
      Origin: 'https://app.example',
      'Access-Control-Request-Method': 'POST',
      'Access-Control-Request-Headers': 'authorization,content-type',
    },
    status: 200,
    answerHeaders: {
      'access-control-allow-origin': 'https://app.example',
      'access-control-allow-methods': /POST/,
      'access-control-allow-headers': /Authorization.*Content-Type/,
    },
  },
  {
    label: 'CORS on an error',
    path: ECHO,
    headers: { Origin: 'https://app.example' },
    status: 401,
    answerHeaders: { 'access-control-allow-origin': 'https://app.example' },
  },
];

const refusals: readonly HostCase[] = [
  {
    label: 'no login, in the words of the namespace',
    path: ECHO,
    status: 401,
    answerHeaders: { 'www-authenticate': 'Basic realm="Test host", charset="UTF-8"' },
    json: { toy: { kind: 'unauthorized' }, path: '/echo' },
  },
  {
    label: 'no login box for a page (Sec-Fetch-Mode)',
    path: ECHO,
    headers: { 'Sec-Fetch-Mode': 'cors' },
    status: 401,
    answerHeaders: { 'www-authenticate': null },
  },
  {
    label: 'no login box for a page (cookie)',
    path: ECHO,
    headers: { Cookie: 'a=b' },
    status: 401,
    answerHeaders: { 'www-authenticate': null },
  },
  {
    label: 'no login box for a page (nonce)',
    path: ECHO,
    headers: { 'X-WP-Nonce': 'x' },
    status: 401,
    answerHeaders: { 'www-authenticate': null },
  },
  {
    label: 'wrong credentials are refused on a public route too',
    path: '/wp-json/toy/v1/open',
    headers: { Authorization: 'Basic YTpi' },
    status: 401,
    json: { toy: { kind: 'unauthorized' } },
  },
  {
    label: 'wrong credentials on a host route, unknown user',
    path: '/wp-json/',
    headers: { Authorization: `Basic ${Buffer.from('nobody:x').toString('base64')}` },
    status: 401,
    json: { code: 'invalid_username', data: { status: 401 } },
  },
  {
    label: 'wrong credentials on a host route, wrong secret',
    path: '/wp-json/',
    headers: { Authorization: `Basic ${Buffer.from('ann:x').toString('base64')}` },
    status: 401,
    json: { code: 'incorrect_password', data: { status: 401 } },
  },
  {
    label: 'another scheme',
    path: ECHO,
    headers: { Authorization: 'Bearer abc' },
    status: 401,
    json: { toy: { kind: 'unauthorized' } },
  },
  {
    label: 'a route for others',
    method: 'POST',
    path: '/wp-json/toy/v1/admins',
    loggedIn: true,
    body: {},
    status: 403,
    json: { code: 'rest_forbidden', data: { status: 403 } },
  },
  {
    label: 'that route without login',
    method: 'POST',
    path: '/wp-json/toy/v1/admins',
    body: {},
    status: 401,
    json: { toy: { kind: 'unauthorized' } },
  },
];

const JSON_TYPES = [
  'application/json',
  'application/json; charset=utf-8',
  'APPLICATION/JSON;charset="UTF-8"',
  'application/vnd.x+json',
];
const OTHER_TYPES = [
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/jsonp',
  'application/json; charset=utf-16',
];

const bodies: readonly HostCase[] = [
  ...JSON_TYPES.map(
    (type): HostCase => ({
      label: `body as ${type}`,
      method: 'POST',
      path: ECHO,
      loggedIn: true,
      headers: { 'Content-Type': type },
      body: '{"a":1}',
      status: 200,
      json: { text: '{"a":1}' },
    }),
  ),
  ...OTHER_TYPES.map(
    (type): HostCase => ({
      label: `body as ${type}`,
      method: 'POST',
      path: ECHO,
      loggedIn: true,
      headers: { 'Content-Type': type },
      body: '{"a":1}',
      status: 400,
      json: { toy: { kind: 'not-json', reason: expect.stringMatching(/^The body is .*\.$/) } },
    }),
  ),
  {
    label: 'a compressed body',
    method: 'POST',
    path: ECHO,
    loggedIn: true,
    headers: { 'Content-Encoding': 'gzip' },
    body: 'x',
    status: 400,
    json: { toy: { kind: 'not-json' } },
  },
  {
    label: 'an empty body is the extension\u2019s affair',
    method: 'POST',
    path: ECHO,
    loggedIn: true,
    body: '',
    status: 200,
    json: { text: '' },
  },
  {
    label: 'broken JSON is the extension\u2019s affair',
    method: 'POST',
    path: ECHO,
    loggedIn: true,
    body: '{',
    status: 200,
    json: { text: '{' },
  },
  {
    label: 'UTF-8 survives',
    method: 'POST',
    path: ECHO,
    loggedIn: true,
    body: '"caf\u00e9 \u65e5\u672c"',
    status: 200,
    json: { text: '"caf\u00e9 \u65e5\u672c"' },
  },
  {
    label: 'a body of the greatest size',
    method: 'POST',
    path: ECHO,
    loggedIn: true,
    body: 'x'.repeat(262_144),
    status: 200,
  },
  {
    label: 'one byte more',
    method: 'POST',
    path: ECHO,
    loggedIn: true,
    body: 'x'.repeat(262_145),
    status: 413,
    json: { toy: { kind: 'body-too-large', limitBytes: 262_144 } },
  },
  {
    label: 'login comes before the size',
    method: 'POST',
    path: ECHO,
    body: 'x'.repeat(262_145),
    status: 401,
  },
  {
    label: 'login comes before the type',
    method: 'POST',
    path: ECHO,
    headers: { 'Content-Type': 'text/plain' },
    body: 'x',
    status: 401,
  },
];

const pages: readonly HostCase[] = [
  {
    label: 'front page',
    path: '/',
    status: 200,
    answerHeaders: { link: LINK },
    text: /Test host.*\n.*{root}/,
  },
  { label: 'front page, HEAD', method: 'HEAD', path: '/', status: 200, answerHeaders: { link: LINK } },
  { label: 'alive', path: '/healthz', status: 200, text: 'ok\n' },
  { label: 'ready', path: '/readyz', status: 200, text: 'ok\n' },
  { label: 'nothing there', path: '/none', status: 404, text: /The REST interface is at {root}/ },
  { label: 'an address that cannot be decoded', path: '/%', status: 404 },
];

export const hostCases: readonly HostCase[] = [
  ...addresses,
  ...queries,
  ...routing,
  ...headers,
  ...refusals,
  ...bodies,
  ...pages,
];
