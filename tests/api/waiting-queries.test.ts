// A query that waits for a slot is canceled when its client disconnects.
import { request } from 'node:http';
import os from 'node:os';
import type { TestHost } from '../support/test-host';
import { until } from '../support/until';
import { ask, QUERY, ROWS, startContractHost } from './contracts/contract-host';

const TOKEN = 'a-token-for-this-test';
const VERSION = '2026-05-11';

const queryOf = (limit: number) => ({
  ...ROWS,
  materials: [{ name: 'gsc' }],
  make: { rows: { from: ['gsc'], keep: ['gsc.page_id', 'gsc.keyword'] } },
  result: { use: 'rows', limit },
});

let host: TestHost;
beforeAll(async () => {
  const settings = { queriesAtOnce: 1, queriesPerUser: 1, queriesWaiting: 1, resultCacheMb: 0 };
  host = await startContractHost({ settings, metricsToken: TOKEN });
  // The server checks once, without taking a slot, which datasets are empty.
  for (const login of ['ann', 'bob']) expect((await ask(host, VERSION, queryOf(1), login)).status).toBe(200);
});
afterAll(() => host.stop());

async function queue(): Promise<string> {
  const headers = { Authorization: `Bearer ${TOKEN}` };
  const { text } = await host.request('GET', '/metrics', { headers });
  const numberOf = (state: string) =>
    new RegExp(`qal_queue_length\\{queue="queries",state="${state}"\\} (\\d+)`).exec(text)?.[1];
  return `${numberOf('running')} running, ${numberOf('waiting')} waiting`;
}

const untilQueue = (state: string) => until(async () => (await queue()) === state);

/** Sends a query, and returns a function that disconnects the client. */
function askAndLeave(login: string, format: string): () => void {
  const { login: user, secret } = host.credentials(login);
  const sending = request(`${host.url}${QUERY}?version=${VERSION}&format=${format}`, {
    method: 'POST',
    auth: `${user}:${secret}`,
    headers: { 'Content-Type': 'application/json' },
  });
  sending.on('error', () => undefined);
  sending.end(JSON.stringify(queryOf(3)));
  return () => sending.destroy();
}

test.each(['json', 'csv', 'parquet'])(
  'a waiting query for %s leaves the queue when its client disconnects',
  async (format) => {
    // The queries for the metrics do not read this table.
    const [first, second] = await host.database.write.transaction(async (transaction) => {
      await transaction.raw('LOCK TABLE analytics.search_day IN ACCESS EXCLUSIVE MODE');
      const running = ask(host, VERSION, queryOf(1), 'ann');
      await untilQueue('1 running, 0 waiting');
      const leave = askAndLeave('bob', format);
      await untilQueue('1 running, 1 waiting');
      leave();
      await untilQueue('1 running, 0 waiting');
      // The queue has room for only one query, so this one would be rejected if the first one were still waiting.
      const waiting = ask(host, VERSION, queryOf(2), 'ann');
      await untilQueue('1 running, 1 waiting');
      return [running, waiting];
    });
    expect((await first).status).toBe(200);
    expect((await second).status).toBe(200);
    await untilQueue('0 running, 0 waiting');
    expect(host.logged.filter(({ level }) => Number(level) >= 40)).toEqual([]);
  },
);

test('a query whose rows cannot be written to a file releases its slot', async () => {
  const folder = jest.spyOn(os, 'tmpdir').mockReturnValue('/nonexistent');
  expect((await ask(host, `${VERSION}&format=parquet`, queryOf(1), 'ann')).status).toBe(500);
  folder.mockRestore();
  await untilQueue('0 running, 0 waiting');
});
