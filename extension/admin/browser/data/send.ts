// Sends requests to the REST interface with the session's cookie and its nonce; a text is sent as it was written.
// Every answer comes back with its status: what it means is for the caller to say. Rejects when there is no connection.
import type { RestAnswer } from './rest-answer';

export interface RestRequest {
  /** With it POST, else GET. */
  readonly body?: string;
  readonly signal?: AbortSignal;
  /** The page that asks by itself, for the record of the query. */
  readonly page?: string;
}

const metaOf = (name: string): string =>
  document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? '';

export const restRoot = (): string => metaOf('rest-root');

/** The address of the page without what stands behind its #: a link to that would not load it anew. */
export const thisPage = (): string => location.pathname + location.search;

/** A nonce grows old with the page; an answer may bring a fresh one. */
let nonce = '';

/** `route` begins below the root of the REST interface. */
export async function send(route: string, { body, signal, page }: RestRequest = {}): Promise<RestAnswer> {
  if (nonce === '') nonce = metaOf('rest-nonce');
  const response = await fetch(restRoot() + route, {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      Accept: 'application/json',
      'X-WP-Nonce': nonce,
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...(page === undefined ? {} : { 'X-QAL-Page': page }),
    },
    ...(body === undefined ? {} : { body }),
    ...(signal === undefined ? {} : { signal }),
  });
  nonce = response.headers.get('X-WP-Nonce') ?? nonce;
  // A connection that breaks within the body is one that failed; a body that is no JSON is an answer.
  return { status: response.status, body: parsed(await response.text()) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
