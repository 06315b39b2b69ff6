import type { Steps } from '../../extension/language/types/steps';
import { inTurns } from '../../extension/query/in-turns';

/** Keeps the processor busy. */
function work(milliseconds: number): void {
  for (const end = performance.now() + milliseconds; performance.now() < end; );
}

function* stepsOf(count: number, milliseconds: number): Steps<string> {
  for (let step = 0; step < count; step += 1) {
    work(milliseconds);
    yield;
  }
  return 'done';
}

/** Returns the number of event loop turns while `act` runs. */
async function turnsDuring(act: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let ended = false;
  const count = (): void => {
    turns += 1;
    if (!ended) setImmediate(count);
  };
  setImmediate(count);
  await act();
  ended = true;
  return turns;
}

test('short work runs immediately, even if the turn has already taken a long time', async () => {
  work(20);
  expect(await turnsDuring(() => inTurns(stepsOf(100, 0)))).toBe(0);
});

test('long work lets other work run in between', async () => {
  const turns = await turnsDuring(async () => {
    expect(await inTurns(stepsOf(40, 2))).toBe('done');
  });
  expect(turns).toBeGreaterThanOrEqual(7);
});

test('the time limit of a turn covers all phases of a request', async () => {
  const turns = await turnsDuring(async () => {
    for (let phase = 0; phase < 20; phase += 1) await inTurns(stepsOf(2, 2));
  });
  expect(turns).toBeGreaterThanOrEqual(7);
});

test('work that follows a long phase begins in a new turn', async () => {
  // biome-ignore lint/correctness/useYield: It has one step.
  function* oneStep(): Steps<void> {
    work(20);
  }
  expect(await turnsDuring(() => inTurns(oneStep()))).toBe(1);
});

test('only one of several long jobs runs in each turn of the event loop', async () => {
  const order: string[] = [];
  function* job(name: string): Steps<void> {
    for (let step = 0; step < 4; step += 1) {
      order.push(name);
      work(10);
      yield;
    }
  }
  const turn = (): void => {
    order.push('|');
    if (order.length < 100) setImmediate(turn);
  };
  setImmediate(turn);
  await Promise.all(['a', 'b', 'c'].map((name) => inTurns(job(name))));
  const turns = order.join('').split('|');
  // Each job starts immediately.
  expect(turns[0]).toBe('abc');
  expect(turns.slice(1).every((turn) => turn.length <= 1)).toBe(true);
  expect(turns.slice(1).join('').slice(0, 6)).toBe('abcabc');
});

test("an exception in a step rejects the caller's promise", async () => {
  function* failing(): Steps<void> {
    yield;
    throw new Error('wrong');
  }
  await expect(inTurns(failing())).rejects.toThrow('wrong');
});
