// The way of one REST request: who calls -> which route -> may they -> does the budget allow it -> body -> handler.
// RestRequest -> RestAnswer; never throws. Who calls is settled before anything of the body is read.
import type { AuthOutcome } from '../auth/authentication';
import type {
  HostFailure,
  HostRequest,
  HostResponse,
  HostUser,
  Log,
  RouteDefinition,
} from '../extension-api';
import type { Charge, UserBudget } from '../rate-limit/user-budget';
import { forbidden, hostError, hostFailure, noRoute } from './host-error';
import { type BodyOutcome, ClientGone } from './read-body';
import type { Registry } from './registry';
import {
  describeInstallation,
  describeNamespace,
  describeRoute,
  type Installation,
} from './self-description';

export interface RestRequest extends Omit<HostRequest, 'body' | 'path' | 'user'> {
  /** As routeAddressOf gives it. */
  readonly route: string;
  readonly installation: Installation;
  authenticate(): Promise<AuthOutcome>;
  readBody(): Promise<BodyOutcome>;
}

export interface RestAnswer extends HostResponse {
  readonly user: HostUser | null;
  readonly headers: Readonly<Record<string, string>>;
}

export interface DispatchOptions {
  readonly registry: Registry;
  readonly budget: UserBudget;
  readonly log: Log;
  /** Host routes tell a wrong user from a wrong password; off in production. */
  readonly candidLogin: boolean;
}

const budgetHeaders = (charge: Charge) => ({
  'X-RateLimit-Limit': String(charge.limit),
  'X-RateLimit-Remaining': String(charge.remaining),
  'X-RateLimit-Reset': String(charge.resetAt),
});

/** Adds Retry-After where the failure passes with time. */
const withRetryAfter = (failure: HostFailure, answer: HostResponse): HostResponse =>
  'retryAfterSeconds' in failure
    ? { ...answer, headers: { ...answer.headers, 'Retry-After': String(failure.retryAfterSeconds) } }
    : answer;

const isReading = (method: string) => method === 'GET' || method === 'HEAD';

function allows(route: RouteDefinition, user: HostUser | null): boolean {
  if (route.permission === 'public') return true;
  if (user === null) return false;
  return route.permission === 'logged-in' || route.permission(user);
}

