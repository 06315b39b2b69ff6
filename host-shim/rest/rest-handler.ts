// Connects Express to dispatch, without an Express router, because each route has three forms of address (route-address.ts).
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Request, Response } from 'express';
import type { Authenticator } from '../auth/authentication';
import { type CredentialsRule, callerAddress } from '../auth/caller-address';
import { jsonPieces } from '../extension-api';
import type { RestAnswer } from './dispatch';
import type { RestRequest } from './host-request';
import { openBody } from './open-body';
import { createOutbox, OUTBOX_LIMITS } from './outbox';
import { readBody } from './read-body';
import { type RouteAddress, textOf } from './route-address';
import { nameRoute } from './route-name';
import { rootOf } from './self-description';
import { sendPieces } from './send-pieces';

export interface RestHandlerOptions {
  readonly name: string;
  readonly description: string;
  readonly restPrefix: string;
  readonly authenticate: Authenticator;
  readonly credentialsAllowed: CredentialsRule;
  dispatch(request: RestRequest): Promise<RestAnswer>;
}

const HOST_HEADER = /^[A-Za-z0-9.:[\]_-]{1,255}$/;
/** How long a client may keep sending a rejected body. */
const UNREAD_MS = 2_000;
/** Cache-Control for everything that needs a login. */
export const PRIVATE = 'no-cache, must-revalidate, max-age=0, no-store, private';

/** The name of the Express app's setting that contains QAL_PUBLIC_URL. */
export const PUBLIC_URL = 'public url';

/** Scheme, host and port as the client sent them, from a trusted proxy's headers if there is one. An invalid host is replaced. */
export function originOf(request: Request): string {
  const host = request.host;
  return `${request.protocol}://${host !== undefined && HOST_HEADER.test(host) ? host : 'localhost'}`;
}

/** The beginning of the URLs in a response. */
export function homeOf(request: Request): string {
  const publicUrl: unknown = request.app.get(PUBLIC_URL);
  return typeof publicUrl === 'string' ? publicUrl : originOf(request);
}

export function linkToRoot(root: string): string {
  return `<${root}>; rel="https://api.w.org/"`;
}

function joinHeaders(headers: Request['headers']): Record<string, string | undefined> {
  const texts: Record<string, string | undefined> = {};
  for (const [name, value] of Object.entries(headers))
    texts[name] = Array.isArray(value) ? value.join(', ') : value;
  return texts;
}

/** Aborted when the client disconnects; also if it has already disconnected. */
export function signalOf(response: Response): AbortSignal {
  const controller = new AbortController();
  const stop = () => {
    if (!response.writableFinished) controller.abort();
  };
  if (response.closed) stop();
  else response.once('close', stop);
  return controller.signal;
}

type SendBody = ReturnType<typeof createOutbox>;

function setHeaders(request: Request, response: Response, answer: RestAnswer, realm: string): void {
  if (response.destroyed) return;
  for (const [name, value] of Object.entries(answer.headers)) {
    if (name === 'Link') response.appendHeader(name, value);
    else response.setHeader(name, value);
  }
  if (answer.user !== null) response.setHeader('Cache-Control', PRIVATE);
  // Links in the response contain the client's Host, so a cache must not serve them to others.
  else if (!response.hasHeader('Cache-Control')) response.setHeader('Cache-Control', 'no-store');
  const challenge = answer.status === 401 ? challengeFor(request.headers, realm) : undefined;
  if (challenge !== undefined) response.setHeader('WWW-Authenticate', challenge);
  response.statusCode = answer.status;
  if (answer.pieces !== undefined)
    response.appendHeader('Access-Control-Expose-Headers', Object.keys(answer.headers).join(', '));
}

async function sendJson(request: Request, response: Response, answer: RestAnswer, sendBody: SendBody) {
  if (!isRead(request)) await Promise.race([endOf(request), nextTurn()]);
  if (response.destroyed) return;
  if (request.fresh) {
    response.statusCode = 304;
    response.end();
    return;
  }
  // Node would need two passes over a string: one to compute its length, one to encode it.
  const body = Buffer.from(JSON.stringify(answer.body) ?? '');
  response.setHeader('Content-Type', 'application/json; charset=UTF-8');
  response.setHeader('Content-Length', body.length);
  if (isRead(request)) sendBody(response, body);
  else closeAfter(request, response, body);
}

