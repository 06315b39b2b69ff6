// The query queue: limits how many jobs run and wait, and lets users take turns. The pool's other connections stay free for
// quick work: logins, the guide, and what a query reads before it runs.
import { spreadRetry } from '../../host-shim/extension-api';
import { queryError } from '../language/errors/query-error';

export interface QueueLimits {
  /** How many jobs may run at once, for all users and for each user. */
  readonly atOnce: number;
  readonly perUser: number;
  /** How many turns may wait. Beyond that, the last turn of the user with the most turns is rejected. */
  readonly waiting: number;
  readonly timeoutMs: number;
  /** Returns numbers from 0 to 1. */
  random(): number;
  readonly onRefused?: () => void;
}

/** A user, or a link that a user has shared. */
type User = number | string;

interface Subscriber {
  readonly user: User;
  readonly signal: AbortSignal;
}

type Work<Result> = (signal: AbortSignal) => Promise<Result>;

/** A running job. */
interface Begun<Result> {
  readonly result: Promise<Result>;
}

/** `Result` is what jobs with a key return. */
export interface QueryQueue<Result> {
  /**
   * Subscribes to the job with this key, or to a new job, and waits until it runs. A job starts on the first turn that any
   * subscriber gets, and runs that subscriber's work. A job is rejected with E_UNAVAILABLE when no subscriber has a turn left. A
   * subscriber whose signal aborts is rejected with the signal's reason. The last one to leave a running job aborts it, but
   * still waits for it to end and receives its result. A job without a key is not shared.
   */
  join(key: string | undefined, subscriber: Subscriber, work: Work<Result>): Promise<Begun<Result>>;
  /** Waits for a turn, and returns a function that frees the slot. Rejects as `join` does. */
  enter(subscriber: Subscriber): Promise<() => void>;
  /** Runs `work` if a slot is free and nothing is waiting; otherwise returns undefined. */
  runIfFree<Value>(user: User, work: () => Promise<Value>): Promise<Value> | undefined;
  use(): { readonly running: number; readonly waiting: number };
}

/** An entry in a user's queue. */
interface Turn {
  readonly user: User;
  /** All turns of the same job. */
  readonly ofJob: Set<Turn>;
  patience?: NodeJS.Timeout;
  begin(): void;
  /** Called when the job has no turns left. */
  refuseJob(): void;
}

interface Job<Result> {
  /** Empty once the job runs. */
  readonly turns: Set<Turn>;
  readonly begun: Promise<Begun<Result>>;
  subscribers: number;
  isRunning: boolean;
  begin(user: User, work: Work<Result>): void;
  refuse(): void;
  abort(reason: unknown): void;
}

