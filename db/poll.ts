/** Calls `task` once per interval unless the previous call is still running. Returns a function that stops the calls. */
export function poll(task: () => Promise<void>, intervalMs: number): () => void {
  let isRunning = false;
  const timer = setInterval(() => {
    if (isRunning) return;
    isRunning = true;
    task().finally(() => {
      isRunning = false;
    });
  }, intervalMs).unref();
  return () => clearInterval(timer);
}
