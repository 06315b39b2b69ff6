// Which queries may run at the same time: a bound in all, one for each user, fair turns, and a waiting room with an end.
import { createQueryGate, type GateLimits } from '../../extension/query-gate';

const LIMITS: GateLimits = { atOnce: 4, perUser: 2, waiting: 100, patienceMs: 60_000 };
const over = new AbortController();
afterAll(() => over.abort());
const [ANN, BEN, CLEO] = [1, 2, 3] as const;

/** A gate, and the names of those who entered it so far. */
function gateWith(limits: Partial<GateLimits>) {
  const gate = createQueryGate({ ...LIMITS, ...limits });
  const entered: string[] = [];
  const enter = async (user: number, name: string, signal = over.signal) => {
    const leave = await gate.enter(user, signal);
    entered.push(name);
    return leave;
  };
  /** Waits, or keeps its place, until the tests are over. */
  const stay = (user: number, name: string) => {
    enter(user, name).catch((reason: unknown) => expect(reason).toBe(over.signal.reason));
  };
  return { gate, entered, enter, stay };
}

/** Lets everybody move who can. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

test('a user runs two at once, and others run beside them', async () => {
  const { gate, entered, stay } = gateWith({});
  for (const name of ['a1', 'a2', 'a3']) stay(ANN, name);
  stay(BEN, 'b1');
  await settle();
  expect(entered).toEqual(['a1', 'a2', 'b1']);
  expect(gate.use()).toEqual({ running: 3, waiting: 1 });
});

test('users take turns, however many queries one of them has', async () => {
  const { entered, enter } = gateWith({ atOnce: 1 });
  const queries: readonly [number, string][] = [
    [ANN, 'a1'],
    [ANN, 'a2'],
    [ANN, 'a3'],
    [BEN, 'b1'],
    [BEN, 'b2'],
    [CLEO, 'c1'],
  ];
  await Promise.all(queries.map(([user, name]) => enter(user, name).then((leave) => leave())));
  expect(entered).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2']);
});

test('beyond the waiting room the last query of whoever has most is turned away, with a time to come back', async () => {
  const { gate, entered, enter, stay } = gateWith({ atOnce: 1, waiting: 2 });
  const leave = await enter(ANN, 'a1');
  stay(ANN, 'a2');
  const last = enter(ANN, 'a3');
  stay(BEN, 'b1');
  await expect(last).rejects.toMatchObject({
    code: 'E_UNAVAILABLE',
    status: 503,
    details: { retry_after_seconds: 5 },
  });
  expect(gate.use()).toEqual({ running: 1, waiting: 2 });
  leave();
  await settle();
  expect(entered).toEqual(['a1', 'a2']);
});

test('whoever waits for too long is turned away, and gets no place later', async () => {
  const { gate, enter } = gateWith({ atOnce: 1, patienceMs: 1 });
  const leave = await enter(ANN, 'a1');
  await expect(enter(BEN, 'b1')).rejects.toMatchObject({ code: 'E_UNAVAILABLE' });
  leave();
  expect(gate.use()).toEqual({ running: 0, waiting: 0 });
});

test('whoever goes away while waiting leaves the room at once', async () => {
  const { gate, entered, enter } = gateWith({ atOnce: 1 });
  const leave = await enter(ANN, 'a1');
  const caller = new AbortController();
  const waiting = enter(BEN, 'b1', caller.signal);
  caller.abort(new Error('gone'));
  await expect(waiting).rejects.toThrow('gone');
  expect(gate.use()).toEqual({ running: 1, waiting: 0 });
  leave();
  await enter(CLEO, 'c1');
  expect(entered).toEqual(['a1', 'c1']);
});

test('what only wants a free place never waits, and takes none while others do', async () => {
  const { gate, entered, enter, stay } = gateWith({ atOnce: 2, perUser: 1 });
  const leaveFree = gate.enterIfFree('background');
  expect([leaveFree !== undefined, gate.enterIfFree('background')]).toEqual([true, undefined]);
  const leave = await enter(ANN, 'a1');
  stay(BEN, 'b1');
  await settle();
  expect([entered, gate.enterIfFree('other')]).toEqual([['a1'], undefined]);
  leaveFree?.();
  await settle();
  expect([entered, gate.enterIfFree('other')]).toEqual([['a1', 'b1'], undefined]);
  leave();
  expect(gate.enterIfFree('other')).toBeDefined();
});
