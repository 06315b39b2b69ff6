// Ends the wait for a piece of work that takes too long, so that one extension cannot hold up the others.
// The work itself goes on where nobody waits for it any more; it counts as failed.

/** How long an extension may take for one of its callbacks. */
export const PATIENCE_MS = 30_000;

/** What the work gives, or an Error with a sentence once it took longer than that. */
export async function withinTime<T>(work: () => Promise<T>, patienceMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const tooLong = new Promise<never>((_resolve, reject) => {
    const message = `it had not finished after ${patienceMs / 1000} s`;
    timer = setTimeout(() => reject(new Error(message)), patienceMs);
  });
  try {
    return await Promise.race([work(), tooLong]);
  } finally {
    clearTimeout(timer);
  }
}
