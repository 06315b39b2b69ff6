// The listening server: starts, and stops without cutting off whoever is being answered.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Express } from 'express';

export interface HttpServer {
  /** Without a slash at the end. */
  readonly url: string;
  /** No new connections; requests in flight have `graceMs` to finish, then their connections are closed. */
  stop(graceMs: number): Promise<void>;
}

/** The port cannot be had; the message says what to do. */
export class ListenFailed extends Error {
  override readonly name = 'ListenFailed';
}

const SWEEP_MS = 50;
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

function stopServer(server: Server, graceMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    // A connection that is kept alive turns idle only once its answer is sent, so idle ones are swept repeatedly.
    const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS);
    const force = setTimeout(() => server.closeAllConnections(), graceMs);
    server.close((error) => {
      clearInterval(sweep);
      clearTimeout(force);
      if (error) reject(error);
      else resolve();
    });
  });
}

/** Listens, or rejects with a sentence on why not. */
export function listen(app: Express, { host, port }: { host: string; port: number }): Promise<HttpServer> {
  const server = createServer({ requestTimeout: UPLOAD_LIMIT_MS }, app);
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(explain(error, host, port)));
    server.listen(port, host.replace(/^\[(.*)\]$/, '$1'), () => {
      const address = server.address();
      if (address === null || typeof address === 'string')
        reject(new Error('The server listens on no TCP port.'));
      else resolve({ url: urlOf(address), stop: (graceMs) => stopServer(server, graceMs) });
    });
  });
}
