// The bridge between Express and dispatch: builds a RestRequest, writes the RestAnswer with the headers of WordPress.
// Not a router: the address decides by itself (route-address.ts), since one route has three forms of it.
import type { Request, Response } from 'express';
import type { Authenticator } from '../auth/authentication';
import type { CredentialsRule } from '../auth/caller-address';
import { challengeFor } from './challenge';
import type { RestAnswer } from './dispatch';
import type { RestRequest } from './host-request';
import { readBody } from './read-body';
import { type RouteAddress, textOf } from './route-address';
import { rootOf } from './self-description';

export interface RestHandlerOptions {
  readonly name: string;
  readonly description: string;
  readonly restPrefix: string;
  readonly authenticate: Authenticator;
  readonly credentialsAllowed: CredentialsRule;
  dispatch(request: RestRequest): Promise<RestAnswer>;
}

const HOST_HEADER = /^[A-Za-z0-9.:[\]_-]{1,255}$/;
/** How long a client may go on sending a body that is refused. */
const UNREAD_MS = 2_000;
/** For everything behind the login. */
export const PRIVATE = 'no-cache, must-revalidate, max-age=0, no-store, private';

/**
 * Scheme, host and port as the caller wrote them, or as a trusted proxy says in X-Forwarded-Proto and X-Forwarded-Host;
 * what is no host is not repeated.
 */
export function homeOf(request: Request): string {
  const host = request.host;
  return `${request.protocol}://${host !== undefined && HOST_HEADER.test(host) ? host : 'localhost'}`;
}

export function linkToRoot(root: string): string {
  return `<${root}>; rel="https://api.w.org/"`;
}

function oneText(headers: Request['headers']): Record<string, string | undefined> {
  const texts: Record<string, string | undefined> = {};
  for (const [name, value] of Object.entries(headers))
    texts[name] = Array.isArray(value) ? value.join(', ') : value;
  return texts;
}

/** Aborted when the connection closes before the answer is complete. */
function signalOf(response: Response): AbortSignal {
  const controller = new AbortController();
  response.on('close', () => {
    if (!response.writableFinished) controller.abort();
  });
  return controller.signal;
}

function send(request: Request, response: Response, answer: RestAnswer, realm: string): void {
  if (response.destroyed) return;
  // Bytes at once: a text would be measured, then joined to the headers, then written as bytes after all.
  const body = Buffer.from(JSON.stringify(answer.body));
  for (const [name, value] of Object.entries(answer.headers)) {
    if (name === 'Link') response.appendHeader(name, value);
    else response.setHeader(name, value);
  }
  if (answer.user !== null) response.setHeader('Cache-Control', PRIVATE);
  // Addresses in an answer follow Host and X-Forwarded-Host: a cache that keeps it would tell one caller's to others.
  else if (!response.hasHeader('Cache-Control')) response.setHeader('Cache-Control', 'no-store');
  const challenge = answer.status === 401 ? challengeFor(request.headers, realm) : undefined;
  if (challenge !== undefined) response.setHeader('WWW-Authenticate', challenge);
  response.statusCode = answer.status;
  response.setHeader('Content-Type', 'application/json; charset=UTF-8');
  response.setHeader('Content-Length', body.length);
  if (isRead(request)) response.end(body);
  else closeAfter(request, response, body);
}

function isRead(request: Request): boolean {
  const { 'content-length': length = '0', 'transfer-encoding': encoding } = request.headers;
  return request.complete || (encoding === undefined && Number(length) === 0);
}

/**
 * The rest of the body is not wanted. A connection that is closed while its client still sends would take the answer
 * away with it, so the answer is given whole, and what comes meanwhile is let through for a moment.
 */
function closeAfter(request: Request, response: Response, body: Buffer): void {
  response.setHeader('Connection', 'close');
  response.write(body);
  const end = () => {
    clearTimeout(patience);
    response.end();
  };
  const patience = setTimeout(end, UNREAD_MS);
  request.once('close', end);
  request.resume();
}

/** What a POST stands in for, where a client or what lies between cannot send the method itself. */
function meantMethod(request: Request, query: RouteAddress['query']): string {
  const { method } = request;
  if (method !== 'POST') return method;
  return (textOf(query, '_method') || request.get('x-http-method-override') || method).trim().toUpperCase();
}

/** Answers one request whose address is known to be a REST one. */
export function createRestHandler(options: RestHandlerOptions) {
  const { name, description, restPrefix } = options;
  return async (request: Request, response: Response, address: RouteAddress, id: string): Promise<void> => {
    const home = homeOf(request);
    response.setHeader('Link', linkToRoot(rootOf({ home, restPrefix })));
    response.setHeader('X-Robots-Tag', 'noindex');
    const answer = await options.dispatch({
      id,
      method: meantMethod(request, address.query),
      route: address.route,
      query: address.query,
      headers: oneText(request.headers),
      signal: signalOf(response),
      installation: {
        name,
        description,
        home,
        restPrefix,
        credentialsAllowed: options.credentialsAllowed(request),
      },
      authenticate: () => options.authenticate(request, response, address.query),
      readBody: (accepts) => readBody(request, response, accepts),
    });
    send(request, response, answer, name);
  };
}