export function createDispatch(options: DispatchOptions): (request: RestRequest) => Promise<RestAnswer> {
  const { registry, budget, log } = options;

  function hostRequest(request: RestRequest, path: string, user: HostUser | null, body: string): HostRequest {
    const { id, query, headers, signal } = request;
    return {
      id,
      method: request.method === 'HEAD' ? 'GET' : request.method,
      path,
      query,
      headers,
      body,
      user,
      signal,
    };
  }

  /** In the namespace's words where there is one, else in the host's. */
  function wordFailure(failure: HostFailure, request: RestRequest, user: HostUser | null): HostResponse {
    return withRetryAfter(failure, worded(failure, request, user));
  }

  function worded(failure: HostFailure, request: RestRequest, user: HostUser | null): HostResponse {
    const namespace = registry.namespaceOf(request.route);
    if (namespace === undefined) return hostFailure(failure);
    const path = request.route.slice(namespace.name.length + 1) || '/';
    try {
      return namespace.answerFailure(failure, hostRequest(request, path, user, ''));
    } catch (error) {
      log.error(
        { err: error, requestId: request.id },
        `The namespace ${namespace.name} could not word a failure.`,
      );
      return hostFailure(failure);
    }
  }

  function refuseLogin(outcome: AuthOutcome, request: RestRequest): HostResponse | undefined {
    if (outcome.kind === 'refused') {
      const candid = options.candidLogin && registry.namespaceOf(request.route) === undefined;
      if (candid) return hostError(401, outcome.candid.code, outcome.candid.message);
      return wordFailure({ kind: 'unauthorized', reason: outcome.reason }, request, null);
    }
    if (outcome.kind === 'too-many-failures')
      return wordFailure({ ...outcome, kind: 'too-many-failed-logins' }, request, null);
    return undefined;
  }

  function describeSelf(request: RestRequest): HostResponse | undefined {
    if (request.route === '/')
      return { status: 200, body: describeInstallation(registry, request.installation) };
    const namespace = registry.namespaceOf(request.route);
    if (namespace === undefined || `/${namespace.name.toLowerCase()}` !== request.route) return undefined;
    return { status: 200, body: describeNamespace(namespace, request.installation) };
  }

  function describeOptions(request: RestRequest): HostResponse {
    const routes = registry.routesAt(request.route);
    const namespace = registry.namespaceOf(request.route);
    if (routes.length === 0 || namespace === undefined) {
      return { ...(describeSelf(request) ?? { status: 200, body: {} }), headers: { Allow: 'GET' } };
    }
    const address = `/${namespace.name}${routes[0]?.path ?? ''}`;
    return { status: 200, body: describeRoute(address, namespace.name, routes, request.installation) };
  }

  async function callRoute(
    route: RouteDefinition,
    request: RestRequest,
    user: HostUser | null,
  ): Promise<HostResponse> {
    if (!allows(route, user)) {
      if (user !== null) return forbidden();
      return wordFailure(
        { kind: 'unauthorized', reason: 'This needs a user and an application password.' },
        request,
        null,
      );
    }
    const charge = route.rateLimit === 'per-user' && user !== null ? await budget(user.id) : undefined;
    const answer = await callWithinBudget(route, request, user, charge);
    return charge === undefined
      ? answer
      : { ...answer, headers: { ...answer.headers, ...budgetHeaders(charge) } };
  }

  async function callWithinBudget(
    route: RouteDefinition,
    request: RestRequest,
    user: HostUser | null,
    charge: Charge | undefined,
  ): Promise<HostResponse> {
    if (charge !== undefined && !charge.allowed) {
      const { limit, windowSeconds, secondsToReset: retryAfterSeconds } = charge;
      return wordFailure({ kind: 'rate-limited', limit, windowSeconds, retryAfterSeconds }, request, user);
    }
    try {
      const body: BodyOutcome = request.method === 'POST' ? await request.readBody() : { ok: true, text: '' };
      if (!body.ok) return wordFailure(body.failure, request, user);
      return await route.handle(hostRequest(request, route.path, user, body.text));
    } catch (error) {
      return answerFault(error, request, user);
    }
  }

  function answerFault(error: unknown, request: RestRequest, user: HostUser | null): HostResponse {
    if (error instanceof ClientGone || request.signal.aborted) {
      log.info({ requestId: request.id }, 'The client went away before it was answered.');
    } else {
      log.error({ err: error, requestId: request.id, route: request.route }, 'A request failed here.');
    }
    return wordFailure({ kind: 'internal', requestId: request.id }, request, user);
  }

  async function answer(request: RestRequest): Promise<{ response: HostResponse; user: HostUser | null }> {
    if (request.method === 'OPTIONS') return { response: describeOptions(request), user: null };
    const outcome = await request.authenticate();
    const refusal = refuseLogin(outcome, request);
    if (refusal !== undefined) return { response: refusal, user: null };
    const user = outcome.kind === 'user' ? outcome.user : null;
    const method = request.method === 'HEAD' ? 'GET' : request.method;
    const route = registry.routesAt(request.route).find((one) => one.methods.some((name) => name === method));
    if (route !== undefined) return { response: await callRoute(route, request, user), user };
    // What no route answers costs nothing: the budgets of users are for the work behind routes.
    return { response: (isReading(request.method) && describeSelf(request)) || noRoute(), user };
  }

  return async (request) => {
    let settled: { response: HostResponse; user: HostUser | null };
    try {
      settled = await answer(request);
    } catch (error) {
      settled = { response: answerFault(error, request, null), user: null };
    }
    const methods = registry.routesAt(request.route).flatMap((route) => route.methods);
    const { response, user } = settled;
    return {
      ...response,
      user,
      headers: { ...(methods.length > 0 && { Allow: methods.join(', ') }), ...response.headers },
    };
  };
}
