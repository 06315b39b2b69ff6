// The number of returned rows: 1,000 by default, and at most 50,000. The total always counts all rows.

import type { TestHost } from '../support/test-host';
import { ask, ROWS, startContractHost } from './contracts/contract-host';

const VIEWS = 1_005;
const LIST = { ...ROWS, tracking_id: 'quiet', make: { rows: { from: ['allpv'], keep: ['allpv.pv_id'] } } };

let host: TestHost;
beforeAll(async () => {
  host = await startContractHost();
  const rows = Array.from({ length: VIEWS }, (_, index) => ({
    url: '/',
    access_time: `2026-05-02T00:${String(Math.floor(index / 60)).padStart(2, '0')}:${String(index % 60).padStart(2, '0')}Z`,
    device_type: 'PC',
  }));
  await host.importRows('allpv', 'quiet', rows);
});
afterAll(() => host.stop());

describe.each(['2025-10-20', '2026-05-11'])('%s', (version) => {
  const rowsOf = async (result: object): Promise<number> => {
    const { status, body } = await ask(host, version, { ...LIST, result });
    expect(status).toBe(200);
    return (body.data ?? body.result.rows).length;
  };

  // conformance: result.limit, limit.limit-initial-level-manifest, answer.limit
  test('without a limit, a thousand rows are returned', async () => {
    expect(await rowsOf({ use: 'rows' })).toBe(1000);
  });

  // conformance: limit.limit-initial-level-manifest, contracts.inline-cap-5000
  test('up to 50000 rows can be requested', async () => {
    expect(await rowsOf({ use: 'rows', limit: 50_000 })).toBe(VIEWS);
    expect((await ask(host, version, { ...LIST, result: { use: 'rows', limit: 50_001 } })).status).toBe(400);
  });

  test('the smallest limit is one row', async () => {
    expect(await rowsOf({ use: 'rows', limit: 1 })).toBe(1);
    expect((await ask(host, version, { ...LIST, result: { use: 'rows', limit: 0 } })).status).toBe(400);
  });
});
