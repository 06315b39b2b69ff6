// REST calls from a page, with the session cookie and its nonce.
import { element } from './elements';
import { errorOf, isObject, parsedJson, type RestAnswer, type RestError } from './rest-answer';

interface RestRequest {
  /** Sent with POST; without a body, the call is a GET. */
  readonly body?: string;
  readonly method?: 'DELETE';
  readonly signal?: AbortSignal;
  /** Recorded in the query log as the page that sent the query automatically. */
  readonly page?: string;
}

const metaOf = (name: string): string =>
  document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? '';

/** The REST root at the address that this browser uses. */
export const restRoot = (): string => new URL(metaOf('rest-root'), location.href).href;

/** The page's nonce expires; responses may contain a new one. */
let nonce = '';

export function restNonce(): string {
  if (nonce === '') nonce = metaOf('rest-nonce');
  return nonce;
}

let linkKey = '';

/** After this call, requests are authenticated with a link's key instead of the session. */
export function useLinkKey(key: string): void {
  linkKey = key;
}

/** `route` is relative to the REST root. Rejects only if there is no connection or the request was aborted. */
export async function sendRest(
  route: string,
  { body, method, signal, page }: RestRequest = {},
): Promise<Response> {
  const response = await fetch(restRoot() + route, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: {
      Accept: 'application/json',
      ...(linkKey === '' ? { 'X-WP-Nonce': restNonce() } : { 'X-Link-Key': linkKey }),
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...(page === undefined ? {} : { 'X-QAL-Page': page }),
    },
    body: body ?? null,
    signal: signal ?? null,
  });
  nonce = response.headers.get('X-WP-Nonce') ?? nonce;
  return response;
}

/** Never rejects. */
export async function answerOf(sent: Promise<Response>): Promise<RestAnswer> {
  try {
    const response = await sent;
    return { status: response.status, body: parsedJson(await response.text()) };
  } catch {
    return { status: 0, body: undefined };
  }
}

export const callRest = (route: string, request?: RestRequest): Promise<RestAnswer> =>
  answerOf(sendRest(route, request));

/** Returns the body of a successful call. Otherwise throws an Error with a message for the user. */
export async function fetchAs<Body>(
  isBody: (body: unknown) => body is Body,
  route: string,
  request?: RestRequest,
): Promise<Body> {
  const answer = await callRest(route, request);
  if (answer.status === 200 && isBody(answer.body)) return answer.body;
  const { message, hint = '', remedy } = errorOf(answer);
  const more = remedy === undefined ? hint : `${REMEDIES[remedy].text}.`;
  throw new Error(`${message} ${more}`.trimEnd());
}

export const fetchRest = (route: string, request?: RestRequest) => fetchAs(isObject, route, request);

/** The message of any thrown value. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Without the hash: a link to the same page with a hash does not reload it. */
const thisPage = (): string => location.pathname + location.search;

const REMEDIES = {
  'log-in': {
    text: 'Log in again',
    address: () => `/wp-login.php?redirect_to=${encodeURIComponent(thisPage())}`,
  },
  reload: { text: 'Reload the page', address: thisPage },
} as const;

/** Message and hint as nodes, followed by a link to the remedy if there is one. */
export function sentenceOf({
  message,
  hint,
  remedy,
}: Pick<RestError, 'message' | 'hint'> & Partial<RestError>): readonly (string | Node)[] {
  const words = hint === undefined ? message : `${message} ${hint}`;
  if (remedy === undefined) return [words];
  const { text, address } = REMEDIES[remedy];
  return [`${words} `, element('a', text, '', { href: address() }), '.'];
}
