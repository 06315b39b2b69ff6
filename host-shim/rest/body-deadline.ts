// The deadline for request bodies. Node's own limit would also end large uploads, which open-body.ts limits differently.
import type { IncomingMessage, ServerResponse } from 'node:http';

const UPLOAD_LIMIT_MS = 60_000;
/** How long a client may keep sending after the response. */
const UNREAD_MS = 2_000;

const deadlines = new WeakMap<IncomingMessage, NodeJS.Timeout>();

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/** Calls `onLate` if the body is late. After the response, a client that keeps sending is disconnected. */
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

/** For bodies with limits of their own. */
export const liftBodyDeadline = (request: IncomingMessage): void => clearTimeout(deadlines.get(request));
