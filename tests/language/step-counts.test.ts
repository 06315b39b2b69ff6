// The work that a body causes: the number of times that V8 enters a function or a branch.
import { Session } from 'node:inspector/promises';
import { ATTEMPTS } from '../torture/trials/loop/bodies';
import { faultsOf, understood } from './understood';

/** A step takes about 10 ns. Reading a body of 130,000 numbers takes 3 million. */
const MOST_STEPS = 4_000_000;

const session = new Session();

beforeAll(async () => {
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
});
afterAll(() => session.disconnect());

/** The steps of the act that takes the most. */
async function mostSteps(...acts: readonly (() => Promise<unknown>)[]): Promise<number> {
  // Each reading begins the count again.
  await session.post('Profiler.takePreciseCoverage');
  let most = 0;
  for (const act of acts) {
    await act();
    const { result } = await session.post('Profiler.takePreciseCoverage');
    let steps = 0;
    for (const { functions } of result)
      for (const { ranges } of functions) for (const { count } of ranges) steps += count;
    most = Math.max(most, steps);
  }
  return most;
}

const bodies = ATTEMPTS.filter(({ kind }) => kind === 'query').map(
  ({ name, body = '' }) => [name, body.replace('"site0001"', '"shop"')] as const,
);

test('the steps of a loop are counted', async () => {
  let sum = 0;
  const steps = await mostSteps(async () => {
    for (let i = 0; i < 300_000; i += 1) if (i % 2 === 0) sum += i;
  });
  expect(sum).toBeGreaterThan(0);
  expect(steps).toBeGreaterThan(300_000);
});

test.each(bodies)('%s', async (_name, body) => {
  // The first run includes one-time preparation, such as the schema of a contract.
  const steps = await mostSteps(
    () => understood(body).catch((error) => error),
    () => faultsOf(body),
  );
  expect(steps).toBeLessThan(MOST_STEPS);
});
