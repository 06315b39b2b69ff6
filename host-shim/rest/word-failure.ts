// How a failure of the host is told: in the words of the namespace that was asked, or in the host's own.
// Failure and call -> answer; never throws.
import type { AuthOutcome } from '../auth/authentication';
import type {
  Clock,
  HostFailure,
  HostRequest,
  HostResponse,
  Log,
  NamespaceDefinition,
} from '../extension-api';
import { hostError, hostFailure } from './host-error';
import { rateHeaders } from './rate-headers';

/** A call as far as a failure is told to it. */
export interface FailedCall {
  readonly namespace: NamespaceDefinition | undefined;
  /** As the namespace's own wording gets it. */
  request(namespace: NamespaceDefinition): HostRequest;
}

/** Adds Retry-After where the failure passes with time. */
const withRetryAfter = (failure: HostFailure, answer: HostResponse): HostResponse =>
  'retryAfterSeconds' in failure
    ? { ...answer, headers: { ...answer.headers, 'Retry-After': String(failure.retryAfterSeconds) } }
    : answer;

function worded(failure: HostFailure, { namespace, request }: FailedCall, log: Log): HostResponse {
  if (namespace?.answerFailure === undefined) return hostFailure(failure);
  const call = request(namespace);
  try {
    return namespace.answerFailure(failure, call);
  } catch (error) {
    log.error(
      { err: error, requestId: call.id },
      `The namespace ${namespace.name} could not word a failure.`,
    );
    return hostFailure(failure);
  }
}

export const wordFailure = (failure: HostFailure, call: FailedCall, log: Log): HostResponse =>
  withRetryAfter(failure, worded(failure, call, log));

/** Nobody is known, so the window is that of the address. */
const withGuardHeaders = (
  { limit, retryAfterSeconds }: Extract<AuthOutcome, { kind: 'too-many-failures' }>,
  clock: Clock,
  answer: HostResponse,
): HostResponse => {
  const resetAt = Math.ceil(clock().getTime() / 1000 + retryAfterSeconds);
  return { ...answer, headers: { ...answer.headers, ...rateHeaders({ limit, remaining: 0, resetAt }) } };
};

/** The answer to a login that was refused; undefined where it was not. `candid` tells a wrong user from a wrong password. */
export function refuseLogin(
  outcome: AuthOutcome,
  call: FailedCall,
  { candid, log, clock }: { readonly candid: boolean; readonly log: Log; readonly clock: Clock },
): HostResponse | undefined {
  switch (outcome.kind) {
    case 'refused':
      return candid && call.namespace?.answerFailure === undefined
        ? hostError(401, outcome.candid.code, outcome.candid.message)
        : wordFailure({ kind: 'unauthorized', reason: outcome.reason }, call, log);
    case 'bad-nonce':
      return hostError(
        403,
        'rest_cookie_invalid_nonce',
        'Cookie check failed. Reload the page and try again.',
      );
    case 'too-many-failures':
      return withGuardHeaders(
        outcome,
        clock,
        wordFailure({ ...outcome, kind: 'too-many-failed-logins' }, call, log),
      );
    default:
      return undefined;
  }
}
