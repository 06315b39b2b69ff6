// Answers what never became a request: broken syntax, headers without end, a request that takes too long to arrive.
// Node's parser gives up before Express sees anything, so the answer is written onto the connection itself.
import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Log } from '../extension-api';
import { hostError } from './host-error';

interface Refusal {
  readonly status: number;
  readonly code: string;
  readonly message: string;
}

const REFUSALS: Readonly<Record<string, Refusal>> = {
  HPE_HEADER_OVERFLOW: {
    status: 431,
    code: 'rest_headers_too_large',
    message: 'The headers are larger than the server reads.',
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: 408,
    code: 'rest_request_timeout',
    message: 'The request took too long to arrive.',
  },
};
const BROKEN: Refusal = {
  status: 400,
  code: 'rest_bad_request',
  message: 'This is not a valid HTTP request.',
};

/** Time for the client to read the refusal: closing at once would take it away while the client still sends. */
const READING_MS = 2_000;

function refusalText({ status, code, message }: Refusal, requestId: string): string {
  const body = JSON.stringify(hostError(status, code, message, { request_id: requestId }).body);
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Connection: close',
    `X-Request-Id: ${requestId}`,
    'Content-Type: application/json; charset=UTF-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    '',
    body,
  ].join('\r\n');
}

/** A listener for `clientError`; `answerBegun` tells where an answer is on its way that must not be broken into. */
export function createParserRefusal(answerBegun: (socket: Socket) => boolean, log: Log | undefined) {
  const refused = new WeakSet<Duplex>();
  return (error: NodeJS.ErrnoException, socket: Duplex): void => {
    // More of the same broken input.
    if (refused.has(socket)) return;
    if (
      !(socket instanceof Socket) ||
      !socket.writable ||
      error.code === 'ECONNRESET' ||
      answerBegun(socket)
    ) {
      socket.destroy();
      return;
    }
    refused.add(socket);
    const refusal = REFUSALS[error.code ?? ''] ?? BROKEN;
    const requestId = randomUUID();
    log?.info(
      { requestId, status: refusal.status, code: error.code, address: socket.remoteAddress },
      'A request was refused before it could be read.',
    );
    socket.end(refusalText(refusal, requestId));
    setTimeout(() => socket.destroy(), READING_MS).unref();
  };
}
