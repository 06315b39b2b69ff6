interface Turn {
  readonly key: string | undefined;
  begin(): void;
}

/**
 * Runs up to `limit` tasks at a time, and only one with the same key; others wait in order. Aborting a waiting task's signal removes
 * the task.
 */
export function takeTurns(limit: number) {
  let running = 0;
  const busyKeys = new Set<string | undefined>();
  const waiting = new Set<Turn>();

  const beginNext = (): void => {
    for (const turn of waiting) {
      if (running === limit) return;
      if (busyKeys.has(turn.key)) continue;
      waiting.delete(turn);
      running += 1;
      if (turn.key !== undefined) busyKeys.add(turn.key);
      turn.begin();
    }
  };

  const takeTurn = (signal: AbortSignal | undefined, key: string | undefined) =>
    new Promise<void>((resolve, reject) => {
      signal?.throwIfAborted();
      const leave = () => {
        waiting.delete(turn);
        reject(signal?.reason);
      };
      const begin = () => {
        signal?.removeEventListener('abort', leave);
        resolve();
      };
      const turn = { key, begin };
      signal?.addEventListener('abort', leave, { once: true });
      waiting.add(turn);
      beginNext();
    });

  const inTurn = async <T>(work: () => Promise<T>, signal?: AbortSignal, key?: string): Promise<T> => {
    await takeTurn(signal, key);
    try {
      return await work();
    } finally {
      running -= 1;
      busyKeys.delete(key);
      beginNext();
    }
  };
  return Object.assign(inTurn, { use: () => ({ running, waiting: waiting.size }) });
}
