// The host's own words for what it refuses, in WordPress's shape: { code, message, data: { status } }.
// A namespace of an extension words the failures of HostFailure itself; this is for everything else.
import type { HostFailure, HostResponse } from '../extension-api';

export function hostError(status: number, code: string, message: string, data: object = {}): HostResponse {
  return { status, body: { code, message, data: { status, ...data } } };
}

export const noRoute = (): HostResponse =>
  hostError(404, 'rest_no_route', 'No route was found matching the URL and request method.');

export const forbidden = (): HostResponse =>
  hostError(403, 'rest_forbidden', 'Sorry, you are not allowed to do that.');

/** Words a failure where no extension does. */
export function hostFailure(failure: HostFailure): HostResponse {
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
      return hostError(400, 'rest_invalid_json', failure.reason);
    case 'internal':
      return hostError(
        500,
        'rest_internal_error',
        'The request failed here; the log has the details under this request id.',
        {
          request_id: failure.requestId,
        },
      );
  }
}
