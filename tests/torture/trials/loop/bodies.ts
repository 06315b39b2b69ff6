// The slowest requests of each kind that a client can send: as large as allowed, and designed to be slow.
import { BASE, QUERIES, queryBodies, repeated } from './query-bodies';

export interface Attempt {
  readonly kind: string;
  readonly name: string;
  readonly path: string;
  /** `key` is an application password that may import; `page` is a session with its nonce. */
  readonly as: 'key' | 'page';
  readonly body?: string;
  readonly type?: string;
}

const QUERY = '/wp-json/qa-platform/query';

const mcp = (name: string, args: object) =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } });

const TIME = '2026-05-01T10:00:00Z';
const MB = 1_000_000;
const VISIT = (actions: string) =>
  `[{"idVisit":1,"visitorId":"a","serverTimestamp":1777629600,"actionDetails":[${actions}]}]`;
const LINE = (agent: string, path = '/') =>
  `203.0.113.7 - - [01/May/2026:10:00:00 +0000] "GET ${path} HTTP/1.1" 200 1 "-" "${agent}"\n`;
const W3C = '#Fields: date time cs-method cs-uri-stem cs(User-Agent)\n';
const ROW = JSON.stringify({ url: 'https://a.example/', access_time: TIME, reader_id: 'r', session_id: 's' });
const names = (count: number, prefix: string) => Array.from({ length: count }, (_, place) => prefix + place);

