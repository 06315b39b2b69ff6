// Work that several callers wait for: it is done once, and is aborted only when nobody waits for it any more.

export interface SharedWork<Result> {
  /**
   * Waits for the running work of this key, or starts it; failed work is not remembered. Rejects with the signal's reason
   * when that aborts. The last waiter rejects only when the work has ended, whose own signal aborts then.
   */
  join(key: string, signal: AbortSignal, work: (signal: AbortSignal) => Promise<Result>): Promise<Result>;
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

  function begin(key: string, work: (signal: AbortSignal) => Promise<Result>): Running<Result> {
    const controller = new AbortController();
    const forget = () => {
      if (running.get(key) === begun) running.delete(key);
    };
    const begun: Running<Result> = {
      result: work(controller.signal).finally(forget),
      waiting: 0,
      abandon(reason) {
        // A later caller starts the work again.
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
