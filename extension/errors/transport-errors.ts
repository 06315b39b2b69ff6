// Owns the part of the error table about what happens around a query, not in it.
import { entry } from './error-entry';

export const TRANSPORT_ERRORS = {
  E_UNAUTHORIZED: entry<{ reason: string }>(401, 'Credentials are missing or wrong.', ({ reason }) => ({
    message: reason,
    hint: 'Send Authorization: Basic base64(user:application password). Application passwords are made by the user; the login password is not accepted.',
  })),
  E_RATE_LIMITED: entry<{
    counted: string;
    limit: number;
    windowSeconds: number;
    retryAfterSeconds: number;
  }>(
    429,
    'More requests than the user may send in a minute or an hour, or more failed logins than one address may make.',
    ({ counted, limit, windowSeconds, retryAfterSeconds }) => ({
      message: `More than ${limit} ${counted} in ${windowSeconds} seconds.`,
      hint: `Try again in ${retryAfterSeconds} seconds.`,
      details: { limit, window_seconds: windowSeconds, retry_after_seconds: retryAfterSeconds },
    }),
  ),
  E_BODY_TOO_LARGE: entry<{ limitBytes: number }>(
    413,
    'The body is larger than the server reads.',
    ({ limitBytes }) => ({
      message: `The body is larger than ${limitBytes} bytes.`,
      hint: 'Split the question into several queries.',
      details: { limit_bytes: limitBytes },
    }),
  ),
  E_TIMEOUT: entry<{ seconds: number }>(
    504,
    'The query took longer than the server allows.',
    ({ seconds }) => ({
      message: `The query took longer than ${seconds} seconds and was stopped.`,
      hint: 'Ask for a shorter time range, or keep fewer columns.',
      details: { timeout_seconds: seconds },
    }),
  ),
  E_EXECUTOR_FAILED: entry<{ requestId: string }>(500, 'A fault of the server.', ({ requestId }) => ({
    message: `The server failed on this query; the fault is logged under request ${requestId}.`,
    details: { request_id: requestId },
  })),
};
