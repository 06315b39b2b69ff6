// The query queue: a table of scenarios, and random scenarios that are compared with a naive reference. The steps are listed with
// their effects: `ann1 k` joins the job with the key k, and `ann1` requests a slot. The user is the name before the number.
import { seededRandom } from '../../extension/data/demo/random';
import { QueryError } from '../../extension/language/errors/query-error';
import { createQueryQueue, type QueueLimits } from '../../extension/query/query-queue';
import { type Bounds, createReference } from './reference-queue';

const PATIENCE_MS = 30_000;
const BOUNDS: Bounds = { atOnce: 2, perUser: 1, waiting: 100 };

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask', 'performance'] });
});
afterEach(() => {
  expect(jest.getTimerCount()).toBe(0);
  jest.useRealTimers();
});

/** Waits until everything that can continue has continued. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

const userOf = (name: string): string => name.replace(/\d+$/, '');

/** Runs the steps of a scenario on the real queue. */
function createWorld(bounds: Bounds, more: Partial<QueueLimits> = {}) {
  let events: string[] = [];
  let refusals = 0;
  const callers = new Map<string, AbortController>();
  const works = new Map<string, { end(): void; fail(): void }>();
  const onRefused = () => {
    refusals += 1;
  };
  const queue = createQueryQueue<string>({
    ...bounds,
    timeoutMs: PATIENCE_MS,
    random: () => 0.3,
    onRefused,
    ...more,
  });

  const work = (name: string) => (signal?: AbortSignal) => {
    events.push(`${name} runs`);
    signal?.addEventListener('abort', () => events.push(`${name} is aborted`));
    return new Promise<string>((resolve, reject) => {
      works.set(name, { end: () => resolve(name), fail: () => reject(new Error(`${name} failed`)) });
    });
  };

  function note(name: string, outcome: Promise<string | undefined>): void {
    outcome.then(
      (result) => result !== undefined && events.push(`${name} gets ${result}`),
      (error: unknown) => {
        const isBusy = error instanceof QueryError && error.code === 'E_UNAVAILABLE';
        events.push(isBusy ? `${name} is refused` : `${name} gets the error ${String(error)}`);
      },
    );
  }

  function ask(name: string, key: string | undefined): void {
    const caller = new AbortController();
    callers.set(name, caller);
    const subscriber = { user: userOf(name), signal: caller.signal };
    if (key !== undefined) {
      const joined = queue.join(key === '-' ? undefined : key, subscriber, work(name));
      note(
        name,
        joined.then(({ result }) => result),
      );
      return;
    }
    const entered = queue.enter(subscriber).then((leave) => {
      events.push(`${name} runs`);
      works.set(name, { end: leave, fail: leave });
      return undefined;
    });
    note(name, entered);
  }

  const verbs: Readonly<Record<string, (name: string) => void>> = {
    end: (name) => works.get(name)?.end(),
    fail: (name) => works.get(name)?.fail(),
    leave: (name) => callers.get(name)?.abort(`${name} left`),
    free: (name) => note(name, queue.runIfFree(userOf(name), work(name)) ?? Promise.resolve('no slot')),
    wait: (share) => jest.advanceTimersByTime(PATIENCE_MS * Number(share)),
  };

  return {
    queue,
    /** The effects of a step, in any order. */
    async step(text: string): Promise<readonly string[]> {
      const [first = '', second] = text.split(' ');
      events = [];
      const before = refusals;
      const verb = verbs[first];
      if (verb === undefined) ask(first, second);
      else verb(second ?? '');
      await settle();
      expect(refusals - before).toBe(events.filter((event) => event.endsWith('is refused')).length);
      return events.sort();
    },
  };
}

type Steps = readonly (readonly [step: string, ...events: string[]])[];

