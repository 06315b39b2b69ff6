// The response time of a rejected login does not reveal whether a user exists: the same statements run in both cases.
import { Client } from 'pg';
import type { TestHost } from '../support/test-host';
import { GUIDE, startContractHost } from './contracts/contract-host';

let host: TestHost;
beforeAll(async () => {
  host = await startContractHost();
});
afterAll(() => host.stop());

/** The statements on the host's tables that a login attempt runs, on either pool. */
async function statementsOf(login: string): Promise<readonly string[]> {
  const query = jest.spyOn(Client.prototype, 'query');
  const { status } = await host.request('GET', GUIDE, { user: { login, secret: 'x'.repeat(24) } });
  const statements = query.mock.calls.map(([first]: readonly unknown[]) =>
    typeof first === 'string' ? first : String(Object(first).text),
  );
  query.mockRestore();
  expect(status).toBe(401);
  return statements.filter((text) => text.includes('host.'));
}

// conformance: host.time
// attack: timing-refused-application-passwords
test('a login with an unknown user runs the same statements as one with a wrong secret', async () => {
  const known = await statementsOf('ann');
  expect(known.length).toBeGreaterThan(0);
  expect(await statementsOf('nobody')).toEqual(known);
});
