// How answers with many rows or long rows are shown to AI clients.
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { z } from 'zod';
import type { TestHost } from '../support/test-host';
import { siteId } from './contracts/contract-data';
import { fillQuiet, ROWS, startContractHost } from './contracts/contract-host';
import { connectOverHttp } from './mcp-client';

let host: TestHost;
let ann: Awaited<ReturnType<typeof connectOverHttp>>;
const clients: Client[] = [];
beforeAll(async () => {
  host = await startContractHost();
  await fillQuiet(host.database.write, 300);
  ann = await connectOverHttp(host, 'ann', clients);
});
afterAll(async () => {
  await Promise.all(clients.map((client) => client.close()));
  await host.stop();
});

const ask = (keep: readonly string[], result: object = {}) => {
  const make = { rows: { from: ['allpv'], keep } };
  return ann.call('qa_execute_query', {
    query: { ...ROWS, tracking_id: 'quiet', make, result: { use: 'rows', ...result } },
  });
};
const rowsIn = (data: unknown) => z.object({ rows: z.array(z.array(z.unknown())) }).parse(data).rows;

// conformance: beyond.mcp
test('a large answer contains its first 200 rows as text and as data, and explains how to get the rest', async () => {
  const { text, data } = await ask(['allpv.pv_id']);
  expect(rowsIn(data)).toEqual(Array.from({ length: 200 }, (_, index) => [index + 1]));
  expect(data).toMatchObject({ left_out: 100, truncated: false });
  const [head, left, columns, ...lines] = text.split('\n');
  expect([head, columns, lines.length]).toEqual(['300 rows of rows', 'pv_id', 200]);
  expect(left).toBe(
    `Only the first 200 are shown. To read the other 100, aggregate them with calc, or keep fewer columns; or read on with "offset": 200 in result; or get all rows as CSV: POST ${host.url}/wp-json/qa-platform/query?version=latest&format=csv.`,
  );
});

test('a large answer can be continued at the offset given in its text', async () => {
  const { text, data } = await ask(['allpv.pv_id'], { offset: 200 });
  expect(rowsIn(data)).toEqual(Array.from({ length: 100 }, (_, index) => [index + 201]));
  expect(data).toMatchObject({ left_out: 0, offset: 200 });
  expect(text).not.toContain('shown');
});

test('an answer contains fewer rows if the rows are long', async () => {
  await setUrl('u'.repeat(1_000));
  const { text, data } = await ask(['allpv.pv_id', 'allpv.url']);
  expect(rowsIn(data).length).toBeGreaterThan(20);
  expect(rowsIn(data).length).toBeLessThan(25);
  expect(Buffer.byteLength(text)).toBeLessThan(25_000);
  expect(text).toContain(`"offset": ${rowsIn(data).length} in result`);
});

test('an answer contains no rows if the first one is too long', async () => {
  await setUrl('u'.repeat(30_000));
  const { text, data } = await ask(['allpv.pv_id', 'allpv.url']);
  expect(data).toMatchObject({ rows: [], left_out: 300 });
  expect(text).toContain('Not shown, because a row is too long. To read the rows, aggregate them with calc');
  expect(text).not.toContain('offset');
});

test('the limit on the size of an answer does not apply to the rows that samples are taken from', async () => {
  const small = await startContractHost({ settings: { maxAnswerBytes: 10 } });
  const opened: Client[] = [];
  const { call } = await connectOverHttp(small, 'ann', opened);
  const described = await call('qa_describe_dataset', { dataset: 'allpv', tracking_id: 'shop' });
  const answered = await call('qa_execute_query', { query: ROWS });
  await Promise.all(opened.map((client) => client.close()));
  await small.stop();
  expect(described.text).toContain('sample values from shop');
  expect(answered.text).toContain('E_QUERY_TOO_LARGE');
});

async function setUrl(url: string): Promise<void> {
  const { write } = host.database;
  await write.raw(
    `INSERT INTO analytics.page (site_id, page_id, url, text_key)
     SELECT ${siteId('quiet')}, page_id, ?, text_key FROM analytics.page_view v JOIN analytics.page USING (site_id, page_id)
      WHERE v.site_id = ${siteId('shop')} AND v.pv_id = 1
     ON CONFLICT (site_id, page_id) DO UPDATE SET url = excluded.url`,
    [url],
  );
}