/** Sends JSON with lists. A short response is sent in one piece, with a Content-Length. */
async function sendLists(response: Response, body: unknown, signal: AbortSignal): Promise<void> {
  if (response.destroyed) return;
  response.setHeader('Content-Type', 'application/json; charset=UTF-8');
  const pieces = jsonPieces(body);
  const first = await pieces.next();
  const second = await pieces.next();
  if (first.done === true || second.done === true) {
    response.end(first.value ?? '');
    return;
  }
  await sendPieces(response, startingWith([first.value, second.value], pieces), signal);
}

async function* startingWith<Piece>(first: readonly Piece[], rest: AsyncIterable<Piece>) {
  yield* first;
  yield* rest;
}

const BROWSER_HEADERS = ['cookie', 'x-wp-nonce', 'sec-fetch-mode'] as const;

/** After a 401 with this header, curl --anyauth, wget and urllib send credentials. A browser would show a login dialog. */
function challengeFor(headers: Request['headers'], realm: string): string | undefined {
  if (BROWSER_HEADERS.some((name) => headers[name] !== undefined)) return undefined;
  return `Basic realm="${realm.replace(/["\\]/g, '')}", charset="UTF-8"`;
}

function isRead(request: Request): boolean {
  const { 'content-length': length = '0', 'transfer-encoding': encoding } = request.headers;
  return request.complete || (encoding === undefined && Number(length) === 0);
}

/** Discards the body. A short one has arrived by the next turn of the event loop, so the connection can stay open. */
function endOf(request: Request): Promise<void> {
  return new Promise((resolve) => {
    request.once('end', resolve).resume();
  });
}

/** Responds before the body is read. Closing immediately could lose the response, so this first discards input for a moment. */
export function closeAfter(request: Request, response: Response, body: Buffer | string): void {
  response.setHeader('Connection', 'close');
  response.write(body);
  const end = () => {
    clearTimeout(timer);
    response.end();
  };
  const timer = setTimeout(end, UNREAD_MS);
  request.once('close', end);
  request.resume();
}

/** Clients that can send only POST name the intended method in a parameter or a header. */
function intendedMethod(request: Request, query: RouteAddress['query']): string {
  const { method } = request;
  if (method !== 'POST') return method;
  return (textOf(query, '_method') || request.get('x-http-method-override') || method).trim().toUpperCase();
}

export function createRestHandler(options: RestHandlerOptions) {
  const { name, description, restPrefix } = options;
  const sendBody = createOutbox(OUTBOX_LIMITS);
  return async (request: Request, response: Response, address: RouteAddress, id: string): Promise<void> => {
    const home = homeOf(request);
    response.setHeader('Link', linkToRoot(rootOf({ home, restPrefix })));
    response.setHeader('X-Robots-Tag', 'noindex');
    const signal = signalOf(response);
    const answer = await options.dispatch({
      id,
      method: intendedMethod(request, address.query),
      route: address.route,
      query: address.query,
      headers: joinHeaders(request.headers),
      callerAddress: callerAddress(request),
      accepts: (types) => request.accepts([...types]) || undefined,
      signal,
      onClose: (run) => {
        if (response.closed) run();
        else response.once('close', run);
      },
      installation: {
        name,
        description,
        home,
        restPrefix,
        credentialsAllowed: options.credentialsAllowed(request),
      },
      authenticate: (enter) => options.authenticate(request, response, address.query, enter),
      readBody: (accepts) => readBody(request, response, accepts),
      openBody: () => openBody(request, response),
    });
    nameRoute(response, restPrefix + (answer.route ?? '/'));
    setHeaders(request, response, answer, name);
    if (answer.pieces !== undefined) await sendPieces(response, answer.pieces, signal);
    else if (answer.hasLists === true) await sendLists(response, answer.body, signal);
    else await sendJson(request, response, answer, sendBody);
  };
}
