// Owns work that several wait for: it is done once, and ends early only when nobody waits for it any more.
// Key + work -> its result. Who goes away leaves the others their result; what failed is forgotten, its waiters told.

export interface SharedWork<Result> {
  /**
   * Waits for the work of this key that is going on, or begins it. Rejects with the signal's reason when that is aborted;
   * the last who waits does so only when the work has ended: its own signal tells it to.
   */
  join(key: string, signal: AbortSignal, work: (signal: AbortSignal) => Promise<Result>): Promise<Result>;
}

interface Running<Result> {
  readonly result: Promise<Result>;
  waiting: number;
  /** Nobody waits any more: lets the work end early. */
  abandon(reason: unknown): void;
}

/** Work of one kind, told apart by keys. */
export function sharedWork<Result>(): SharedWork<Result> {
  const running = new Map<string, Running<Result>>();

  function begin(key: string, work: (signal: AbortSignal) => Promise<Result>): Running<Result> {
    const controller = new AbortController();
    const forget = () => {
      if (running.get(key) === begun) running.delete(key);
    };
    const begun: Running<Result> = {
      result: work(controller.signal).finally(forget),
      waiting: 0,
      abandon(reason) {
        // Whoever comes from here on begins anew.
        forget();
        controller.abort(reason);
      },
    };
    running.set(key, begun);
    return begun;
  }

  return {
    async join(key, signal, work) {
      signal.throwIfAborted();
      const joined = running.get(key) ?? begin(key, work);
      joined.waiting += 1;
      let leave = () => {};
      const left = new Promise<never>((_, reject) => {
        leave = () => {
          joined.waiting -= 1;
          if (joined.waiting > 0) reject(signal.reason);
          else joined.abandon(signal.reason);
        };
      });
      signal.addEventListener('abort', leave, { once: true });
      try {
        return await Promise.race([joined.result, left]);
      } finally {
        signal.removeEventListener('abort', leave);
      }
    },
  };
}
