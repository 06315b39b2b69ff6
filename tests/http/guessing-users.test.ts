// Nobody can find out which users exist by what a refusal costs: the same statements run for both.
import { GUIDE, startContractHost } from '../contracts/contract-host';
import type { TestHost } from '../support/test-host';

let host: TestHost;
beforeAll(async () => {
  host = await startContractHost();
});
afterAll(() => host.stop());

async function statementsOf(login: string): Promise<readonly string[]> {
  const statements: string[] = [];
  const note = ({ sql }: { readonly sql: string }) => statements.push(sql);
  host.database.write.on('query', note);
  const { status } = await host.request('GET', GUIDE, { user: { login, secret: 'x'.repeat(24) } });
  host.database.write.removeListener('query', note);
  expect(status).toBe(401);
  return statements;
}

test('an unknown user costs the same work as a wrong secret', async () => {
  const known = await statementsOf('ann');
  expect(known.length).toBeGreaterThan(0);
  expect(await statementsOf('nobody')).toEqual(known);
});
