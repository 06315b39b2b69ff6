// The effects of server settings on responses.

import type { TestHostOptions } from '../support/test-host';
import { ROWS, startContractHost } from './contracts/contract-host';

const QUERY = '/wp-json/qa-platform/query';

async function ask(options: TestHostOptions, path: string, body: object) {
  const host = await startContractHost(options);
  try {
    return await host.request('POST', path, { user: host.credentials('ann'), body });
  } finally {
    await host.stop();
  }
}

// conformance: contracts.third-envelope-head
test('the default envelope can be changed', async () => {
  const { body } = await ask({ settings: { responseEnvelope: 'data' } }, QUERY, ROWS);
  expect(body.meta).toEqual({ total_count: 6, returned_count: 2, limit: 2, truncated: true, cached: false });
  expect(body.data).toEqual([
    { pv_id: 1, url: '/' },
    { pv_id: 2, url: '/a' },
  ]);
});

// conformance: host.prefix-wp-json
test('the prefix and the namespace can be changed', async () => {
  const options = { restPrefix: '/api', settings: { namespace: 'stats' } };
  expect((await ask(options, '/api/stats/query', ROWS)).status).toBe(200);
  expect((await ask(options, QUERY, ROWS)).status).toBe(404);
});
