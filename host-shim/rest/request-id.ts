// One id per request: the caller's X-Request-Id when it is sane, otherwise a new one.
// It stands on the answer, on every log line of the request, and in the body of a 500.
import { randomUUID } from 'node:crypto';

const SANE = /^[A-Za-z0-9._:-]{1,64}$/;

export function requestIdOf(header: string | string[] | undefined): string {
  return typeof header === 'string' && SANE.test(header) ? header : randomUUID();
}
