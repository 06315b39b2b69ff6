// Puts the REST interface together: authentication, budgets, dispatch, and the Express app in front of them.
import type { Express } from 'express';
import type { Logger } from 'pino';
import { chainAuthenticators } from '../auth/authentication';
import { createBasicAuthenticator } from '../auth/basic-authenticator';
import { createCredentialsRule } from '../auth/credentials-allowed';
import type { LoginGuardOptions } from '../auth/login-guard';
import type { Clock, HostDatabase, HostUser } from '../extension-api';
import { createUserBudget, type RateLimits } from '../rate-limit/user-budget';
import { createApp } from './app';
import { createDispatch, type RestAnswer } from './dispatch';
import type { Registry } from './registry';
import { requestIdOf } from './request-id';
import { routeAddressOf } from './route-address';

export interface RestServiceOptions {
  readonly name: string;
  readonly description: string;
  readonly restPrefix: string;
  readonly environment: 'local' | 'production';
  readonly trustProxy: number | readonly string[] | undefined;
  readonly rateLimits: RateLimits;
  readonly loginGuard: LoginGuardOptions;
  readonly registry: Registry;
  readonly database: HostDatabase;
  readonly clock: Clock;
  readonly log: Logger;
}

/** A call from inside the program, on behalf of a user who is known already. */
export interface InProcessCall {
  readonly method: 'GET' | 'POST';
  /** Route and query below the REST prefix: `/qa-platform/guide?version=latest`. */
  readonly address: string;
  readonly user: HostUser | null;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

export interface RestService {
  readonly app: Express;
  /** The same way as a request from outside, without HTTP and passwords. */
  dispatch(call: InProcessCall): Promise<RestAnswer>;
  /** Waits for what goes on behind answers that are sent already. */
  settle(): Promise<void>;
}

export function createRestService(options: RestServiceOptions): RestService {
  const { name, description, restPrefix, registry, database, clock, log } = options;
  const credentialsAllowed = createCredentialsRule(options.environment);
  const basic = createBasicAuthenticator({
    database,
    clock,
    log,
    loginGuard: options.loginGuard,
    credentialsAllowed,
  });
  const dispatch = createDispatch({
    registry,
    budget: createUserBudget(options.rateLimits, clock),
    log,
    candidLogin: options.environment === 'local',
  });
  const app = createApp({
    name,
    description,
    restPrefix,
    log,
    production: options.environment === 'production',
    trustProxy: options.trustProxy,
    authenticate: chainAuthenticators([basic]),
    credentialsAllowed,
    dispatch,
    checkDatabase: async () => {
      await database.write.raw('SELECT 1');
    },
  });
  return {
    app,
    settle: basic.settle,
    dispatch(call) {
      const address = routeAddressOf(restPrefix + call.address, restPrefix);
      const { user } = call;
      return dispatch({
        id: requestIdOf(undefined),
        method: call.method,
        route: address?.route ?? '/',
        query: address?.query ?? {},
        headers: call.headers ?? {},
        signal: call.signal ?? new AbortController().signal,
        installation: { name, description, restPrefix, home: '', credentialsAllowed: true },
        authenticate: async () => (user === null ? { kind: 'anonymous' } : { kind: 'user', user }),
        readBody: async () => ({ ok: true, text: call.body ?? '' }),
      });
    },
  };
}
