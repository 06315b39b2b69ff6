// The listening server: it starts, refuses what is not HTTP, and stops without cutting off answers on their way.
import { randomUUID } from 'node:crypto';
import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import { type AddressInfo, Socket, Server as TcpServer } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Express } from 'express';
import type { Log } from '../extension-api';
import { setBodyDeadline } from '../rest/body-deadline';
import { hostError } from '../rest/host-error';
import { misfitOf, NO_TUNNEL, refuseRequest, UNKNOWN_EXPECTATION, unparsed } from './http-refusals';

export interface HttpServer {
  /** Without a slash at the end. */
  readonly url: string;
  /** Accepts no new connections; answers on their way get `graceMs` to arrive. */
  stop(graceMs: number): Promise<void>;
}

interface ListenOptions {
  readonly host: string;
  readonly port: number;
  /** Records requests that were refused before they could be read. */
  readonly log?: Log;
  /** How long a client may read nothing of an answer that is ready for it: an answer occupies memory, or a connection to the database. */
  readonly unreadMs?: number;
}

/** The server cannot listen on this port; the message has the remedy. */
class ListenFailed extends Error {
  override readonly name = 'ListenFailed';
}

const HEADERS_LIMIT_MS = 60_000;
/** Node lets it pass once more when the first of it saw bytes leave, so a reader that stalls is cut off within a minute. */
const UNREAD_MS = 30_000;
/** Of connections not accepted yet; the system's own bound may be lower. Where it overflows, a client waits a second or more to try again. */
const BACKLOG = 4_096;
/** Longer than the minute after which proxies close a connection themselves: if the server closed first, a proxy could send a request on a closed connection. */
const KEPT_ALIVE_MS = 75_000;
/** Time for the client to read a refusal: closing at once would lose it while the client still sends. */
const READING_MS = 2_000;

const ADVICE: Readonly<Record<string, string>> = {
  EADDRINUSE: 'is in use: stop the other program, or choose another port with PORT',
  EACCES: 'may not be used by this account: choose a PORT above 1023',
  EADDRNOTAVAIL: 'is not an address of this machine: set HOST to one that is',
  ENOTFOUND: 'is not a name that this machine knows: set HOST to an address of it',
};

function explain(error: NodeJS.ErrnoException, host: string, port: number): Error {
  const advice = ADVICE[error.code ?? ''];
  return advice === undefined ? error : new ListenFailed(`${host} port ${port} ${advice}.`, { cause: error });
}

function urlOf({ address, port, family }: AddressInfo): string {
  const everywhere = address === '::' || address === '0.0.0.0';
  if (everywhere) return `http://127.0.0.1:${port}`;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

interface OpenAnswers {
  /** Whether no request is being answered on this connection. */
  isIdle(socket: Socket): boolean;
  /** Whether an answer has begun to travel on this connection. */
  begunOn(socket: Socket): boolean;
  /** Ends each connection as soon as nothing is left to send; later answers announce that it closes. */
  closeEach(): void;
}

/** Follows the answers on every connection: Node counts an answer as done before its last byte is sent. */
function trackAnswers(server: Server): OpenAnswers {
  const open = new Map<Socket, Set<ServerResponse>>();
  let closing = false;

  server.on('connection', (socket: Socket) => {
    open.set(socket, new Set());
    socket.once('close', () => open.delete(socket));
  });
  server.prependListener('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    const answers = open.get(socket);
    answers?.add(response);
    if (closing) response.setHeader('Connection', 'close');
    // Emitted once the last byte was handed to the system, or the client has gone.
    response.once('close', () => {
      answers?.delete(response);
      if (closing && answers?.size === 0) socket.end();
    });
  });

  return {
    isIdle: (socket) => (open.get(socket)?.size ?? 0) === 0,
    begunOn: (socket) => [...(open.get(socket) ?? [])].some(({ headersSent }) => headersSent),
    closeEach() {
      closing = true;
      for (const [socket, answers] of open) {
        if (answers.size === 0) socket.destroySoon();
        for (const answer of answers) if (!answer.headersSent) answer.setHeader('Connection', 'close');
      }
    },
  };
}

/** Node's parser fails before Express sees a request, so the answer is written directly to the connection. */
function refuseUnparsed(answers: OpenAnswers, log: Log | undefined) {
  const refused = new WeakSet<Duplex>();
  return (
    error: Pick<NodeJS.ErrnoException, 'code'>,
    socket: Duplex,
    refusal = unparsed(error.code),
  ): void => {
    // More of the same broken input.
    if (refused.has(socket)) return;
    const mayAnswer = socket instanceof Socket && socket.writable && error.code !== 'ECONNRESET';
    if (!mayAnswer) {
      socket.destroy();
      return;
    }
    refused.add(socket);
    setTimeout(() => socket.destroy(), READING_MS).unref();
    // The client gets what is on its way.
    if (answers.begunOn(socket)) return;
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

function stopServer(server: Server, answers: OpenAnswers, graceMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const force = setTimeout(() => server.closeAllConnections(), graceMs);
    // The HTTP server's own close() also destroys connections whose answer is not yet sent.
    TcpServer.prototype.close.call(server, (error?: Error) => {
      clearTimeout(force);
      if (error) reject(error);
      else resolve();
    });
    answers.closeEach();
  });
}

/** Resolves once it listens; rejects with a ListenFailed where the port or address cannot be used. */
export function listen(
  app: Express,
  { host, port, log, unreadMs = UNREAD_MS }: ListenOptions,
): Promise<HttpServer> {
  // Headers have a limit of Node's own; bodies have body-deadline.ts.
  const timeouts = { requestTimeout: 0, headersTimeout: HEADERS_LIMIT_MS, keepAliveTimeout: KEPT_ALIVE_MS };
  const server = createServer({ ...timeouts, requireHostHeader: false }, (request, response) => {
    const misfit = misfitOf(request);
    if (misfit !== undefined) refuseRequest(response, misfit);
    else app(request, response);
  });
  // Node would drop what comes after the 2,000th, with it the word of a proxy; the size of all headers is bounded besides.
  server.maxHeadersCount = 0;
  const answers = trackAnswers(server);
  const refuse = refuseUnparsed(answers, log);
  server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
    setBodyDeadline(request, response, () => refuse({ code: 'ERR_HTTP_REQUEST_TIMEOUT' }, request.socket));
  });
  // Clients that send "Expect: 100-continue" get their answer where the body is read (read-body.ts, form-request.ts).
  server.on('checkContinue', (request, response) => server.emit('request', request, response));
  server.on('checkExpectation', (_request, response) => refuseRequest(response, UNKNOWN_EXPECTATION));
  server.on('clientError', refuse);
  server.on('connect', (_request, socket) => refuse({}, socket, NO_TUNNEL));
  // Node leaves connections to this listener where nothing moved, also those that were kept alive for a next request.
  server.setTimeout(unreadMs, (socket: Socket) => {
    if (socket.writableLength > 0) socket.resetAndDestroy();
    else if (answers.isIdle(socket)) socket.destroy();
  });
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(explain(error, host, port)));
    server.listen({ port, host: host.replace(/^\[(.*)\]$/, '$1'), backlog: BACKLOG }, () => {
      const address = server.address();
      if (address === null || typeof address === 'string')
        reject(new Error('The server listens on no TCP port.'));
      else resolve({ url: urlOf(address), stop: (graceMs) => stopServer(server, answers, graceMs) });
    });
  });
}
