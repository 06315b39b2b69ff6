export class TooSlow extends Error {
  override readonly name = 'TooSlow';
}

/** Rejects with a TooSlow after `patienceMs`. The work is not interrupted. */
export async function withinTime<T>(work: () => Promise<T>, patienceMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const tooLong = new Promise<never>((_resolve, reject) => {
    const message = `it had not finished after ${patienceMs / 1000} s`;
    timer = setTimeout(() => reject(new TooSlow(message)), patienceMs);
  });
  try {
    return await Promise.race([work(), tooLong]);
  } finally {
    clearTimeout(timer);
  }
}
