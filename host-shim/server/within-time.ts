export class TooSlow extends Error {
  override readonly name = 'TooSlow';
}

/** Rejects with a TooSlow after `limitMs`. The work is not interrupted. */
export async function withinTime<T>(work: () => Promise<T>, limitMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const tooLong = new Promise<never>((_resolve, reject) => {
    const message = `it had not finished after ${limitMs / 1000} s`;
    timer = setTimeout(() => reject(new TooSlow(message)), limitMs);
  });
  try {
    return await Promise.race([work(), tooLong]);
  } finally {
    clearTimeout(timer);
  }
}
