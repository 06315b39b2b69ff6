// More queries than the server runs at once: up to a limit, they wait, and quick requests are still answered. An overloaded
// server rejects queries.
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import type { TestHost } from '../support/test-host';
import {
  ask,
  bodiesOf,
  QUERY,
  ROWS,
  startContractHost,
  VERSIONS,
  whileLocked,
} from './contracts/contract-host';

let host: TestHost;

beforeAll(async () => {
  const settings = { queriesAtOnce: 2, queriesPerUser: 1, queriesWaiting: 1, resultCacheMb: 0 };
  host = await startContractHost({ settings });
});
afterAll(() => host.stop());

const ERROR = {
  code: 'E_UNAVAILABLE',
  message: 'The query was not run: too many others are running or waiting.',
};
const HINT = 'Send the same request again in 5 seconds.';
const REJECTION = {
  '2025-10-20': { ...ERROR, data: { status: 503, hint: HINT, retry_after_seconds: 5 } },
  '2026-05-11': { ok: false, error: { ...ERROR, hint: HINT, details: { retry_after_seconds: 5 } } },
} as const;

// conformance: host.one-user-does
test.each(VERSIONS)(
  "%s: one user's queries run, wait or are rejected while another user's query runs",
  async (version) => {
    const { requests, refused, cheap } = await whileLocked(host.database.write, async () => {
      // All of them wait for the table, except the rejected one.
      const requests = ['ann', 'ann', 'ann', 'bob'].map((login) => ask(host, version, ROWS, login));
      const refused = await Promise.race(requests);
      const cheap = await host.request('GET', '/wp-json/wp/v2/users/me', { user: 'ann' });
      return { requests, refused, cheap };
    });
    expect(refused.body).toEqual(REJECTION[version]);
    expect(refused.headers['retry-after']).toBe('5');
    expect(cheap.status).toBe(200);
    const [first, second, third, other] = (await Promise.all(requests)).map(({ status }) => status);
    expect([[first, second, third].sort(), other]).toEqual([[200, 200, 503], 200]);
    expect(host.logged.filter(({ level }) => Number(level) >= 40)).toEqual([]);
  },
);

describe('on an overloaded server', () => {
  let overloaded: TestHost;
  let unanswered = 0;
  let isFull = false;
  beforeAll(async () => {
    overloaded = await startContractHost({
      admitQuery() {
        if (isFull) return undefined;
        unanswered += 1;
        return () => {
          unanswered -= 1;
        };
      },
    });
  });
  beforeEach(() => {
    isFull = true;
  });
  afterAll(() => overloaded.stop());

  const MESSAGE = 'The query was not run: the server is overloaded.';

  // conformance: code.e-unavailable-503
  test.each(VERSIONS)('%s: a query is rejected before its caller is authenticated', async (version) => {
    const { body, status, headers } = await overloaded.request('POST', `${QUERY}?version=${version}`, {
      body: ROWS,
    });
    expect({ status, wait: headers['retry-after'] }).toEqual({ status: 503, wait: '5' });
    expect(bodiesOf(version).error.safeParse(body).error).toBeUndefined();
    expect(JSON.stringify(body)).toContain(MESSAGE);
  });

  test('a rejected request keeps its connection open', async () => {
    const agent = new Agent({ keepAlive: true });
    const body = JSON.stringify(ROWS);
    const headers = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) };
    const sending = request(`${overloaded.url}${QUERY}`, { method: 'POST', headers, agent });
    sending.end(body);
    const [answer]: IncomingMessage[] = await once(sending, 'response');
    answer?.resume();
    expect([answer?.statusCode, answer?.headers.connection]).toEqual([503, 'keep-alive']);
    agent.destroy();
  });

  test('calls from AI clients and pages are also rejected', async () => {
    const paths = ['qa-platform/mcp', 'qa-platform-pages/dashboard', 'qa-platform-pages/explain'];
    for (const path of paths) {
      const { status, text } = await overloaded.request('POST', `/wp-json/${path}`, { body: {} });
      expect([status, text]).toEqual([503, expect.stringContaining(MESSAGE)]);
    }
  });

  test('requests for the guide and accounts are still answered', async () => {
    const guide = await overloaded.request('GET', '/wp-json/qa-platform/guide', { user: 'ann' });
    const me = await overloaded.request('GET', '/wp-json/wp/v2/users/me', { user: 'ann' });
    expect([guide.status, me.status]).toEqual([200, 200]);
  });

  test('a request no longer counts toward the load once it is answered, whatever its status', async () => {
    isFull = false;
    await ask(overloaded, 'latest', ROWS);
    await ask(overloaded, 'latest', '{');
    await overloaded.request('POST', `${QUERY}?version=latest&format=csv`, { user: 'ann', body: ROWS });
    await overloaded.request('POST', QUERY, { body: ROWS });
    expect(unanswered).toBe(0);
  });
});