const SCENARIOS: readonly (readonly [title: string, bounds: Partial<Bounds>, steps: Steps])[] = [
  [
    'a user runs two queries at once, and other users run theirs at the same time',
    { atOnce: 4, perUser: 2 },
    [
      ['ann1', 'ann1 runs'],
      ['ann2', 'ann2 runs'],
      ['ann3'],
      ['ben1', 'ben1 runs'],
      ['end ann1', 'ann3 runs'],
    ],
  ],
  // conformance: host.one-user-does
  [
    'users take turns, no matter how many queries one of them has',
    { atOnce: 1 },
    [
      ['ann1', 'ann1 runs'] as const,
      ...['ann2', 'ann3', 'ben1', 'ben2', 'cleo1'].map((name) => [name] as const),
      ['end ann1', 'ann2 runs'] as const,
      ['end ann2', 'ben1 runs'] as const,
      ['end ben1', 'cleo1 runs'] as const,
      ['end cleo1', 'ann3 runs'] as const,
      ['end ann3', 'ben2 runs'] as const,
    ],
  ],
  [
    'when the queue is full, the last query of the user with the most waiting queries is rejected',
    { atOnce: 1, waiting: 2 },
    [['ann1', 'ann1 runs'], ['ann2'], ['ann3'], ['ben1', 'ann3 is refused'], ['end ann1', 'ann2 runs']],
  ],
  [
    'a query that waits too long is rejected and does not get a slot later',
    { atOnce: 1 },
    [
      ['ann1', 'ann1 runs'],
      ['ben1'],
      ['wait 0.5'],
      ['cleo1'],
      ['wait 0.5', 'ben1 is refused'],
      ['end ann1', 'cleo1 runs'],
    ],
  ],
  [
    'a caller that disconnects while it is waiting immediately gives up its turn',
    { atOnce: 1 },
    [
      ['ann1', 'ann1 runs'],
      ['ben1'],
      ['leave ben1', 'ben1 gets the error ben1 left'],
      ['cleo1'],
      ['end ann1', 'cleo1 runs'],
    ],
  ],
  [
    'work that only runs in a free slot never waits, and does not take a slot while others are waiting',
    {},
    [
      ['free shadow1', 'shadow1 runs'] as const,
      ['free shadow2', 'shadow2 gets no slot'] as const,
      ['ann1', 'ann1 runs'] as const,
      ['ben1'] as const,
      ['free other1', 'other1 gets no slot'] as const,
      ['end shadow1', 'ben1 runs', 'shadow1 gets shadow1'],
      ['free other2', 'other2 gets no slot'] as const,
      ['end ann1'] as const,
      ['free other3', 'other3 runs'] as const,
    ],
  ],
  [
    'identical queries run once, and other queries run at the same time',
    { atOnce: 3 },
    [
      ['ann1 k', 'ann1 runs'] as const,
      ['ben1 k'] as const,
      ['ben2 l', 'ben2 runs'] as const,
      ['ann2 k'] as const,
      ['end ann1', 'ann1 gets ann1', 'ann2 gets ann1', 'ben1 gets ann1'],
      ['ann3 k', 'ann3 runs'],
    ],
  ],
  [
    'jobs without a key are never shared',
    {},
    [
      ['ann1 -', 'ann1 runs'],
      ['ben1 -', 'ben1 runs'],
      ['end ben1', 'ben1 gets ben1'],
      ['end ann1', 'ann1 gets ann1'],
    ],
  ],
  [
    'a job runs as soon as any of its subscribers gets a turn',
    {},
    [
      ['ann1', 'ann1 runs'] as const,
      ['ann2 k'] as const,
      ['ann3 k'] as const,
      ['ben1 k', 'ben1 runs'] as const,
      ['end ben1', 'ann2 gets ben1', 'ann3 gets ben1', 'ben1 gets ben1'],
    ],
  ],
  [
    'a subscriber that has lost its turn waits for the turn of another subscriber',
    { atOnce: 1 },
    [
      ['cleo1', 'cleo1 runs'] as const,
      ['ann1 k'] as const,
      ['wait 0.5'] as const,
      ['ben1 k'] as const,
      ['wait 0.5'] as const,
      ['end cleo1', 'ben1 runs'] as const,
      ['end ben1', 'ann1 gets ben1', 'ben1 gets ben1'],
    ],
  ],
  [
    'a job is rejected when none of its subscribers has a turn left',
    { atOnce: 1 },
    [
      ['cleo1', 'cleo1 runs'] as const,
      ['ann1 k'] as const,
      ['wait 0.5'] as const,
      ['ben1 k'] as const,
      ['wait 0.5'] as const,
      ['wait 0.5', 'ann1 is refused', 'ben1 is refused'] as const,
      ['ann2 k'],
    ],
  ],
  [
    'when the only subscriber with a turn disconnects, the others are rejected',
    { atOnce: 1 },
    [
      ['cleo1', 'cleo1 runs'] as const,
      ['ann1 k'] as const,
      ['wait 0.5'] as const,
      ['ben1 k'] as const,
      ['wait 0.5'] as const,
      ['leave ben1', 'ann1 is refused', 'ben1 gets the error ben1 left'],
    ],
  ],
  [
    'when the subscriber that started a job disconnects, the others get the result, and the slot stays taken',
    { atOnce: 1 },
    [
      ['ann1 k', 'ann1 runs'] as const,
      ['ben1 k'] as const,
      ['leave ann1', 'ann1 gets the error ann1 left'] as const,
      ['cleo1'] as const,
      ['end ann1', 'ben1 gets ann1', 'cleo1 runs'] as const,
    ],
  ],
  [
    'the last subscriber to disconnect aborts the job and waits for it to end, and callers can no longer join the job',
    { atOnce: 2 },
    [
      ['ann1 k', 'ann1 runs'] as const,
      ['ben1 k'] as const,
      ['leave ann1', 'ann1 gets the error ann1 left'] as const,
      ['leave ben1', 'ann1 is aborted'] as const,
      ['cleo1 k', 'cleo1 runs'] as const,
      ['fail ann1', 'ben1 gets the error Error: ann1 failed'],
      ['dora1 k'] as const,
      ['end cleo1', 'cleo1 gets cleo1', 'dora1 gets cleo1'] as const,
    ],
  ],
  [
    'all subscribers get the error of a failed job, and the next query starts a new job',
    {},
    [
      ['ann1 k', 'ann1 runs'] as const,
      ['ben1 k'] as const,
      ['fail ann1', 'ann1 gets the error Error: ann1 failed', 'ben1 gets the error Error: ann1 failed'],
      ['ben2 k', 'ben2 runs'],
    ],
  ],
];

