// Work that several wait for: done once, ended when nobody waits, and nobody ends it for another.
import { createQueryGate, type GateLimits } from '../../extension/query-gate';
import { sharedWork } from '../../extension/result-cache/shared-work';
import { promised } from './some-query';

/** Work that ends when the test says so, and notes what it was told. */
function work() {
  const { promise, resolve, reject } = promised<string>();
  const signals: AbortSignal[] = [];
  const begin = (signal: AbortSignal) => {
    signals.push(signal);
    return promise;
  };
  return { begin, resolve, reject, signals };
}

const client = () => new AbortController();

/** Lets everybody move who can. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

test('equal work that goes on is not begun again, other work is', async () => {
  const shared = sharedWork<string>();
  const one = work();
  const other = work();
  const waiting = [
    shared.join('a', client(), one.begin),
    shared.join('a', client(), other.begin),
    shared.join('b', client(), other.begin),
  ];
  expect([one.signals.length, other.signals.length]).toEqual([1, 1]);
  one.resolve('one');
  other.resolve('other');
  expect(await Promise.all(waiting)).toEqual(['one', 'one', 'other']);
});

test('what has ended is begun anew', async () => {
  const shared = sharedWork<string>();
  const once = (text: string) => shared.join('a', client(), async () => text);
  expect([await once('first'), await once('second')]).toEqual(['first', 'second']);
});

test.each([
  ['who began it', 0],
  ['who came later', 1],
])('%s goes away: the other still gets the result', async (_who, place) => {
  const shared = sharedWork<string>();
  const one = work();
  const clients = [client(), client()];
  const waiting = clients.map((it) => shared.join('a', it, one.begin));
  clients[place]?.abort(new Error('gone'));
  await expect(waiting[place]).rejects.toThrow('gone');
  expect(one.signals[0]?.aborted).toBe(false);
  one.resolve('done');
  expect(await waiting[1 - place]).toBe('done');
});

test('the last who waits ends the work, and waits for its end', async () => {
  const shared = sharedWork<string>();
  const one = work();
  const clients = [client(), client()];
  const waiting = clients.map((it) => shared.join('a', it, one.begin));
  let ended = false;
  const last = waiting[1]?.catch(() => {
    ended = true;
  });
  for (const it of clients) it.abort(new Error('gone'));
  await expect(waiting[0]).rejects.toThrow('gone');
  expect(one.signals[0]?.aborted).toBe(true);
  expect(one.signals[0]?.reason).toEqual(new Error('gone'));
  expect(ended).toBe(false);
  one.reject(new Error('cancelled'));
  await last;
  expect(ended).toBe(true);
});

test('nobody joins work that is being ended', async () => {
  const shared = sharedWork<string>();
  const ending = work();
  const gone = client();
  const left = shared.join('a', gone, ending.begin);
  gone.abort(new Error('gone'));
  const next = shared.join('a', client(), async () => 'anew');
  ending.reject(new Error('cancelled'));
  await expect(left).rejects.toThrow('cancelled');
  expect(await next).toBe('anew');
  const again = work();
  const waiting = shared.join('a', client(), again.begin);
  expect(again.signals.length).toBe(1);
  again.resolve('third');
  expect(await waiting).toBe('third');
});

test('a failure is told to all who wait, and forgotten', async () => {
  const shared = sharedWork<string>();
  const one = work();
  const waiting = [1, 2].map(() => shared.join('a', client(), one.begin));
  one.reject(new Error('no database'));
  for (const each of waiting) await expect(each).rejects.toThrow('no database');
  expect(await shared.join('a', client(), async () => 'anew')).toBe('anew');
});

test('who is gone already begins nothing', async () => {
  const one = work();
  const joined = sharedWork<string>().join('a', { signal: AbortSignal.abort(new Error('gone')) }, one.begin);
  await expect(joined).rejects.toThrow('gone');
  expect(one.signals).toEqual([]);
});

describe('with a gate', () => {
  const [ANN, BEN] = [1, 2] as const;

  /** A gate with two places, one for each user; Ann has hers, and asks for more. */
  async function busyGate(limits: Partial<GateLimits> = {}) {
    const gate = createQueryGate({ atOnce: 2, perUser: 1, waiting: 100, patienceMs: 60_000, ...limits });
    const user = (id: number) => {
      const { signal } = client();
      return { signal, takePlace: (waiting: AbortSignal) => gate.enter(id, waiting) };
    };
    return { gate, user, leave: await gate.enter(ANN, client().signal) };
  }

  test('an equal query does not wait in the queue of another user, who leaves his when it begins', async () => {
    const { gate, user } = await busyGate();
    const shared = sharedWork<string>();
    const one = work();
    const anns = shared.join('a', user(ANN), one.begin);
    expect([gate.use(), one.signals.length]).toEqual([{ running: 1, waiting: 1 }, 0]);
    const bens = shared.join('a', user(BEN), one.begin);
    const later = shared.join('a', user(BEN), one.begin);
    await settle();
    expect([gate.use(), one.signals.length]).toEqual([{ running: 2, waiting: 0 }, 1]);
    one.resolve('done');
    expect(await Promise.all([anns, bens, later])).toEqual(['done', 'done', 'done']);
    expect(gate.use()).toEqual({ running: 1, waiting: 0 });
  });

  test('whoever is turned away takes nobody along', async () => {
    const { gate, user, leave } = await busyGate({ atOnce: 1, waiting: 1 });
    const shared = sharedWork<string>();
    const anns = shared.join('a', user(ANN), async () => 'done');
    const bens = shared.join('a', user(BEN), async () => 'done');
    await expect(anns).rejects.toMatchObject({ code: 'E_UNAVAILABLE' });
    expect(gate.use()).toEqual({ running: 1, waiting: 1 });
    leave();
    expect(await bens).toBe('done');
    expect(gate.use()).toEqual({ running: 0, waiting: 0 });
  });

  test('the place stays taken until the work has ended, whoever still waits for it', async () => {
    const { gate, user } = await busyGate();
    const shared = sharedWork<string>();
    const one = work();
    const ben = client();
    const bens = shared.join('a', { ...user(BEN), signal: ben.signal }, one.begin);
    const anns = shared.join('a', user(ANN), one.begin);
    await settle();
    ben.abort(new Error('gone'));
    await expect(bens).rejects.toThrow('gone');
    expect([gate.use(), one.signals[0]?.aborted]).toEqual([{ running: 2, waiting: 0 }, false]);
    one.resolve('done');
    expect(await anns).toBe('done');
    expect(gate.use()).toEqual({ running: 1, waiting: 0 });
  });

  test('whoever goes away while waiting for a place begins nothing', async () => {
    const { gate, user, leave } = await busyGate();
    const one = work();
    const ann = client();
    const left = sharedWork<string>().join('a', { ...user(ANN), signal: ann.signal }, one.begin);
    ann.abort(new Error('gone'));
    leave();
    await expect(left).rejects.toThrow('gone');
    expect([gate.use(), one.signals]).toEqual([{ running: 0, waiting: 0 }, []]);
  });
});
