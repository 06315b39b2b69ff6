// The HTTP server: listens, refuses invalid HTTP, and stops without cutting off responses.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import { type AddressInfo, Socket, type ListenOptions as SocketOptions, Server as TcpServer } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Express } from 'express';
import type { Log } from '../extension-api';
import { hostError } from '../rest/host-error';
import { setBodyDeadline } from '../rest/open-body';
import { NO_TUNNEL, refusalFor, refuseRequest, UNKNOWN_EXPECTATION, unparsed } from './http-refusals';
import { explainListenError } from './listen-error';

export interface HttpServer {
  /** Without a trailing slash. */
  readonly url: string;
  /** Stops accepting connections. In-flight responses have `graceMs` to finish. */
  stop(graceMs: number): Promise<void>;
}

interface ListenOptions {
  readonly host: string;
  readonly port: number;
  /** Logs requests that were refused before they could be parsed. */
  readonly log?: Log;
  /** How long a client may go without reading a response. Meanwhile, the response occupies memory or a database connection. */
  readonly unreadMs?: number;
}

const HEADERS_LIMIT_MS = 60_000;
/** Node may wait twice this long, so a stalled client is disconnected within a minute. */
const UNREAD_MS = 30_000;
/**
 * Connections waiting to be accepted; the system may allow fewer. When the queue is full, clients retry after a second or more.
 */
const BACKLOG = 4_096;
/** Per turn of the event loop, libuv accepts one connection per socket. Load shedding does not see those that are still waiting. */
const LISTENING_SOCKETS = process.platform === 'linux' ? 16 : 1;
/** Proxies close idle connections after a minute. If this were shorter, a proxy could send a request on a closed connection. */
const KEEP_ALIVE_MS = 75_000;
/** Time for a client to read a refusal. If the client is still sending, closing immediately would lose the refusal. */
const REFUSAL_MS = 2_000;

/** An IPv6 address as Node expects it. */
export const withoutBrackets = (host: string): string => host.replace(/^\[(.*)\]$/, '$1');

export function urlOf({ address, port, family }: AddressInfo): string {
  const everywhere = address === '::' || address === '0.0.0.0';
  if (everywhere) return `http://127.0.0.1:${port}`;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

interface OpenResponses {
  /** Whether every request on this connection has been answered. */
  isIdle(socket: Socket): boolean;
  /** Whether part of an unfinished response has been sent on this connection. */
  begunOn(socket: Socket): boolean;
  /** Resolves once every complete request on this connection has been answered. */
  settled(socket: Socket): Promise<void> | undefined;
  /** Closes each connection once its responses are sent. Later responses have `Connection: close`. */
  closeEach(): void;
}

/** Tracks the responses of each connection, because Node reports a response as finished before its last byte is sent. */
function trackResponses(server: Server): OpenResponses {
  const open = new Map<Socket, Set<ServerResponse>>();
  let closing = false;

  server.on('connection', (socket: Socket) => {
    open.set(socket, new Set());
    socket.once('close', () => open.delete(socket));
  });
  server.prependListener('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    const responses = open.get(socket);
    responses?.add(response);
    if (closing) response.setHeader('Connection', 'close');
    // Emitted once the last byte has been passed to the system, or the client has disconnected.
    response.once('close', () => {
      responses?.delete(response);
      if (closing && responses?.size === 0) socket.end();
    });
  });

  return {
    isIdle: (socket) => (open.get(socket)?.size ?? 0) === 0,
    begunOn: (socket) => [...(open.get(socket) ?? [])].some(({ headersSent }) => headersSent),
    settled(socket) {
      const last = [...(open.get(socket) ?? [])].findLast(({ req }) => req.complete);
      return last && new Promise((resolve) => last.once('close', resolve));
    },
    closeEach() {
      closing = true;
      for (const [socket, responses] of open) {
        if (responses.size === 0) socket.destroySoon();
        for (const response of responses)
          if (!response.headersSent) response.setHeader('Connection', 'close');
      }
    },
  };
}

/** Express never sees a request that Node cannot parse, so this writes to the connection directly. */
function refuseUnparsed(responses: OpenResponses, log: Log | undefined) {
  const refused = new WeakSet<Duplex>();
  return async (
    error: Pick<NodeJS.ErrnoException, 'code'>,
    socket: Duplex,
    refusal = unparsed(error.code),
  ): Promise<void> => {
    // Already refused: this is more of the same input.
    if (refused.has(socket)) return;
    const canRespond = socket instanceof Socket && socket.writable && error.code !== 'ECONNRESET';
    if (!canRespond) {
      socket.destroy();
      return;
    }
    refused.add(socket);
    // A client would take the refusal for the response to an earlier request.
    const settled = responses.settled(socket);
    if (settled !== undefined) await settled;
    setTimeout(() => socket.destroy(), REFUSAL_MS).unref();
    // A refusal would corrupt the response that is being sent.
    if (!socket.writable || responses.begunOn(socket)) return;
    const [status, code, message] = refusal;
    const requestId = randomUUID();
    log?.info(
      { requestId, status, code: error.code, address: socket.remoteAddress },
      'A request was refused before it could be read.',
    );
    const body = JSON.stringify(hostError(status, code, message, { request_id: requestId }).body);
    const head = [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      'Connection: close',
      `X-Request-Id: ${requestId}`,
      'Content-Type: application/json; charset=UTF-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
    ];
    socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  };
}

