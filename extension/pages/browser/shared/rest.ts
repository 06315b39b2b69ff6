// Calls of the REST interface from a page: the session's cookie goes along with its nonce.
import { element } from './elements';
import { errorOf, isObject, type JsonObject, type RestAnswer, type RestError } from './rest-answer';

export interface RestRequest {
  /** Sent as it was written, by POST; without it the call is a GET. */
  readonly body?: string;
  readonly method?: 'DELETE';
  readonly signal?: AbortSignal;
  /** The page that asks on its own, for the query log. */
  readonly page?: string;
}

const metaOf = (name: string): string =>
  document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? '';

/** As this browser reaches it. */
export const restRoot = (): string => new URL(metaOf('rest-root'), location.href).href;

/** Without the part behind #: a link to that would not reload the page. */
export const thisPage = (): string => location.pathname + location.search;

/** The nonce of the page expires; an answer may bring a fresh one. */
let nonce = '';

export function restNonce(): string {
  if (nonce === '') nonce = metaOf('rest-nonce');
  return nonce;
}

let linkKey = '';

/** Asks with the key of a link from now on, as nobody who is logged in. */
export function useLinkKey(key: string): void {
  linkKey = key;
}

/** `route` is relative to the REST root. Rejects without a connection; every status is an answer. */
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

/** The same, with the answer read. */
export async function callRest(route: string, request?: RestRequest): Promise<RestAnswer> {
  const response = await sendRest(route, request);
  return { status: response.status, body: parsedJson(await response.text()) };
}

/** undefined where it is none. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The body of a successful call. Throws an Error with a sentence for everything else. */
export async function fetchRest(route: string, request?: RestRequest): Promise<JsonObject> {
  const answer = await callRest(route, request);
  if (answer.status === 200 && isObject(answer.body)) return answer.body;
  const { message, link } = errorOf(answer, thisPage());
  throw new Error(link === undefined ? message : `${message} ${link.text}.`);
}

/** The message as nodes, followed by the link where there is one. */
export function sentenceOf({
  message,
  link,
}: Pick<RestError, 'message' | 'link'>): readonly (string | Node)[] {
  if (link === undefined) return [message];
  const anchor = element('a', link.text);
  anchor.href = link.address;
  return [message, ' ', anchor, '.'];
}
