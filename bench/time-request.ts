// Owns the time of one request at the client: from asking to the last byte of the answer.
import type { Target } from './request-cost';

/** Milliseconds; an answer that is not 200 is an error. */
export async function timeRequest({ url, headers, body }: Target): Promise<number> {
  const started = performance.now();
  const response = await fetch(url, { method: 'POST', headers, body });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${response.status}: ${text}`);
  return performance.now() - started;
}
