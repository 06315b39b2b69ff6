export interface RestAnswer {
  readonly status: number;
  /** Undefined if the body is not JSON. */
  readonly body: unknown;
}

export interface RestError {
  readonly code: string;
  readonly message: string;
  /** Place in the query, such as `make.top.keep[0]`. */
  readonly at?: string;
  readonly hint?: string;
  /** What the user can do about it. */
  readonly link?: { readonly text: string; readonly address: string };
}

export const UNREACHABLE = 'The server cannot be reached.';
export const NO_ANSWER =
  'This answer is not from this server. A proxy or the login page of a network may have answered instead.';

const BAD_NONCE = 'rest_cookie_invalid_nonce';

export type JsonObject = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/**
 * The later contract has the error in `error`; the first one has position and hint in `data`. `here` is the page to return to
 * after login.
 */
export function errorOf({ status, body }: RestAnswer, here: string): RestError {
  const top = isObject(body) ? body : {};
  const ended = endOfSession(status, top, here);
  if (ended !== undefined) return ended;
  if (status === 200) return { code: '', message: NO_ANSWER };
  const later = isObject(top.error) ? top.error : undefined;
  const error = later ?? top;
  const more = later ?? (isObject(top.data) ? top.data : {});
  const at = textOf(more.at);
  const hint = textOf(more.hint);
  return {
    code: textOf(error.code) ?? '',
    message: textOf(error.message) ?? `The server answered with status ${status}.`,
    ...(at === undefined ? {} : { at }),
    ...(hint === undefined ? {} : { hint }),
  };
}

/** Replaces messages for programs with links for people. */
function endOfSession(status: number, { code }: JsonObject, here: string): RestError | undefined {
  if (status === 401)
    return {
      code: '',
      message: 'You are no longer logged in.',
      link: { text: 'Log in again', address: `/wp-login.php?redirect_to=${encodeURIComponent(here)}` },
    };
  if (code !== BAD_NONCE) return undefined;
  return {
    code: '',
    message: 'Your session has ended, or this page is too old.',
    link: { text: 'Reload the page', address: here },
  };
}
