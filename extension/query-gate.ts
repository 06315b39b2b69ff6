// Which queries may run now: so many statements at once, fairly between users, and a waiting room with a bound.
// Connections beyond those of the gate stay free for what is cheap: logins, the guide, what a query reads before it runs.
import { queryError } from './errors/query-error';

export interface GateLimits {
  /** Statements under way: of all users, and of one. */
  readonly atOnce: number;
  readonly perUser: number;
  /** Queries that may wait. Beyond it, the last one of the user with most of them is turned away. */
  readonly waiting: number;
  /** How long a query may wait. */
  readonly patienceMs: number;
  /** Called for each query that got no place. */
  readonly onTurnedAway?: () => void;
}

export interface QueryGate {
  /** Waits for a place of this user, or of this link, and gives what leaves it, at the first call; see TakePlace. */
  enter(user: number | string, signal: AbortSignal): Promise<() => void>;
  /** Takes a place that nobody else wants at this moment; undefined if there is none. */
  enterIfFree(user: number | string): (() => void) | undefined;
  use(): { readonly running: number; readonly waiting: number };
}

interface Waiter {
  enter(): void;
  /** Ends the waiting with E_UNAVAILABLE. */
  turnAway(): void;
}

const RETRY_AFTER_SECONDS = 5;

export function createQueryGate({
  atOnce,
  perUser,
  waiting: most,
  patienceMs,
  onTurnedAway,
}: GateLimits): QueryGate {
  const running = new Map<number | string, number>();
  /** The users in the order of their turns; nobody is in it without a query that waits. */
  const queues = new Map<number | string, Set<Waiter>>();
  let underWay = 0;
  let waiting = 0;

  const mayRun = (user: number | string) => underWay < atOnce && (running.get(user) ?? 0) < perUser;

  function take(user: number | string): void {
    underWay += 1;
    running.set(user, (running.get(user) ?? 0) + 1);
  }

  function leaveQueue(user: number | string, waiter: Waiter): void {
    const queue = queues.get(user);
    if (queue?.delete(waiter) !== true) return;
    waiting -= 1;
    if (queue.size === 0) queues.delete(user);
  }

  function letNextIn(): void {
    const next = [...queues].find(([user]) => mayRun(user));
    if (next === undefined) return;
    const [user, queue] = next;
    const [first] = queue;
    if (first === undefined) return;
    leaveQueue(user, first);
    // The user's next query waits until every other user had a turn.
    if (queues.delete(user)) queues.set(user, queue);
    take(user);
    first.enter();
  }

  function giveBack(user: number | string): void {
    underWay -= 1;
    const left = (running.get(user) ?? 1) - 1;
    if (left === 0) running.delete(user);
    else running.set(user, left);
    letNextIn();
  }

  function turnLastAway(): void {
    const [longest] = [...queues.values()].sort((one, other) => other.size - one.size);
    [...(longest ?? [])].at(-1)?.turnAway();
  }

  function waitForPlace(user: number | string, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = (settle: () => void) => {
        clearTimeout(timer);
        signal.removeEventListener('abort', leave);
        leaveQueue(user, waiter);
        settle();
      };
      const busy = () =>
        queryError('E_UNAVAILABLE busy', undefined, { retryAfterSeconds: RETRY_AFTER_SECONDS });
      const turnAway = () => {
        end(() => reject(busy()));
        onTurnedAway?.();
      };
      const waiter: Waiter = { enter: () => end(resolve), turnAway };
      const leave = () => end(() => reject(signal.reason));
      const timer = setTimeout(waiter.turnAway, patienceMs);
      signal.addEventListener('abort', leave, { once: true });
      const queue = queues.get(user) ?? new Set();
      queues.set(user, queue.add(waiter));
      waiting += 1;
      if (waiting > most) turnLastAway();
    });
  }

  function leaver(user: number | string): () => void {
    let isLeft = false;
    return () => {
      if (!isLeft) giveBack(user);
      isLeft = true;
    };
  }

  return {
    async enter(user, signal) {
      signal.throwIfAborted();
      if (mayRun(user)) take(user);
      else await waitForPlace(user, signal);
      return leaver(user);
    },
    enterIfFree(user) {
      if (waiting > 0 || !mayRun(user)) return undefined;
      take(user);
      return leaver(user);
    },
    use: () => ({ running: underWay, waiting }),
  };
}
