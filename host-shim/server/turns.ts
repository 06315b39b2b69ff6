/** Returns a function that runs each key's tasks one at a time. A failure does not affect the next task. */
export function createTurns() {
  const last = new Map<string, Promise<unknown>>();
  return <T>(key: string, task: () => Promise<T>): Promise<T> => {
    const run = (last.get(key) ?? Promise.resolve()).then(task);
    const ended = run
      .catch(() => undefined)
      .then(() => {
        if (last.get(key) === ended) last.delete(key);
      });
    last.set(key, ended);
    return run;
  };
}
