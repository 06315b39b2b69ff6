// Recognizes temporary failures: the database is unreachable or accepts no work.
import { codeOf } from './embedded/errors';

/** Codes of Node's sockets. */
const SOCKET_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
]);

/** SQLSTATEs: 08 connection, 53 out of connections, memory or disk, 57P shutdown, crash, starting up, database dropped. */
const STATES = /^(08...|53[0-3]00|57P0[1-5])$/;

/** Errors of pg and its pool without a code. */
const MESSAGES =
  /^(Connection terminated|timeout (expired|exceeded when trying to connect)|Client has encountered a connection error|Cannot use a pool after calling end on the pool|Query read timeout|Client was closed and is not queryable)/;

const NAMES = new Set(['NoConnection', 'ServerSilent']);

/** Whether a statement failed because the database is down, out of connections, or does not respond. */
export function isUnavailable(error: unknown): boolean {
  // Not instanceof: errors of Node may be from another realm.
  if (typeof error !== 'object' || error === null) return false;
  if ('errors' in error && Array.isArray(error.errors) && error.errors.length > 0)
    return error.errors.every(isUnavailable);
  const code = codeOf(error) ?? '';
  // The socket of the embedded server is a file, which disappears with it.
  const isSocketGone = code === 'ENOENT' && 'syscall' in error && error.syscall === 'connect';
  const isNamed = 'name' in error && NAMES.has(String(error.name));
  const isWorded = code === '' && 'message' in error && MESSAGES.test(String(error.message));
  return isSocketGone || SOCKET_CODES.has(code) || STATES.test(code) || isNamed || isWorded;
}
