// What a page says when the REST interface gives no answer of its own: the session is over, or somebody else answered.
// status + body -> a sentence, with a link where one helps. The words of the API are for programs and not shown then.
import type { RestAnswer } from './rest-answer';

export interface Refusal {
  readonly message: string;
  readonly link?: { readonly text: string; readonly address: string };
}

export const UNREACHABLE = 'The server cannot be reached.';
export const NO_ANSWER =
  'What came back is no answer of this server: something in between (a proxy, the login page of a network) may have answered in its place.';

const BAD_NONCE = 'rest_cookie_invalid_nonce';

/** Whether a value of JSON is an object, so that its members can be looked at. */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Of nobody who is logged in, or of a page whose nonce is of another session or too old: reloading leads to the login; undefined for every other answer. `here` is this page's address. */
export function sessionRefusal({ status, body }: RestAnswer, here: string): Refusal | undefined {
  if (status === 401)
    return {
      message: 'You are not logged in any more.',
      link: { text: 'Log in again', address: `/wp-login.php?redirect_to=${encodeURIComponent(here)}` },
    };
  if (isObject(body) && body.code === BAD_NONCE)
    return {
      message: 'Your session has ended, or this page is too old.',
      link: { text: 'Reload the page', address: here },
    };
  return undefined;
}
