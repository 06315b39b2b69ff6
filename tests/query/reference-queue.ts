// The simplest possible model of the query queue: plain lists that are searched from scratch after every step.

export interface Bounds {
  readonly atOnce: number;
  readonly perUser: number;
  readonly waiting: number;
}

interface Caller {
  readonly name: string;
  readonly user: string;
  /** When the caller started to wait for a turn. Null if it is not waiting. */
  turnSince: number | null;
}

interface Job {
  readonly key: string | undefined;
  /** Whether this only occupies a slot instead of doing work that returns a result. */
  readonly isSlot: boolean;
  subscribers: Caller[];
  runner: Caller | null;
  isAborted: boolean;
}

export function createReference(bounds: Bounds) {
  let jobs: Job[] = [];
  let events: string[] = [];
  let clock = 0;
  let turns = 0;
  /** When each user started to wait, or last had a turn while other queries of the user were waiting. */
  const waitsSince = new Map<string, number>();

  const running = () => jobs.filter(({ runner }) => runner !== null);
  const waiting = () =>
    jobs.flatMap((job) =>
      job.runner === null ? job.subscribers.filter(({ turnSince }) => turnSince !== null) : [],
    );
  const mayRun = (user: string) =>
    running().length < bounds.atOnce &&
    running().filter(({ runner }) => runner?.user === user).length < bounds.perUser;
  const jobOf = (caller: Caller) => jobs.find(({ subscribers }) => subscribers.includes(caller));
  /** The waiting callers, in the order of their requests. */
  const inOrder = () => waiting().sort((one, other) => numberOf(one) - numberOf(other));
  const requestNumbers = new Map<Caller, number>();
  const numberOf = (caller: Caller) => requestNumbers.get(caller) ?? 0;

  function usersInTurn(): readonly string[] {
    const users = [...new Set(waiting().map(({ user }) => user))];
    return users.sort((one, other) => (waitsSince.get(one) ?? 0) - (waitsSince.get(other) ?? 0));
  }

  function forgetUsers(): void {
    for (const user of waitsSince.keys()) if (!usersInTurn().includes(user)) waitsSince.delete(user);
  }

  function letIn(): void {
    for (;;) {
      const user = usersInTurn().find(mayRun);
      const next = inOrder().find((caller) => caller.user === user);
      const job = next === undefined ? undefined : jobOf(next);
      if (next === undefined || job === undefined) return;
      job.runner = next;
      events.push(`${next.name} runs`);
      turns += 1;
      waitsSince.set(next.user, turns);
      forgetUsers();
    }
  }

  function refuseWithoutTurns(): void {
    for (const job of jobs.filter(({ runner }) => runner === null)) {
      if (job.subscribers.some(({ turnSince }) => turnSince !== null)) continue;
      for (const { name } of job.subscribers) events.push(`${name} is refused`);
      jobs = jobs.filter((each) => each !== job);
    }
    forgetUsers();
  }

  function ask(name: string, key: string | undefined): void {
    const caller: Caller = { name, user: userOf(name), turnSince: clock };
    turns += 1;
    requestNumbers.set(caller, turns);
    const known = jobs.find((job) => job.key !== undefined && job.key === key && !job.isAborted);
    if (known !== undefined) known.subscribers.push(caller);
    else
      jobs.push({
        key: key === '-' ? undefined : key,
        isSlot: key === undefined,
        subscribers: [caller],
        runner: null,
        isAborted: false,
      });
    if (waiting().includes(caller) && !waitsSince.has(caller.user)) waitsSince.set(caller.user, turns);
    letIn();
    if (waiting().length <= bounds.waiting) return;
    const countOf = (user: string) => waiting().filter((each) => each.user === user).length;
    const maxCount = Math.max(...usersInTurn().map(countOf));
    const longest = usersInTurn().find((user) => countOf(user) === maxCount);
    const last = inOrder().findLast((each) => each.user === longest);
    if (last !== undefined) last.turnSince = null;
    refuseWithoutTurns();
  }

  const verbs: Readonly<Record<string, (name: string) => void>> = {
    end: (name) => finish(name, ({ isSlot }) => (isSlot ? undefined : `gets ${name}`)),
    fail: (name) =>
      finish(name, ({ isSlot }) => (isSlot ? undefined : `gets the error Error: ${name} failed`)),
    leave(name) {
      const job = jobs.find(({ subscribers }) => subscribers.some((each) => each.name === name));
      if (job === undefined || job.isAborted) return;
      const isLast = job.subscribers.length === 1;
      if (job.runner !== null && isLast) {
        job.isAborted = true;
        if (!job.isSlot) events.push(`${job.runner.name} is aborted`);
        return;
      }
      job.subscribers = job.subscribers.filter((each) => each.name !== name);
      events.push(`${name} gets the error ${name} left`);
      refuseWithoutTurns();
    },
    free(name) {
      const user = userOf(name);
      if (waiting().length > 0 || !mayRun(user)) {
        events.push(`${name} gets no slot`);
        return;
      }
      const caller = { name, user, turnSince: null };
      // No other caller can leave or join this job.
      jobs.push({ key: undefined, isSlot: false, subscribers: [caller], runner: caller, isAborted: true });
      events.push(`${name} runs`);
    },
    wait(share) {
      clock += Number(share);
      for (const caller of inOrder()) {
        if (caller.turnSince !== null && caller.turnSince + 1 <= clock) caller.turnSince = null;
      }
      refuseWithoutTurns();
    },
  };

  function finish(name: string, endOf: (job: Job) => string | undefined): void {
    const job = jobs.find(({ runner }) => runner?.name === name);
    if (job === undefined) return;
    const end = endOf(job);
    if (end !== undefined) events.push(...job.subscribers.map((each) => `${each.name} ${end}`));
    jobs = jobs.filter((each) => each !== job);
    letIn();
  }

  return {
    /** The names of the running jobs. */
    get running(): readonly string[] {
      return running().map(({ runner }) => runner?.name ?? '');
    },
    use: () => ({ running: running().length, waiting: waiting().length }),
    step(text: string): readonly string[] {
      const [first = '', second] = text.split(' ');
      events = [];
      const verb = verbs[first];
      if (verb === undefined) ask(first, second);
      else verb(second ?? '');
      return events.sort();
    },
  };
}

const userOf = (name: string): string => name.replace(/\d+$/, '');
