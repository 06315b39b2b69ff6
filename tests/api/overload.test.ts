// More queries than the server runs at once: up to a limit, they wait, and quick requests are still answered. An overloaded
// server rejects queries.
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { basicHeader, type TestHost } from '../support/test-host';
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
const rejectionOf = (version: (typeof VERSIONS)[number], seconds: number) => {
  const hint = `Send the same request again in ${seconds} seconds.`;
  return {
    '2025-10-20': { ...ERROR, data: { status: 503, hint, retry_after_seconds: seconds } },
    '2026-05-11': { ok: false, error: { ...ERROR, hint, details: { retry_after_seconds: seconds } } },
  }[version];
};
/** In seconds. Rejected clients get different times, so that they do not all come back at once. */
const WAITS = Array.from({ length: 10 }, (_, more) => 5 + more);

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
    const seconds = Number(refused.headers['retry-after']);
    expect(WAITS).toContain(seconds);
    expect(refused.body).toEqual(rejectionOf(version, seconds));
    expect(cheap.status).toBe(200);
    const [first, second, third, other] = (await Promise.all(requests)).map(({ status }) => status);
    expect([[first, second, third].sort(), other]).toEqual([[200, 200, 503], 200]);
    expect(host.logged.filter(({ level }) => Number(level) >= 40)).toEqual([]);
  },
);

describe('on an overloaded server', () => {
  let overloaded: TestHost;
  let waiting = 0;
  let callers: string[] = [];
  let onAuthenticated = () => {};
  let isFull = false;
  beforeAll(async () => {
    overloaded = await startContractHost({
      admitQuery(caller) {
        callers.push(caller);
        if (isFull) return undefined;
        waiting += 1;
        return () => {
          waiting -= 1;
          onAuthenticated();
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
    expect(status).toBe(503);
    expect(WAITS).toContain(Number(headers['retry-after']));
    expect(bodiesOf(version).error.safeParse(body).error).toBeUndefined();
    expect(JSON.stringify(body)).toContain(MESSAGE);
  });

  async function askKept(agent: Agent): Promise<IncomingMessage | undefined> {
    const body = JSON.stringify(ROWS);
    const headers = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) };
    const sending = request(`${overloaded.url}${QUERY}`, { method: 'POST', headers, agent });
    sending.end(body);
    const [answer]: IncomingMessage[] = await once(sending, 'response');
    answer?.resume();
    return answer;
  }

  test('a rejected request keeps its connection open', async () => {
    const agent = new Agent({ keepAlive: true });
    const answer = await askKept(agent);
    expect([answer?.statusCode, answer?.headers.connection]).toEqual([503, 'keep-alive']);
    agent.destroy();
  });

  test('each of several requests that arrive together is rejected before the next one is read', async () => {
    const agent = new Agent({ keepAlive: true });
    const askTogether = () => Promise.all([askKept(agent), askKept(agent), askKept(agent)]);
    // Opens the connections.
    await askTogether();
    const events: string[] = [];
    const onRead = () => events.push('read');
    const onRejected = () => events.push('rejected');
    subscribe('http.server.request.start', onRead);
    subscribe('http.server.response.finish', onRejected);
    await askTogether();
    unsubscribe('http.server.request.start', onRead);
    unsubscribe('http.server.response.finish', onRejected);
    expect(events).toEqual(['read', 'rejected', 'read', 'rejected', 'read', 'rejected']);
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

  test('queries with different credentials, or from different addresses, are treated as those of different callers', async () => {
    callers = [];
    const body = ROWS;
    await overloaded.request('POST', QUERY, { body, user: 'ann' });
    await overloaded.request('POST', QUERY, { body, headers: { Cookie: 'session=1' } });
    await overloaded.request('POST', QUERY, { body });
    expect(callers).toEqual([basicHeader(overloaded.credentials('ann')), 'session=1', '127.0.0.1']);
  });

  test('a query no longer counts toward the load once its caller is authenticated, even if it runs for a long time', async () => {
    isFull = false;
    const { answer } = await whileLocked(overloaded.database.write, async () => {
      const authenticated = new Promise<void>((resolve) => {
        onAuthenticated = resolve;
      });
      const answer = ask(overloaded, 'latest', ROWS);
      await authenticated;
      expect(waiting).toBe(0);
      return { answer };
    });
    expect((await answer).status).toBe(200);
  });

  test('the same is true if it is rejected, whatever its status', async () => {
    isFull = false;
    await ask(overloaded, 'latest', '{');
    await overloaded.request('POST', `${QUERY}?version=latest&format=csv`, { user: 'ann', body: ROWS });
    await overloaded.request('POST', QUERY, { body: ROWS });
    expect(waiting).toBe(0);
  });
});
