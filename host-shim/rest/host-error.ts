// The host's error responses, in WordPress's format: { code, message, data: { status } }.
import type { HostFailure, HostUser, InvalidParam, Refusal } from '../extension-api';

export function hostError(status: number, code: string, message: string, data: object = {}): Refusal {
  return { status, body: { code, message, data: { status, ...data } } };
}

export const noRoute = (): Refusal =>
  hostError(404, 'rest_no_route', 'No route was found matching the URL and request method.');

export const refusalStatus = (user: HostUser | null): 401 | 403 => (user === null ? 401 : 403);

export const forbidden = (user: HostUser | null): Refusal =>
  hostError(refusalStatus(user), 'rest_forbidden', 'Sorry, you are not allowed to do that.');

/** If there is only one error and it has its own code, the response has that code. */
export function invalidParams(faults: Readonly<Record<string, InvalidParam>>): Refusal {
  const params = Object.fromEntries(Object.entries(faults).map(([name, { message }]) => [name, message]));
  const [first, ...others] = Object.values(faults);
  if (first !== undefined && others.length === 0 && !first.code.startsWith('rest_'))
    return hostError(400, first.code, first.message, { params, details: faults });
  return hostError(400, 'rest_invalid_param', `Invalid parameter(s): ${Object.keys(faults).join(', ')}`, {
    params,
    details: faults,
  });
}

/** PHP's codes and messages for JSON errors, which clients recognize. */
export const JSON_FAULTS = {
  none: [0, 'No error'],
  syntax: [4, 'Syntax error'],
  utf8: [5, 'Malformed UTF-8 characters, possibly incorrectly encoded'],
} as const;

export const invalidJson = (
  message: string,
  [code, about]: (typeof JSON_FAULTS)[keyof typeof JSON_FAULTS],
): Refusal =>
  hostError(400, 'rest_invalid_json', message, { json_error_code: code, json_error_message: about });

/** Thrown in a handler to end the call with this response. */
export class RestError extends Error {
  override readonly name = 'RestError';
  constructor(readonly answer: Refusal) {
    super(answer.body.message);
  }
}

export function hostFailure(failure: HostFailure): Refusal {
  switch (failure.kind) {
    case 'unauthorized':
      return hostError(401, 'rest_not_logged_in', failure.reason);
    case 'rate-limited':
      return hostError(
        429,
        'rest_rate_limited',
        `Too many requests; try again in ${failure.retryAfterSeconds} s.`,
      );
    case 'too-many-failed-logins':
      return hostError(
        429,
        'rest_too_many_failed_logins',
        `Too many failed logins from this address; try again in ${failure.retryAfterSeconds} s.`,
      );
    case 'body-too-large':
      return hostError(413, 'rest_body_too_large', `The body is larger than ${failure.limitBytes} bytes.`);
    case 'not-json':
      return failure.problem === 'utf-8'
        ? invalidJson(failure.reason, JSON_FAULTS.utf8)
        : hostError(415, 'rest_unsupported_media_type', failure.reason);
    case 'unavailable':
      return hostError(
        503,
        'rest_unavailable',
        `The database is not responding; try again in ${failure.retryAfterSeconds} s.`,
      );
    case 'overloaded':
      return hostError(
        503,
        'rest_overloaded',
        `The server is overloaded; try again in ${failure.retryAfterSeconds} s.`,
      );
    case 'internal':
      return hostError(
        500,
        'rest_internal_error',
        'The request failed on the server; its log has the details under this request id.',
        {
          request_id: failure.requestId,
        },
      );
  }
}
