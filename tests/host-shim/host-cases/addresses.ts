// Every form of URL that clients use leads to the same route.
import type { Clause, HostCase } from '../host-case';

const ECHO = '/wp-json/toy/v1/echo';

const ROUTES: readonly (readonly [string, Clause])[] = [
  [ECHO, '3 /wp-json'],
  [`${ECHO}/`, '3 trailing slash'],
  ['/wp-json/Toy/V1/ECHO', '3 any case'],
  ['/wp-json//toy/v1/echo', '3 doubled slashes'],
  ['//wp-json/toy/v1/echo', '3 doubled slashes'],
  ['/?rest_route=/toy/v1/echo', '3 /?rest_route'],
  ['/?rest_route=%2Ftoy%2Fv1%2Fecho%2F', '3 /?rest_route'],
  ['//?rest_route=/toy/v1/echo', '3 doubled slashes'],
  ['/index.php?rest_route=/toy/v1/echo/', '3 /index.php'],
  ['/index.php/?rest_route=/toy/v1/echo', '3 /index.php'],
  ['/index.php/wp-json/toy/v1/echo', '3 /index.php'],
];

const routes = ROUTES.map(
  ([path, clause]): HostCase => ({
    line: 3,
    label: `address ${path}`,
    clauses: [clause],
    path,
    as: 'ann',
    status: 200,
    json: { path: '/echo', query: {} },
  }),
);

const QUERIES: readonly (readonly [string, Clause])[] = [
  [`${ECHO}?version=latest`, '3 /wp-json'],
  ['/?rest_route=/toy/v1/echo&version=latest', '3 /?rest_route'],
  ['/?rest_route=/toy/v1/echo/?version=latest', '3 second ?'],
  ['/index.php?rest_route=/toy/v1/echo?version=latest', '3 second ?'],
];

const queries = QUERIES.map(
  ([path, clause]): HostCase => ({
    line: 3,
    label: `the query in ${path}`,
    clauses: [clause],
    path,
    as: 'ann',
    status: 200,
    json: { query: { version: 'latest' } },
  }),
);

const lists: readonly HostCase[] = [
  {
    line: 3,
    // conformance: host.list-where-text
    label: 'a list in place of a string is passed on as JSON text',
    path: `${ECHO}?version[]=latest`,
    as: 'ann',
    status: 200,
    json: { query: { version: '["latest"]' } },
  },
];

export const addressCases: readonly HostCase[] = [...routes, ...queries, ...lists];
