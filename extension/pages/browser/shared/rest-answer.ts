import type { CheckedFault } from '../../shared-types/query-check';

export interface RestAnswer {
  /** 0 if there was no connection or the request was aborted. */
  readonly status: number;
  /** Undefined if the body is not JSON. */
  readonly body: unknown;
}

export interface RestError extends CheckedFault {
  /** What the user can do to fix the error. */
  readonly remedy?: 'log-in' | 'reload';
}

export const UNREACHABLE = 'The server cannot be reached.';
export const NO_ANSWER =
  "This response is not from this server. A proxy or a network's login page may have responded instead.";

const BAD_NONCE = 'rest_cookie_invalid_nonce';

export type JsonObject = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** undefined if the text is not JSON. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/**
 * Later contracts put the error in `error`; the first contract puts the position and the hint in `data`. When the session has ended,
 * the server's message is replaced by one for the user.
 */
export function errorOf({ status, body }: RestAnswer): RestError {
  const top = isObject(body) ? body : {};
  if (status === 0) return { code: '', message: UNREACHABLE };
  if (status === 401) return { code: '', message: 'You are no longer logged in.', remedy: 'log-in' };
  if (top.code === BAD_NONCE)
    return { code: '', message: 'Your session has ended, or this page is too old.', remedy: 'reload' };
  if (status === 200) return { code: '', message: NO_ANSWER };
  const later = isObject(top.error) ? top.error : undefined;
  const error = later ?? top;
  const more = later ?? (isObject(top.data) ? top.data : {});
  return {
    code: textOf(error.code) ?? '',
    message: textOf(error.message) ?? `The server answered with status ${status}.`,
    at: textOf(more.at),
    hint: textOf(more.hint),
  };
}
