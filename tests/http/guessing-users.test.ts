// Nobody can find out which users exist by the time that a refusal takes.
import { GUIDE, startContractHost } from '../contracts/contract-host';
import type { TestHost } from '../support/test-host';

let host: TestHost;
beforeAll(async () => {
  host = await startContractHost();
});
afterAll(() => host.stop());

const median = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;

test('an unknown user takes as long as a wrong secret', async () => {
  const taken: Record<string, number[]> = { ann: [], nobody: [] };
  for (let turn = 0; turn < 60; turn += 1) {
    for (const [login, times] of Object.entries(taken)) {
      const start = performance.now();
      const { status } = await host.request('GET', GUIDE, { user: { login, secret: 'x'.repeat(24) } });
      times.push(performance.now() - start);
      expect(status).toBe(401);
    }
  }
  const ratio = median(taken.ann ?? []) / median(taken.nobody ?? []);
  expect(ratio).toBeGreaterThan(0.5);
  expect(ratio).toBeLessThan(2);
});
