// The API has two routes, one for the guide and one for queries, plus MCP, which uses both. It never writes, and it requires credentials.

import type { TestHost } from '../support/test-host';
import { GUIDE, QUERY, ROWS, startContractHost } from './contracts/contract-host';

let host: TestHost;
beforeAll(async () => {
  host = await startContractHost();
});
afterAll(() => host.stop());

// conformance: service.two-operations, events.emitted-service
test('the namespace contains only the guide, queries and MCP', async () => {
  const { body } = await host.request('GET', '/wp-json/qa-platform');
  expect(Object.keys(body.routes)).toEqual([
    '/qa-platform',
    '/qa-platform/guide',
    '/qa-platform/query',
    '/qa-platform/mcp',
  ]);
  expect(body.routes['/qa-platform/guide'].methods).toEqual(['GET']);
  expect(body.routes['/qa-platform/query'].methods).toEqual(['POST']);
});

test.each([
  ['PUT', GUIDE],
  ['DELETE', GUIDE],
  ['POST', GUIDE],
  ['PUT', QUERY],
  ['DELETE', QUERY],
  ['GET', QUERY],
  // conformance: service.read-interface, states.none-described
] as const)('%s %s is not a route', async (method, address) => {
  const { status, body } = await host.request(method, address, { user: host.credentials('ann'), body: ROWS });
  expect({ status, code: body.code }).toEqual({ status: 404, code: 'rest_no_route' });
});

// conformance: service.two-operations, version.tracking-id-required
test('the materials route of the first release does not exist', async () => {
  const { status } = await host.request('GET', '/wp-json/qa-platform/materials', {
    user: host.credentials('ann'),
  });
  expect(status).toBe(404);
});

test.each([
  ['GET', GUIDE, '2025-10-20'],
  ['GET', GUIDE, '2026-05-11'],
  ['POST', QUERY, '2025-10-20'],
  ['POST', QUERY, '2026-05-11'],
  // conformance: service.every-request-authenticated, endpoints.all-need-authentication
  // conformance: auth.missing-wrong-credentials, host.401-e-unauthorized
] as const)('%s %s under %s requires credentials', async (method, address, version) => {
  const payload = method === 'POST' ? { body: ROWS } : {};
  for (const auth of [{}, { user: { login: 'ann', secret: 'wrong' } }]) {
    const answer = await host.request(method, `${address}?version=${version}`, { ...payload, ...auth });
    expect(answer.status).toBe(401);
    expect(answer.headers['www-authenticate']).toMatch(/^Basic /);
    const error = version === '2025-10-20' ? answer.body : answer.body.error;
    expect(error.code).toBe('E_UNAUTHORIZED');
  }
});
