// The forms of a route's URL that clients use.
import {
  asTexts,
  listOf,
  readQuery,
  routeAddressOf,
  textOf,
  writeQuery,
} from '../../host-shim/rest/route-address';

const found: readonly (readonly [string, string, Record<string, string | string[]>])[] = [
  ['/wp-json', '/', {}],
  ['/wp-json/', '/', {}],
  ['/wp-json/ns/query', '/ns/query', {}],
  ['/wp-json/ns/query/', '/ns/query', {}],
  ['/wp-json/NS/Query', '/NS/Query', {}],
  ['/wp-json//ns//query', '/ns/query', {}],
  ['/wp-json/%6es/query', '/ns/query', {}],
  ['/wp-json/ns/%', '/ns/%', {}],
  ['/wp-json/ns/query?version=latest&x=1+2', '/ns/query', { version: 'latest', x: '1 2' }],
  [Buffer.from('/wp-json/ns/query?x=ü日').toString('latin1'), '/ns/query', { x: 'ü日' }],
  ['/wp-json/ns/query?x=\xff', '/ns/query', { x: '\ufffd' }],
  ['/wp-json/ns/query?x=1&x=2', '/ns/query', { x: '2' }],
  ['/wp-json/ns?a[]=1&b[]=x&a[]=2', '/ns', { a: ['1', '2'], b: ['x'] }],
  ['/wp-json/ns?a[0]=1&a%5Bx%5D=2', '/ns', { a: ['1', '2'] }],
  ['/wp-json/ns?a[]=1&a=2', '/ns', { a: '2' }],
  ['/wp-json/ns?a=1&a[]=2', '/ns', { a: ['2'] }],
  ['//wp-json/ns/query?x=1', '/ns/query', { x: '1' }],
  ['///wp-json//ns/query', '/ns/query', {}],
  ['/index.php/wp-json/ns/query', '/ns/query', {}],
  ['//?rest_route=/ns/query', '/ns/query', {}],
  ['//index.php?rest_route=/ns/query', '/ns/query', {}],
  ['/index.php/?rest_route=/ns/query', '/ns/query', {}],
  ['http://stats.example//wp-json/ns/query', '/ns/query', {}],
  ['/?rest_route[]=/ns/query', '/ns/query', {}],
  ['/?rest_route=/ns/query/?_wpnonce=n&a[]=1', '/ns/query', { _wpnonce: 'n', a: ['1'] }],
  ['http://stats.example:8080/wp-json/ns/query?x=1', '/ns/query', { x: '1' }],
  ['HTTP://stats.example?rest_route=/ns/query', '/ns/query', {}],
  // conformance: host.rest-route-index
  ['/?rest_route=/ns/query', '/ns/query', {}],
  ['/?rest_route=%2Fns%2Fquery%2F&version=latest', '/ns/query', { version: 'latest' }],
  ['/?version=latest&rest_route=ns/query', '/ns/query', { version: 'latest' }],
  // conformance: host.rest-route-index
  ['/index.php?rest_route=/ns/query', '/ns/query', {}],
  ['/index.php?rest_route=/', '/', {}],
  ['/?rest_route=/ns/query/?version=2025-10-20', '/ns/query', { version: '2025-10-20' }],
  ['/?rest_route=/ns/query?version=2025-10-20&x=1', '/ns/query', { version: '2025-10-20', x: '1' }],
];

test.each(found)('%s', (url, route, query) => {
  expect(routeAddressOf(url, '/wp-json')).toEqual({ route, query });
});

test.each(['/', '/?rest_route=', '/index.php', '/wp-jsonx/ns', '/other?rest_route=/ns', '/healthz'])(
  '%s is not a REST address',
  (url) => {
    expect(routeAddressOf(url, '/wp-json')).toBeUndefined();
  },
);

test('a parameter named __proto__ is an ordinary parameter', () => {
  const address = routeAddressOf('/wp-json/ns?__proto__=x', '/wp-json');
  expect(Object.keys(address?.query ?? {})).toEqual(['__proto__']);
  expect(Object.getPrototypeOf(address?.query)).toBe(Object.prototype);
});

test('reads strings and lists, and converts the query back to a string', () => {
  const query = readQuery('a=x,y+z&b[]=1&b[]=2%2C3');
  expect([textOf(query, 'a'), textOf(query, 'b'), textOf(query, 'toString')]).toEqual([
    'x,y z',
    undefined,
    undefined,
  ]);
  expect([listOf(query, 'a'), listOf(query, 'b'), listOf(query, 'c')]).toEqual([
    ['x', 'y', 'z'],
    ['1', '2', '3'],
    undefined,
  ]);
  expect(readQuery(writeQuery(query))).toEqual(query);
});

test('a list that is written as text cannot be mistaken for a string', () => {
  expect(asTexts(readQuery('version[]=latest&x=1'))).toEqual({ version: '["latest"]', x: '1' });
});
