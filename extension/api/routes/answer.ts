// Turns errors into responses. A QueryError is written in the contract's format. All other errors are thrown to the host, which
// logs them.
import {
  type HostFailure,
  type HostRequest,
  type HostResponse,
  UNAVAILABLE,
} from '../../../host-shim/extension-api';
import { WorkerUnavailable } from '../../data/storage/workers';
import { QueryError, queryError } from '../../language/errors/query-error';
import { type Analytics, asSwitched } from '../analytics';
import { chooseContract, invalidVersionBody } from '../contracts/choose-contract';
import type { InstalledContract } from '../contracts/contract';

type Contracts = Pick<Analytics, 'contracts' | 'host' | 'settings'>;
type Handler<Answer> = (contract: InstalledContract) => Promise<Answer>;

/** Answers with the body that `handle` returns for the requested contract with the current feature switches. */
export const answer = (
  analytics: Contracts,
  request: HostRequest,
  handle: Handler<unknown>,
): Promise<HostResponse> =>
  answerUnswitched(analytics, request, async (contract) => ({
    status: 200,
    body: await handle(await asSwitched(analytics, contract)),
  }));

/** Like `answer`, for a handler that returns a whole response and applies the feature switches itself. */
export async function answerUnswitched(
  analytics: Contracts,
  request: HostRequest,
  handle: Handler<HostResponse>,
): Promise<HostResponse> {
  const chosen = chosenContract(analytics, request);
  if (chosen === undefined) return invalidVersion(analytics, request);
  try {
    return await handle(chosen);
  } catch (error) {
    if (error instanceof QueryError) return errorResponse(error, chosen);
    if (error instanceof WorkerUnavailable) return errorResponse(workerError(), chosen);
    throw error;
  }
}

export const workerError = (): QueryError => queryError('E_UNAVAILABLE worker', undefined, UNAVAILABLE);

function errorResponse(error: QueryError, contract: InstalledContract): HostResponse {
  const { retry_after_seconds: seconds } = error.details ?? {};
  const headers = seconds === undefined ? {} : { 'Retry-After': String(seconds) };
  return { status: error.status, headers, body: contract.format.error(error) };
}

/** Writes a rejection by the host in the format of the requested contract. */
export function answerFailure(
  analytics: Pick<Analytics, 'contracts' | 'settings'>,
  failure: HostFailure,
  request: HostRequest,
): HostResponse {
  const contract =
    chosenContract(analytics, request) ?? chooseContract(analytics.contracts, undefined, 'latest');
  return errorResponse(failureError(failure), contract);
}

function chosenContract(
  { contracts, settings }: Pick<Analytics, 'contracts' | 'settings'>,
  request: HostRequest,
): InstalledContract | undefined {
  try {
    return chooseContract(contracts, request.query.version, settings.defaultVersion);
  } catch (error) {
    if (error instanceof QueryError) return undefined;
    throw error;
  }
}

const invalidVersion = ({ contracts }: Pick<Analytics, 'contracts'>, request: HostRequest): HostResponse => ({
  status: 404,
  body: invalidVersionBody(contracts, request.query.version ?? ''),
});

function failureError(failure: HostFailure): QueryError {
  switch (failure.kind) {
    case 'unauthorized':
      return queryError('E_UNAUTHORIZED', undefined, { ...failure, hint: failure.needs });
    case 'rate-limited':
      return queryError('E_RATE_LIMITED', undefined, {
        ...failure,
        counted: failure.limit === 1 ? 'request' : 'requests',
      });
    case 'too-many-failed-logins':
      return queryError('E_RATE_LIMITED', undefined, {
        ...failure,
        counted: 'failed logins from this address',
      });
    case 'body-too-large':
      return queryError('E_BODY_TOO_LARGE', undefined, failure);
    case 'not-json':
      return queryError('E_INVALID_JSON encoding', undefined, failure);
    case 'unavailable':
      return queryError('E_UNAVAILABLE database', undefined, failure);
    case 'overloaded':
      return queryError('E_UNAVAILABLE overloaded', undefined, failure);
    case 'internal':
      return queryError('E_EXECUTOR_FAILED', undefined, failure);
  }
}
