// Streams a request body of any size, plain or gzip, in constant memory.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { TooSlow, withinTime } from '../server/within-time';
import { hostError, RestError } from './host-error';
import { ClientGone } from './read-body';

/** Limits for slow clients. The time that the stream's consumer takes is not counted. */
export interface Patience {
  readonly stallMs: number;
  /** How much more time, in total, a client may take than one that sends at the lowest allowed rate. */
  readonly graceMs: number;
  readonly minBytesPerSecond: number;
}

export const PATIENCE: Patience = { stallMs: 30_000, graceMs: 60_000, minBytesPerSecond: 8 * 1024 };

const tooSlow = (): RestError =>
  new RestError(hostError(408, 'rest_body_too_slow', 'The body stalled or arrived too slowly.'));

const GZIP = new Set(['gzip', 'x-gzip']);

/** Throws a RestError for an encoding other than gzip. */
export function openBody(
  request: IncomingMessage,
  response: ServerResponse,
  patience: Patience = PATIENCE,
): Readable {
  const encoding = request.headers['content-encoding']?.trim().toLowerCase() || 'identity';
  const isGzip = GZIP.has(encoding);
  if (!isGzip && encoding !== 'identity') {
    const message = `The body is encoded as ${encoding}; send it unencoded, or with gzip.`;
    throw new RestError(hostError(415, 'rest_unsupported_encoding', message));
  }
  liftBodyDeadline(request);
  if (request.headers.expect !== undefined) response.writeContinue();
  const pieces = Readable.from(readPieces(request, patience), { objectMode: false });
  return isGzip ? unzip(pieces) : pieces;
}

async function* readPieces(request: IncomingMessage, patience: Patience): AsyncGenerator<Buffer> {
  const pieces: AsyncIterator<Buffer> = request.iterator({ destroyOnReturn: false });
  let waited = 0;
  let bytes = 0;
  for (;;) {
    const allowed = patience.graceMs + (bytes / patience.minBytesPerSecond) * 1000;
    const before = performance.now();
    const next = await within(pieces, Math.min(patience.stallMs, allowed - waited));
    waited += performance.now() - before;
    if (next.done === true) return;
    bytes += next.value.length;
    yield next.value;
  }
}

function within(pieces: AsyncIterator<Buffer>, milliseconds: number): Promise<IteratorResult<Buffer>> {
  const next = () =>
    pieces.next().catch((cause: unknown) => {
      throw new ClientGone('The client disconnected before its body was read.', { cause });
    });
  return withinTime(next, milliseconds).catch((error: unknown) => {
    throw error instanceof TooSlow ? tooSlow() : error;
  });
}

function unzip(pieces: Readable): Readable {
  const gunzip = createGunzip();
  pieces.once('error', (error) => gunzip.destroy(error));
  gunzip.once('close', () => pieces.destroy());
  const invalidGzip = 'The body is not complete, valid gzip, although its Content-Encoding is gzip.';
  const plain = async function* (): AsyncGenerator<Buffer> {
    try {
      yield* pieces.pipe(gunzip);
    } catch (error) {
      const isOurs = error instanceof RestError || error instanceof ClientGone;
      throw isOurs ? error : new RestError(hostError(400, 'rest_invalid_gzip', invalidGzip));
    }
  };
  return Readable.from(plain(), { objectMode: false });
}

const UPLOAD_LIMIT_MS = 60_000;
/** How long a client may keep sending after the response. */
const UNREAD_MS = 2_000;

const deadlines = new WeakMap<IncomingMessage, NodeJS.Timeout>();

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/** Calls `onLate` if the body has not arrived in time. A client that keeps sending after the response is disconnected. */
export function setBodyDeadline(
  request: IncomingMessage,
  response: ServerResponse,
  onLate: () => void,
): void {
  if (!hasBody(request)) return;
  const timer = setTimeout(() => {
    if (!request.complete) onLate();
  }, UPLOAD_LIMIT_MS).unref();
  deadlines.set(request, timer);
  response.once('close', () => {
    clearTimeout(timer);
    if (!request.complete) setTimeout(() => request.complete || request.socket.destroy(), UNREAD_MS).unref();
  });
}

/** Removes the deadline of a body that has its own limits. */
const liftBodyDeadline = (request: IncomingMessage): void => clearTimeout(deadlines.get(request));