/** Ends all waiting and running jobs, so that every slot and turn is returned. */
async function endAll({ queue, step }: ReturnType<typeof createWorld>, names: readonly string[]) {
  for (const name of names) await step(`leave ${name}`);
  for (const name of names) await step(`end ${name}`);
  expect(queue.use()).toEqual({ running: 0, waiting: 0 });
}

test.each(SCENARIOS)('%s', async (_title, bounds, steps) => {
  const world = createWorld({ ...BOUNDS, ...bounds });
  const reference = createReference({ ...BOUNDS, ...bounds });
  for (const [step, ...events] of steps) {
    expect([step, ...(await world.step(step))]).toEqual([step, ...events]);
    expect([step, ...reference.step(step)]).toEqual([step, ...events]);
  }
  await endAll(
    world,
    steps.map(([step]) => step.split(' ').find((word) => /\d$/.test(word)) ?? ''),
  );
});

test('nothing is started for a caller that has already disconnected, and a rejection includes the retry delay', async () => {
  const { queue } = createWorld({ atOnce: 0, perUser: 0, waiting: 0 });
  const gone = { user: 'ann', signal: AbortSignal.abort(new Error('gone')) };
  await expect(queue.enter(gone)).rejects.toThrow('gone');
  await expect(queue.join('k', gone, async () => 'never')).rejects.toThrow('gone');
  const refused = queue.enter({ user: 'ann', signal: new AbortController().signal });
  await expect(refused).rejects.toMatchObject({
    code: 'E_UNAVAILABLE',
    status: 503,
    details: { retry_after_seconds: 8 },
  });
  expect(queue.use()).toEqual({ running: 0, waiting: 0 });
});

test('work that throws immediately frees its slot, and the next query runs again', async () => {
  const { queue } = createWorld(BOUNDS);
  const caller = { user: 'ann', signal: new AbortController().signal };
  const { result } = await queue.join('k', caller, () => {
    throw new Error('at once');
  });
  await expect(result).rejects.toThrow('at once');
  const again = await queue.join('k', caller, async () => 'again');
  expect(await again.result).toBe('again');
  expect(queue.use()).toEqual({ running: 0, waiting: 0 });
});

async function runRandomSteps(seed: number): Promise<void> {
  const random = seededRandom(seed);
  const oneOf = (among: readonly string[]) => among[random.between(0, among.length - 1)] ?? '';
  const bounds = {
    atOnce: random.between(1, 4),
    perUser: random.between(1, 2),
    waiting: random.between(0, 8),
  };
  const world = createWorld(bounds);
  const reference = createReference(bounds);
  const names: string[] = [];
  const steps: string[] = [];
  for (let count = 0; count < 60; count += 1) {
    const { running } = reference;
    const isRequest = names.length === 0 || random.chance(0.45);
    const name = isRequest ? `${oneOf(['ann', 'ben', 'cleo', 'dora'])}${count}` : oneOf(names);
    const step = isRequest
      ? oneOf([name, `${name} k`, `${name} k`, `${name} l`, `${name} -`, `free ${name}`])
      : oneOf([
          `leave ${name}`,
          'wait 0.5',
          ...['end', 'end', 'fail'].map((verb) => `${verb} ${oneOf(running)}`),
        ]);
    if (isRequest) names.push(name);
    steps.push(step);
    expect([seed, steps, await world.step(step)]).toEqual([seed, steps, reference.step(step)]);
    expect([seed, steps, world.queue.use()]).toEqual([seed, steps, reference.use()]);
    expect(world.queue.use().running).toBeLessThanOrEqual(bounds.atOnce);
    expect(world.queue.use().waiting).toBeLessThanOrEqual(bounds.waiting);
  }
  await endAll(world, names);
}

test('random steps have the same effects as in the reference, and stay within the limits', async () => {
  for (let seed = 0; seed < 50; seed += 1) await runRandomSteps(seed);
});