/** `format` is the value of the `format` parameter in the URL. */
const UPLOADS: readonly (readonly [format: string, name: string, text: string])[] = [
  ['csv', 'valid rows', `url,access_time\n${repeated(`https://a.example/,${TIME}\n`, 2 * MB)}`],
  ['csv', 'invalid rows', `url,access_time\n${repeated('x\n', 2 * 99_000)}`],
  ['csv', 'an unclosed quote', `url,access_time\n"${repeated('\n', MB - 10)}`],
  ['csv', 'a long header', `${names(120_000, 'c').join()}\n1\n`],
  ['csv', 'a header with similar names', `${names(120_000, 'ur').join()}\n1\n`],
  [
    'csv',
    'long cells',
    `url,access_time\n${repeated(`https://a.example/${'x'.repeat(999_000)},${TIME}\n`, 4 * MB)}`,
  ],
  ['csv', 'rows with many cells', `url,access_time\n${repeated(`${repeated(',', 999_000)}\n`, 4 * MB)}`],
  ['csv', 'quotes', `url,access_time\n${repeated(`"${repeated('""', 999_000)}",1\n`, 4 * MB)}`],
  ['ndjson', 'valid rows', repeated(`${ROW}\n`, 2 * MB)],
  ['ndjson', 'invalid rows', repeated('{\n', 2 * 99_000)],
  ['ndjson', 'rows with an invalid value', repeated(`${ROW.replace(TIME, 'x')}\n`, 99_000 * ROW.length)],
  [
    'ndjson',
    'many keys',
    `{${names(45_000, 'k')
      .map((name) => `"${name}":1`)
      .join()}}\n`,
  ],
  [
    'ndjson',
    'many similar keys',
    `{${names(45_000, 'ur')
      .map((name) => `"${name}":1`)
      .join()}}\n`,
  ],
  ['ndjson', 'a key repeated many times', `{${repeated('"a":1,', 45_000 * 6)}"a":1}\n`],
  ['ndjson', 'deep values', repeated(`{"url":${'['.repeat(45_000)}${']'.repeat(45_000)}}\n`, 10 * 90_020)],
  ['ndjson', 'long numbers', repeated(`{"url":[${repeated('1.5e300,', 300_000)}1]}\n`, 10 * 300_030)],
  ['ndjson', 'escapes', repeated(`{"url":"${repeated('\\u0041', 990_000)}"}\n`, 4 * MB)],
  ['ndjson', 'many values', repeated(`{"a":[${repeated('{},', 990_000)}1]}\n`, 4 * MB)],
  [
    'matomo',
    'a visit with many actions',
    VISIT(`${repeated('{"type":"action","url":"https://a.example/","timestamp":1777629600},', 900_000)}1`),
  ],
  ['matomo', 'a visit with empty actions', VISIT(`${repeated('{},', 140_000)}1`)],
  [
    'matomo',
    'a visit with long strings',
    VISIT(
      repeated(
        `{"type":"action","url":"https://a.example/${'x'.repeat(9_000)}","pageTitle":"${'x'.repeat(9_000)}","timestamp":1777629600},`,
        3 * MB,
      ).slice(0, -1),
    ),
  ],
  ['matomo', 'a long element', `[{"a":"${repeated('x', 6 * MB)}`],
  ['search-console-api', 'a string outside the list', `{"a":"${repeated('x', 8 * MB)}","rows":[]}`],
  [
    'ga4',
    'parameters',
    repeated(
      `{"event_name":"page_view","event_timestamp":"1777629600000000","event_params":[${repeated('{"key":"a","value":{"int_value":"1"}},', 380_000)}{"key":"page_location","value":{"string_value":"https://a.example/"}}]}\n`,
      2 * MB,
    ),
  ],
  [
    'combined',
    'valid lines',
    repeated(LINE('Mozilla/5.0 (X11; Linux x86_64) Chrome/120.0 Safari/537.36'), 2 * MB),
  ],
  ['combined', 'lines that do not match', repeated('x\n', 2 * 99_000)],
  ['combined', 'long agents', repeated(LINE(repeated('Mozilla/5.0 (X) ', 999_000)), 4 * MB)],
  ['combined', 'long agents from a robot', repeated(LINE(repeated('a', 999_000)), 4 * MB)],
  [
    'combined',
    'different agents',
    Array.from({ length: 15_000 }, (_, place) =>
      LINE(`Mozilla/5.0 (X11; Linux x86_64) ${place} Chrome/${place}.0`),
    ).join(''),
  ],
  ['combined', 'long paths', repeated(LINE('Mozilla/5.0', `/${repeated('?a=&', 999_000)}`), 4 * MB)],
  ['combined', 'backslashes', repeated(LINE(repeated('\\\\', 990_000)), 4 * MB)],
  [
    'log:$user $user $user $user $user $user [$time] $path',
    'a pattern that could match in many ways',
    repeated('x ', 999_000),
  ],
  [
    'log:$remote_user [$time] $path',
    'an unterminated value',
    repeated(`${repeated(' [', 999_000)}\n`, 4 * MB),
  ],
  ['w3c', 'valid lines', `${W3C}${repeated('2026-05-01 10:00:00 GET / Mozilla/5.0\n', 2 * MB)}`],
  ['w3c', 'long lines', `${W3C}${repeated(`${repeated('x ', 999_000)}\n`, 4 * MB)}`],
  ['w3c', 'quotes', `${W3C}${repeated(`${repeated('"a', 999_000)}\n`, 4 * MB)}`],
  [
    'w3c',
    'quotes that are never closed',
    `${W3C}${repeated(`2026-05-01 10:00:00 GET / "${repeated('""', 998_000)}\n`, 4 * MB)}`,
  ],
  [
    'w3c',
    'long agents',
    `${W3C}${repeated(`2026-05-01 10:00:00 GET / ${repeated('%41', 990_000)}\n`, 4 * MB)}`,
  ],
  ['w3c', 'many fields', `#Fields: ${names(150_000, 'f').join(' ')}\n`],
];

const form = (fields: Readonly<Record<string, string>>) => new URLSearchParams(fields).toString();
const LONG_FORM = 500_000;
const FORMS: readonly (readonly [path: string, fields: Readonly<Record<string, string>>])[] = [
  ['/wp-admin/profile', { action: 'details', displayName: repeated('x', LONG_FORM) }],
  ['/wp-admin/profile', { action: 'password', oldPassword: 'x', newPassword: repeated('x', LONG_FORM) }],
  ['/wp-admin/profile', Object.fromEntries(names(60_000, 'f').map((name) => [name, '1']))],
  ['/wp-admin/application-passwords', { name: 'k', addresses: repeated('10.0.0.0/8,', LONG_FORM) }],
  ['/wp-admin/application-passwords', { name: 'k', sites: repeated('site0001,', LONG_FORM) }],
  [
    '/wp-admin/sites/add',
    { tracking_id: 'new', name: 'New', domain: repeated('new.example.', LONG_FORM), timezone: 'UTC' },
  ],
  [
    '/wp-admin/goals/site0001/add',
    {
      id: '2',
      name: 'Two',
      type: 'gtype_page',
      page_match: 'regex',
      page_url: repeated('(a|b)+', LONG_FORM / 2),
      action: 'count',
    },
  ],
  [
    '/wp-admin/goals/site0001/add',
    {
      id: '3',
      name: 'Three',
      type: 'gtype_event',
      event_name: 'e',
      event_params: repeated('a=b\n', LONG_FORM / 2),
      action: 'save',
    },
  ],
  [
    '/wp-admin/users/add',
    {
      login: 'new',
      displayName: 'N',
      email: repeated('n@example.', LONG_FORM),
      role: 'analyst',
      sites: repeated('site0001 ', 9),
    },
  ],
  ['/wp-login.php', { log: repeated('a', LONG_FORM / 2), pwd: repeated('a', LONG_FORM / 2) }],
];

const PAGES = [
  '/wp-admin/dashboard?site=site0001',
  '/wp-admin/sites',
  '/wp-admin/playground',
  '/wp-admin/users',
  '/wp-admin/imports',
  '/wp-admin/goals/site0001',
  '/wp-admin/goals',
  '/wp-admin/application-passwords',
  '/wp-admin/features',
  '/wp-admin/health',
];

export const ATTEMPTS: readonly Attempt[] = [
  ...queryBodies.flatMap(([name, body]): Attempt[] => [
    { kind: 'query', name, path: QUERY, as: 'key', body },
    { kind: 'check', name, path: `${QUERY}?check=1`, as: 'key', body },
  ]),
  ...Object.entries(QUERIES).flatMap(([name, query]): Attempt[] => [
    {
      kind: 'MCP call',
      name,
      path: '/wp-json/qa-platform/mcp',
      as: 'key',
      body: mcp('execute_query', { query: name.includes('nested') ? BASE : query }),
    },
  ]),
  ...UPLOADS.flatMap(([format, name, body]): Attempt[] =>
    ['skip', 'stop'].map((onError) => ({
      kind: 'upload',
      name: `${format.slice(0, 20)}, ${name}, ${onError}`,
      path: `/wp-json/qal-data/v1/import/${format.startsWith('search') ? 'gsc' : 'allpv'}?site=site0001&timezone=UTC&dry_run=true&on_error=${onError}&format=${encodeURIComponent(format)}`,
      as: 'key',
      body,
      type: 'application/octet-stream',
    })),
  ),
  {
    kind: 'upload',
    name: 'names in a map',
    path: `/wp-json/qal-data/v1/import/allpv?site=site0001&dry_run=true&map=${names(1_500, 'a').join('=url,')}`,
    as: 'key',
    body: 'a\n',
  },
  ...queryBodies.map(
    ([name, text]): Attempt => ({
      kind: 'saved query',
      name,
      path: '/wp-json/qa-platform-pages/saved-queries',
      as: 'page',
      body: JSON.stringify({ name: 'x', text: text.slice(0, 99_000), version: '2026-05-11', shared: false }),
    }),
  ),
  ...queryBodies.map(
    ([name, body]): Attempt => ({
      kind: 'explain',
      name,
      path: '/wp-json/qa-platform-pages/explain',
      as: 'page',
      body,
    }),
  ),
  ...FORMS.map(
    ([path, fields]): Attempt => ({
      kind: 'form',
      name: `${path} ${Object.keys(fields).at(-1)}`,
      path,
      as: 'page',
      body: form(fields),
      type: 'application/x-www-form-urlencoded',
    }),
  ),
  ...['', '&parts=sites', '&parts=compact', '&material=allpv'].map(
    (more): Attempt => ({
      kind: 'guide to 1,000 sites',
      name: more,
      path: `/wp-json/qa-platform/guide?version=latest${more}`,
      as: 'key',
    }),
  ),
  {
    kind: 'guide to 1,000 sites',
    name: 'old',
    path: '/wp-json/qa-platform/guide?version=2025-10-20',
    as: 'key',
  },
  {
    kind: 'guide to 1,000 sites',
    name: 'over MCP',
    path: '/wp-json/qa-platform/mcp',
    as: 'key',
    body: mcp('get_guide', {}),
  },
  ...PAGES.map((path): Attempt => ({ kind: 'list of 1,000 names', name: path, path, as: 'page' })),
  {
    kind: 'list of 1,000 names',
    name: 'catalogue',
    path: '/wp-json/qa-platform-pages/catalogue?tracking_id=site0001&version=latest',
    as: 'page',
  },
];
