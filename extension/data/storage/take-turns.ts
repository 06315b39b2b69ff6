/** Runs up to `limit` tasks at a time; others wait in order. Aborting a waiting task's signal removes the task. */
export function takeTurns(limit: number) {
  let free = limit;
  const waiting = new Set<() => void>();
  const turn = (signal: AbortSignal | undefined) =>
    new Promise<void>((resolve, reject) => {
      signal?.throwIfAborted();
      const leave = () => {
        waiting.delete(enter);
        reject(signal?.reason);
      };
      const enter = () => {
        signal?.removeEventListener('abort', leave);
        resolve();
      };
      waiting.add(enter);
      signal?.addEventListener('abort', leave, { once: true });
    });
  return async <T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> => {
    if (free === 0) await turn(signal);
    else free -= 1;
    try {
      return await work();
    } finally {
      const [next] = waiting;
      if (next === undefined) free += 1;
      else {
        waiting.delete(next);
        next();
      }
    }
  };
}
