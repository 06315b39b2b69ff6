// More queries than the server runs at once: others wait, up to a limit, and quick requests continue.

import type { TestHost } from '../support/test-host';
import { ask, ROWS, startContractHost, VERSIONS, whileLocked } from './contracts/contract-host';

let host: TestHost;

beforeAll(async () => {
  const settings = { queriesAtOnce: 2, queriesPerUser: 1, queriesWaiting: 1, resultCacheMb: 0 };
  host = await startContractHost({ settings });
});
afterAll(() => host.stop());

const WORDS = {
  code: 'E_UNAVAILABLE',
  message: 'The query was not run: too many others are running or waiting.',
};
const HINT = 'Send the same request again in 5 seconds.';
const REFUSED = {
  '2025-10-20': { ...WORDS, data: { status: 503, hint: HINT, retry_after_seconds: 5 } },
  '2026-05-11': { ok: false, error: { ...WORDS, hint: HINT, details: { retry_after_seconds: 5 } } },
} as const;

// conformance: host.one-user-does
test.each(VERSIONS)(
  "%s: one user's queries run, wait and are refused while another user's run",
  async (version) => {
    const { asked, refused, cheap } = await whileLocked(host.database.write, async () => {
      // All except the refused one wait for the table.
      const asked = ['ann', 'ann', 'ann', 'bob'].map((login) => ask(host, version, ROWS, login));
      const refused = await Promise.race(asked);
      const cheap = await host.request('GET', '/wp-json/wp/v2/users/me', { user: 'ann' });
      return { asked, refused, cheap };
    });
    expect(refused.body).toEqual(REFUSED[version]);
    expect(refused.headers['retry-after']).toBe('5');
    expect(cheap.status).toBe(200);
    const [first, second, third, other] = (await Promise.all(asked)).map(({ status }) => status);
    expect([[first, second, third].sort(), other]).toEqual([[200, 200, 503], 200]);
    expect(host.logged.filter(({ level }) => Number(level) >= 40)).toEqual([]);
  },
);
