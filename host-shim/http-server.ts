// The listening server: starts, and stops without cutting off whoever is being answered.
import { createServer } from 'node:http';
import { type AddressInfo, Server as TcpServer } from 'node:net';
import type { Express } from 'express';
import type { Log } from './extension-api';
import { type OpenAnswers, trackAnswers } from './open-answers';
import { createParserRefusal } from './rest/parser-refusal';

export interface HttpServer {
  /** Without a slash at the end. */
  readonly url: string;
  /** No new connections; answers on their way have `graceMs` to arrive, then their connections are closed. */
  stop(graceMs: number): Promise<void>;
}

export interface ListenOptions {
  readonly host: string;
  readonly port: number;
  /** Told of requests that are refused before they are any. */
  readonly log?: Log;
}

/** The port cannot be had; the message says what to do. */
export class ListenFailed extends Error {
  override readonly name = 'ListenFailed';
}

const UPLOAD_LIMIT_MS = 60_000;

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

type Server = ReturnType<typeof createServer>;

function stopServer(server: Server, answers: OpenAnswers, graceMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const force = setTimeout(() => server.closeAllConnections(), graceMs);
    // The HTTP server's own close() also destroys connections whose answer is handed over and not yet sent.
    TcpServer.prototype.close.call(server, (error?: Error) => {
      clearTimeout(force);
      if (error) reject(error);
      else resolve();
    });
    answers.closeEach();
  });
}

/** Listens, or rejects with a sentence on why not. */
export function listen(app: Express, { host, port, log }: ListenOptions): Promise<HttpServer> {
  const server = createServer({ requestTimeout: UPLOAD_LIMIT_MS }, app);
  const answers = trackAnswers(server);
  // Whoever asks first whether to send a body is told once it is wanted (read-body.ts, read-form.ts), or refused without it.
  server.on('checkContinue', (request, response) => server.emit('request', request, response));
  server.on('clientError', createParserRefusal(answers.begunOn, log));
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(explain(error, host, port)));
    server.listen(port, host.replace(/^\[(.*)\]$/, '$1'), () => {
      const address = server.address();
      if (address === null || typeof address === 'string')
        reject(new Error('The server listens on no TCP port.'));
      else resolve({ url: urlOf(address), stop: (graceMs) => stopServer(server, answers, graceMs) });
    });
  });
}
