// REST calls from a page, with the session cookie and its nonce.
import { element } from './elements';
import { errorOf, isObject, type JsonObject, type RestAnswer, type RestError } from './rest-answer';

export interface RestRequest {
  /** Sent by POST; without a body the call is a GET. */
  readonly body?: string;
  readonly method?: 'DELETE';
  readonly signal?: AbortSignal;
  /** Recorded in the query log as the page that sent the query automatically. */
  readonly page?: string;
}

const metaOf = (name: string): string =>
  document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? '';

/** The address that this browser uses. */
export const restRoot = (): string => new URL(metaOf('rest-root'), location.href).href;

/** Without the hash: a link to the same page with a hash does not reload it. */
export const thisPage = (): string => location.pathname + location.search;

/** The nonce of the page expires; responses may contain a new one. */
let nonce = '';

export function restNonce(): string {
  if (nonce === '') nonce = metaOf('rest-nonce');
  return nonce;
}

let linkKey = '';

/** Authenticates with a link's key from now on, instead of the session. */
export function useLinkKey(key: string): void {
  linkKey = key;
}

/** `route` is relative to the REST root. Rejects only without a connection. */
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

export async function callRest(route: string, request?: RestRequest): Promise<RestAnswer> {
  const response = await sendRest(route, request);
  return { status: response.status, body: parsedJson(await response.text()) };
}

/** undefined if it is not JSON. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The body of a successful call. Throws an Error with a message for the user otherwise. */
export async function fetchRest(route: string, request?: RestRequest): Promise<JsonObject> {
  const answer = await callRest(route, request);
  if (answer.status === 200 && isObject(answer.body)) return answer.body;
  const { message, link } = errorOf(answer, thisPage());
  throw new Error(link === undefined ? message : `${message} ${link.text}.`);
}

/** The message as nodes, followed by its link if it has one. */
export function sentenceOf({
  message,
  link,
}: Pick<RestError, 'message' | 'link'>): readonly (string | Node)[] {
  if (link === undefined) return [message];
  return [message, ' ', element('a', link.text, '', { href: link.address }), '.'];
}