async function open(server: TcpServer, options: SocketOptions): Promise<AddressInfo> {
  server.listen(options);
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string')
    throw new Error('The server is not listening on a TCP port.');
  return address;
}

/** The HTTP server's own close() would destroy connections with unsent responses. */
const close = (server: TcpServer): Promise<void> =>
  new Promise((resolve) => TcpServer.prototype.close.call(server, () => resolve()));

/** Listens with the server and with further sockets that pass their connections to it. Returns all of them. */
async function openAll(server: Server, options: SocketOptions) {
  const reusePort = LISTENING_SOCKETS > 1;
  let { host } = options;
  if (reusePort && options.port !== 0) {
    // Fails if another program uses the port: with reusePort, both would receive connections.
    const exclusive = new TcpServer();
    ({ address: host } = await open(exclusive, options));
    await close(exclusive);
  }
  const address = await open(server, { ...options, host, reusePort });
  // A name could resolve to another address each time.
  const shared = { ...options, host: address.address, port: address.port, reusePort };
  const sockets: TcpServer[] = [server];
  const pass = (socket: Socket) => server.emit('connection', socket);
  try {
    while (sockets.length < LISTENING_SOCKETS) {
      const other = new TcpServer({ allowHalfOpen: true, noDelay: true }, pass);
      await open(other, shared);
      sockets.push(other);
    }
  } catch (error) {
    // Node before 22.12 cannot share a port, so it uses a single socket.
    const cannotShare = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
    if (!cannotShare) {
      for (const socket of sockets) void close(socket);
      server.closeAllConnections();
      throw error;
    }
  }
  return { address, sockets };
}

async function stopServer(
  server: Server,
  sockets: readonly TcpServer[],
  responses: OpenResponses,
  graceMs: number,
): Promise<void> {
  const force = setTimeout(() => server.closeAllConnections(), graceMs);
  const closed = Promise.all(sockets.map(close));
  responses.closeEach();
  await closed;
  clearTimeout(force);
}

/** Rejects with a ListenFailed if the port or the address cannot be used. */
export async function listen(
  app: Express,
  { host, port, log, unreadMs = UNREAD_MS }: ListenOptions,
): Promise<HttpServer> {
  // open-body.ts limits how long a body may take to arrive.
  const timeouts = { requestTimeout: 0, headersTimeout: HEADERS_LIMIT_MS, keepAliveTimeout: KEEP_ALIVE_MS };
  const server = createServer({ ...timeouts, requireHostHeader: false }, (request, response) => {
    // HTTP/1.0 has no responses before the final one.
    if (request.httpVersion === '1.0') delete request.headers.expect;
    const misfit = refusalFor(request);
    if (misfit !== undefined) refuseRequest(response, misfit);
    else app(request, response);
  });
  // By default, Node drops headers after the 2,000th, possibly those added by a proxy. Their total size is limited anyway.
  server.maxHeadersCount = 0;
  const responses = trackResponses(server);
  const refuse = refuseUnparsed(responses, log);
  server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
    setBodyDeadline(request, response, () => refuse({ code: 'ERR_HTTP_REQUEST_TIMEOUT' }, request.socket));
  });
  // For "Expect: 100-continue", the code that reads the body sends the 100 (read-body.ts, form-request.ts).
  server.on('checkContinue', (request, response) => server.emit('request', request, response));
  server.on('checkExpectation', (_request, response) => refuseRequest(response, UNKNOWN_EXPECTATION));
  server.on('clientError', refuse);
  server.on('connect', (_request, socket) => refuse({}, socket, NO_TUNNEL));
  // Called for idle connections too, including those kept alive for the next request.
  server.setTimeout(unreadMs, (socket: Socket) => {
    if (socket.writableLength > 0) socket.resetAndDestroy();
    else if (responses.isIdle(socket)) socket.destroy();
  });
  const { address, sockets } = await openAll(server, {
    port,
    host: withoutBrackets(host),
    backlog: BACKLOG,
  }).catch((error: NodeJS.ErrnoException) => {
    throw explainListenError(error, { host, port, setting: 'PORT' });
  });
  return { url: urlOf(address), stop: (graceMs) => stopServer(server, sockets, responses, graceMs) };
}
