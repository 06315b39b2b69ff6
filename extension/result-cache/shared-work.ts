// Work that several callers wait for: it is done once, in the place of whoever has one first, and is aborted only when nobody
// waits for it any more. Nobody waits in the queue of another: who needs no place any more leaves his own.
import type { TakePlace } from '../qal/types/query-context';

type Work<Result> = (signal: AbortSignal) => Promise<Result>;

export interface Caller {
  readonly signal: AbortSignal;
  /** Without it, the work begins at once. */
  readonly takePlace?: TakePlace | undefined;
}

export interface SharedWork<Result> {
  /**
   * Waits for the running work of this key, or takes a place and starts it; failed work is not remembered. Rejects as
   * `takePlace` does, and with the signal's reason when that aborts. The last waiter rejects only when the work has ended,
   * whose own signal aborts then.
   */
  join(key: string, caller: Caller, work: Work<Result>): Promise<Result>;
}

interface Running<Result> {
  readonly result: Promise<Result>;
  waiting: number;
  /** Aborts the work, since nobody waits for it any more. */
  abandon(reason: unknown): void;
}

/** Shares work by key. */
export function sharedWork<Result>(): SharedWork<Result> {
  const running = new Map<string, Running<Result>>();
  /** What tells those who wait for a place that somebody else has begun the work. */
  const queued = new Map<string, Set<(begun: Running<Result>) => void>>();

  function begin(key: string, work: Work<Result>, leavePlace: () => void): Running<Result> {
    const controller = new AbortController();
    const forget = () => {
      if (running.get(key) === begun) running.delete(key);
    };
    const begun: Running<Result> = {
      result: work(controller.signal).finally(() => {
        forget();
        leavePlace();
      }),
      waiting: 0,
      abandon(reason) {
        // A later caller starts the work again.
        forget();
        controller.abort(reason);
      },
    };
    running.set(key, begun);
    const told = queued.get(key) ?? [];
    queued.delete(key);
    for (const tell of told) tell(begun);
    return begun;
  }

  async function waitFor(begun: Running<Result>, signal: AbortSignal): Promise<Result> {
    signal.throwIfAborted();
    begun.waiting += 1;
    let leave = () => {};
    const left = new Promise<never>((_, reject) => {
      leave = () => {
        begun.waiting -= 1;
        if (begun.waiting > 0) reject(signal.reason);
        else begun.abandon(signal.reason);
      };
    });
    signal.addEventListener('abort', leave, { once: true });
    try {
      return await Promise.race([begun.result, left]);
    } finally {
      signal.removeEventListener('abort', leave);
    }
  }

  /** Waits for a place to begin the work, or for somebody else who begins it. */
  function waitForTurn(key: string, signal: AbortSignal, takePlace: TakePlace, work: Work<Result>) {
    return new Promise<Result>((resolve, reject) => {
      const queue = queued.get(key) ?? new Set();
      const queueing = new AbortController();
      const giveUp = () => queueing.abort(signal.reason);
      let isBegun = false;
      const join = (begun: Running<Result>) => {
        isBegun = true;
        resolve(waitFor(begun, signal));
        queueing.abort();
      };
      queued.set(key, queue.add(join));
      signal.addEventListener('abort', giveUp, { once: true });
      takePlace(queueing.signal)
        .then((leavePlace) => {
          if (!isBegun && !signal.aborted) begin(key, work, leavePlace);
          else leavePlace();
          signal.throwIfAborted();
        })
        .catch(reject)
        .finally(() => {
          signal.removeEventListener('abort', giveUp);
          queue.delete(join);
          if (queue.size === 0 && queued.get(key) === queue) queued.delete(key);
        });
    });
  }

  return {
    async join(key, { signal, takePlace }, work) {
      const begun = running.get(key);
      if (begun !== undefined) return waitFor(begun, signal);
      signal.throwIfAborted();
      if (takePlace === undefined)
        return waitFor(
          begin(key, work, () => {}),
          signal,
        );
      return waitForTurn(key, signal, takePlace, work);
    },
  };
}
