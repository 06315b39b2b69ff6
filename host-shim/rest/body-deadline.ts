// By when the body of a request must have arrived. Node's own limit holds for every request alike, and would cut off large
// uploads, which have the limits of open-body.ts instead.
import type { IncomingMessage, ServerResponse } from 'node:http';

const UPLOAD_LIMIT_MS = 60_000;
/** How long a client may go on sending after its answer. */
const UNREAD_MS = 2_000;

const deadlines = new WeakMap<IncomingMessage, NodeJS.Timeout>();

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/** Calls `onLate` unless the body arrives in time, or the request is answered before; a body without end is then cut off. */
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

/** For a body whose reader has its own limits. */
export const liftBodyDeadline = (request: IncomingMessage): void => clearTimeout(deadlines.get(request));
