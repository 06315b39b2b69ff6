// The queue of queries: a bounded number of jobs at once, fair turns between users, and a waiting room with a bound.
// Connections beyond its places stay free for what is cheap: logins, the guide, what a query reads before it runs.
import { queryError } from '../language/errors/query-error';

export interface QueueLimits {
  /** Running jobs: of all users, and of one. */
  readonly atOnce: number;
  readonly perUser: number;
  /** Turns that may wait. Beyond that, the last turn of the user who has the most is refused. */
  readonly waiting: number;
  /** How long a turn may wait. */
  readonly patienceMs: number;
  /** Called for each query that is refused. */
  readonly onRefused?: () => void;
}

/** A user, or a link that one shared. */
type User = number | string;

interface Subscriber {
  readonly user: User;
  readonly signal: AbortSignal;
}

type Work<Result> = (signal: AbortSignal) => Promise<Result>;

/** A job that runs. */
interface Begun<Result> {
  readonly result: Promise<Result>;
}

/** `Result` is what jobs with a key return. */
export interface QueryQueue<Result> {
  /**
   * Subscribes to the job of this key, or to a new one, and waits until it runs. A job takes the first turn that any subscriber
   * gets, and runs the work of that one. It is refused with E_UNAVAILABLE when none of them has a turn left. A subscriber whose
   * signal aborts gets its reason. The last one to leave a running job aborts it, and gets its result when it has ended. Without
   * a key, the job is shared with no other.
   */
  join(key: string | undefined, subscriber: Subscriber, work: Work<Result>): Promise<Begun<Result>>;
  /** Waits for a turn, and returns the function that leaves the place. Rejects as `join` does. */
  enter(subscriber: Subscriber): Promise<() => void>;
  /** Runs work if a place is free and nothing is waiting for it; otherwise returns undefined. */
  runIfFree<Own>(user: User, work: () => Promise<Own>): Promise<Own> | undefined;
  use(): { readonly running: number; readonly waiting: number };
}

/** Waits in the queue of a user. */
interface Turn {
  readonly user: User;
  /** All turns of its job. */
  readonly ofJob: Set<Turn>;
  patience?: NodeJS.Timeout;
  begin(): void;
  /** Ends a job without turns. */
  refuseJob(): void;
}

interface Job<Result> {
  /** Empty once it runs. */
  readonly turns: Set<Turn>;
  readonly begun: Promise<Begun<Result>>;
  subscribers: number;
  isRunning: boolean;
  begin(user: User, work: Work<Result>): void;
  refuse(): void;
  abort(reason: unknown): void;
}

const RETRY_AFTER_SECONDS = 5;

export function createQueryQueue<Result>({
  atOnce,
  perUser,
  waiting: most,
  patienceMs,
  onRefused = () => {},
}: QueueLimits): QueryQueue<Result> {
  const running = new Map<User, number>();
  /** The users who have turns, in order. No turn waits that could begin. */
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

  async function runInPlace<Own>(user: User, work: () => Promise<Own>, onEnd = () => {}): Promise<Own> {
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
      // The user's next turn comes after one of every other user.
      queues.delete(user);
      queues.set(user, queue);
      first.begin();
      return;
    }
  }

  function wait(turn: Turn): void {
    turn.ofJob.add(turn);
    turn.patience = setTimeout(() => drop(turn), patienceMs);
    queues.set(turn.user, (queues.get(turn.user) ?? new Set()).add(turn));
    waiting += 1;
    letNextIn();
    if (waiting <= most) return;
    const [longest = []] = [...queues.values()].sort((one, other) => other.size - one.size);
    const last = [...longest].at(-1);
    if (last !== undefined) drop(last);
  }

  /** Removes a turn, which may have been its job's last. */
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

  function createJob<Own>(forget = () => {}): Job<Own> {
    const ending = new AbortController();
    const turns = new Set<Turn>();
    let onBegin: (begun: Begun<Own>) => void;
    let onRefusal: (error: Error) => void;
    const job: Job<Own> = {
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
        onRefusal(queryError('E_UNAVAILABLE busy', undefined, { retryAfterSeconds: RETRY_AFTER_SECONDS }));
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

  async function subscribe<Own>(job: Job<Own>, { user, signal }: Subscriber, work: Work<Own>) {
    job.subscribers += 1;
    const turn: Turn = {
      ...{ user, ofJob: job.turns },
      ...{ begin: () => job.begin(user, work), refuseJob: job.refuse },
    };
    const left = new Promise<never>((_, reject) => {
      const leave = () => {
        job.subscribers -= 1;
        // The last one stays until the work has ended and its place is free.
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