export function createQueryQueue<Result>(limits: QueueLimits): QueryQueue<Result> {
  const { atOnce, perUser, timeoutMs, random, onRefused = () => {} } = limits;
  const running = new Map<User, number>();
  /** Waiting turns by user; the next user in line comes first. A turn that could begin never waits. */
  const queues = new Map<User, Set<Turn>>();
  /** The jobs that can be joined. */
  const jobs = new Map<string, Job<Result>>();
  let underWay = 0;
  let waiting = 0;

  const mayRun = (user: User) => underWay < atOnce && (running.get(user) ?? 0) < perUser;

  function count(user: User, change: 1 | -1): void {
    underWay += change;
    const ofUser = (running.get(user) ?? 0) + change;
    if (ofUser === 0) running.delete(user);
    else running.set(user, ofUser);
  }

  async function runInPlace<Value>(user: User, work: () => Promise<Value>, onEnd = () => {}): Promise<Value> {
    count(user, 1);
    try {
      return await work();
    } finally {
      onEnd();
      count(user, -1);
      letNextIn();
    }
  }

  function letNextIn(): void {
    for (const [user, queue] of queues) {
      const [first] = queue;
      if (first === undefined || !mayRun(user)) continue;
      // Moves the user to the end of the line.
      queues.delete(user);
      queues.set(user, queue);
      first.begin();
      return;
    }
  }

  function wait(turn: Turn): void {
    turn.ofJob.add(turn);
    turn.patience = setTimeout(() => drop(turn), timeoutMs);
    queues.set(turn.user, (queues.get(turn.user) ?? new Set()).add(turn));
    waiting += 1;
    letNextIn();
    if (waiting <= limits.waiting) return;
    const [longest = []] = [...queues.values()].sort((one, other) => other.size - one.size);
    const last = [...longest].at(-1);
    if (last !== undefined) drop(last);
  }

  function drop(turn: Turn): void {
    if (remove(turn) && turn.ofJob.size === 0) turn.refuseJob();
  }

  function remove(turn: Turn): boolean {
    if (!turn.ofJob.delete(turn)) return false;
    clearTimeout(turn.patience);
    waiting -= 1;
    const queue = queues.get(turn.user);
    queue?.delete(turn);
    if (queue?.size === 0) queues.delete(turn.user);
    return true;
  }

  function createJob<Value>(forget = () => {}): Job<Value> {
    const ending = new AbortController();
    const turns = new Set<Turn>();
    let onBegin: (begun: Begun<Value>) => void;
    let onRefusal: (error: Error) => void;
    const job: Job<Value> = {
      turns,
      begun: new Promise((resolve, reject) => {
        onBegin = resolve;
        onRefusal = reject;
      }),
      subscribers: 0,
      isRunning: false,
      begin(user, work) {
        turns.forEach(remove);
        job.isRunning = true;
        onBegin({ result: runInPlace(user, () => work(ending.signal), forget) });
      },
      refuse() {
        forget();
        for (let refused = 0; refused < job.subscribers; refused += 1) onRefused();
        onRefusal(queryError('E_UNAVAILABLE busy', undefined, { retryAfterSeconds: spreadRetry(random) }));
      },
      abort(reason) {
        forget();
        ending.abort(reason);
      },
    };
    return job;
  }

  function jobOf(key: string | undefined): Job<Result> {
    if (key === undefined) return createJob();
    const known = jobs.get(key);
    if (known !== undefined) return known;
    const job = createJob<Result>(() => {
      if (jobs.get(key) === job) jobs.delete(key);
    });
    jobs.set(key, job);
    return job;
  }

  async function subscribe<Value>(job: Job<Value>, { user, signal }: Subscriber, work: Work<Value>) {
    job.subscribers += 1;
    const turn: Turn = {
      user,
      ofJob: job.turns,
      begin: () => job.begin(user, work),
      refuseJob: job.refuse,
    };
    const left = new Promise<never>((_, reject) => {
      const leave = () => {
        job.subscribers -= 1;
        // The last subscriber stays until the work has ended and its slot is free.
        if (job.subscribers > 0 || !job.isRunning) reject(signal.reason);
        if (job.subscribers === 0) job.abort(signal.reason);
        drop(turn);
      };
      const stopListening = () => signal.removeEventListener('abort', leave);
      signal.addEventListener('abort', leave, { once: true });
      job.begun.then(({ result }) => result).then(stopListening, stopListening);
    });
    if (!job.isRunning) wait(turn);
    const { result } = await Promise.race([job.begun, left]);
    return { result: Promise.race([result, left]) };
  }

  return {
    async join(key, subscriber, work) {
      subscriber.signal.throwIfAborted();
      return subscribe(jobOf(key), subscriber, work);
    },
    async enter(subscriber) {
      subscriber.signal.throwIfAborted();
      return new Promise((resolve, reject) => {
        const untilLeft = () => new Promise<void>((leave) => resolve(leave));
        subscribe(createJob(), subscriber, untilLeft).catch(reject);
      });
    },
    runIfFree: (user, work) => (waiting > 0 || !mayRun(user) ? undefined : runInPlace(user, work)),
    use: () => ({ running: underWay, waiting }),
  };
}
