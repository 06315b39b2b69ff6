// The forms of one address that clients use.
import { routeAddressOf } from '../../host-shim/rest/route-address';

const found: readonly (readonly [string, string, Record<string, string>])[] = [
  ['/wp-json', '/', {}],
  ['/wp-json/', '/', {}],
  ['/wp-json/ns/query', '/ns/query', {}],
  ['/wp-json/ns/query/', '/ns/query', {}],
  ['/wp-json/NS/Query', '/ns/query', {}],
  ['/wp-json//ns//query', '/ns/query', {}],
  ['/wp-json/%6es/query', '/ns/query', {}],
  ['/wp-json/ns/%', '/ns/%', {}],
  ['/wp-json/ns/query?version=latest&x=1+2', '/ns/query', { version: 'latest', x: '1 2' }],
  ['/wp-json/ns/query?x=1&x=2', '/ns/query', { x: '2' }],
  ['http://stats.example:8080/wp-json/ns/query?x=1', '/ns/query', { x: '1' }],
  ['HTTP://stats.example?rest_route=/ns/query', '/ns/query', {}],
  ['/?rest_route=/ns/query', '/ns/query', {}],
  ['/?rest_route=%2Fns%2Fquery%2F&version=latest', '/ns/query', { version: 'latest' }],
  ['/?version=latest&rest_route=ns/query', '/ns/query', { version: 'latest' }],
  ['/index.php?rest_route=/ns/query', '/ns/query', {}],
  ['/index.php?rest_route=/', '/', {}],
  ['/?rest_route=/ns/query/?version=2025-10-20', '/ns/query', { version: '2025-10-20' }],
  ['/?rest_route=/ns/query?version=2025-10-20&x=1', '/ns/query', { version: '2025-10-20', x: '1' }],
];

test.each(found)('%s', (url, route, query) => {
  expect(routeAddressOf(url, '/wp-json')).toEqual({ route, query });
});

test.each(['/', '/?rest_route=', '/index.php', '/wp-jsonx/ns', '/other?rest_route=/ns', '/healthz'])(
  '%s is no REST address',
  (url) => {
    expect(routeAddressOf(url, '/wp-json')).toBeUndefined();
  },
);

test('a parameter named __proto__ is a parameter', () => {
  const address = routeAddressOf('/wp-json/ns?__proto__=x', '/wp-json');
  expect(Object.keys(address?.query ?? {})).toEqual(['__proto__']);
  expect(Object.getPrototypeOf(address?.query)).toBe(Object.prototype);
});
