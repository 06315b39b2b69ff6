import { codeOf } from './embedded/errors';

const SOCKET_CODES =
  /^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)$/;

/** SQLSTATEs: 08 connection failure; 53 out of connections, memory or disk; 57P shutdown, crash, startup, database dropped. */
const STATES = /^(08...|53[0-3]00|57P0[1-5])$/;

/** Errors from pg and its pool that have no code. */
const MESSAGES =
  /^(Connection terminated|timeout (expired|exceeded when trying to connect)|Client has encountered a connection error|Cannot use a pool after calling end on the pool|Query read timeout|Client was closed and is not queryable)/;

const NAMES = new Set(['NoConnection', 'ServerSilent']);

/** Whether the failure is temporary: the database is down, is out of resources, or does not respond. */
export function isUnavailable(error: unknown): boolean {
  // Not instanceof: Node's errors may come from another realm.
  if (typeof error !== 'object' || error === null) return false;
  if ('errors' in error && Array.isArray(error.errors) && error.errors.length > 0)
    return error.errors.every(isUnavailable);
  const code = codeOf(error) ?? '';
  // The embedded server's socket is a file, which disappears with the server.
  const isSocketGone = code === 'ENOENT' && 'syscall' in error && error.syscall === 'connect';
  const hasKnownName = 'name' in error && NAMES.has(String(error.name));
  const hasKnownMessage = code === '' && 'message' in error && MESSAGES.test(String(error.message));
  return (
    isSocketGone ||
    SOCKET_CODES.test(code) ||
    STATES.test(code) ||
    hasKnownName ||
    hasKnownMessage ||
    isOfWorker(error)
  );
}

/** Errors from a Citus worker. The last of these messages has PostgreSQL's code for internal errors. */
const WORKER_ERROR =
  /^(WorkerUnavailable|error: (connection to the remote node |failure on connection marked ))/;

export const workerAway = (place: string): string => `The Citus worker ${place} does not respond.`;

/** A sentence that names the worker. Citus's own message also contains the role and several lines of advice. */
export function workerFault({ message }: Error): string {
  const place = /(?:remote node|essential:) (?:\S+@)?(\S+:\d+)/.exec(message)?.[1];
  if (place === undefined) return message;
  const refusal = /FATAL: +(.*)/.exec(message)?.[1];
  return refusal === undefined
    ? workerAway(place)
    : `The Citus worker ${place} refuses connections: ${refusal}.`;
}

/** Whether the database is unavailable only for some sites: a worker does not respond, or does not have the role. */
export const isOfWorker = (error: unknown): error is Error =>
  typeof error === 'object' &&
  error !== null &&
  'message' in error &&
  WORKER_ERROR.test(`${'name' in error ? error.name : ''}: ${error.message}`);
