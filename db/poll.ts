/** Calls `look` once per interval unless the last call is still running. Returns a function that stops it. */
export function poll(look: () => Promise<void>, intervalMs: number): () => void {
  let isLooking = false;
  const timer = setInterval(() => {
    if (isLooking) return;
    isLooking = true;
    look().finally(() => {
      isLooking = false;
    });
  }, intervalMs).unref();
  return () => clearInterval(timer);
}
