// One REST request: load -> authentication -> route -> permission -> rate limit -> body -> handler. Never throws.
import type { AuthOutcome, Enter } from '../auth/authentication';
import {
  type Clock,
  type HostFailure,
  type HostResponse,
  type HostUser,
  isUnavailable,
  type Log,
  type RouteDefinition,
  spreadRetry,
  UNAVAILABLE,
} from '../extension-api';
import type { Charge, Entry, UserBudget } from '../rate-limit/user-budget';
import { ADMIT_ALL, type Admit } from '../server/load-shedding';
import { aheadOf, allowHeader, allows, type Call, routeOf } from './call';
import { forbidden, hostError, hostFailure, noRoute, RestError } from './host-error';
import { hostRequest, type RestRequest } from './host-request';
import { type BodyOutcome, ClientGone } from './read-body';
import { readInput, refuseInput } from './read-input';
import type { Registry } from './registry';
import { describeInstallation, describeNamespace, describeRoute, spellAddress } from './self-description';
import { shapeAnswer } from './shape-answer';

export interface RestAnswer extends HostResponse {
  /** The pattern of the route that matched, such as `/wp/v2/users/{id}`; undefined if none did. */
  readonly route: string | undefined;
  readonly user: HostUser | null;
  readonly headers: Readonly<Record<string, string>>;
}

interface DispatchOptions {
  registry(): Registry;
  readonly budget: UserBudget;
  /** Admits or refuses requests for expensive routes. */
  readonly admit: Admit;
  readonly clock: Clock;
  /** Returns numbers from 0 to 1. */
  random(): number;
  readonly log: Log;
  /** Whether host routes distinguish an unknown user from a wrong password; off in production. */
  readonly candidLogin: boolean;
}

const READ_ONLY = { Allow: 'GET' };
const NO_BODY: BodyOutcome = { ok: true, text: '' };

const isReading = (method: string) => method === 'GET' || method === 'HEAD';

/** `resetAt` is in Unix seconds. */
const rateHeaders = ({ limit, remaining, resetAt }: Pick<Charge, 'limit' | 'remaining' | 'resetAt'>) => ({
  'X-RateLimit-Limit': String(limit),
  'X-RateLimit-Remaining': String(remaining),
  'X-RateLimit-Reset': String(resetAt),
});

function describeSelf({ request, registry, namespace }: Call): HostResponse | undefined {
  if (request.route === '/')
    return { status: 200, headers: READ_ONLY, body: describeInstallation(registry, request.installation) };
  if (namespace === undefined || `/${namespace.name}`.toLowerCase() !== request.route.toLowerCase())
    return undefined;
  return { status: 200, headers: READ_ONLY, body: describeNamespace(namespace, request.installation) };
}

function describeOptions(call: Call): HostResponse {
  const { definitions, namespace, request } = call;
  const [first] = definitions;
  // As in WordPress, the description of an unknown address is an empty list.
  if (first === undefined || namespace === undefined) return describeSelf(call) ?? { status: 200, body: [] };
  const address = spellAddress(namespace, first);
  return { status: 200, body: describeRoute(address, namespace.name, definitions, request.installation) };
}

export function createDispatch(options: DispatchOptions): (request: RestRequest) => Promise<RestAnswer> {
  const { budget, clock, log } = options;

  function formatFailure(failure: HostFailure, call: Call, user: HostUser | null): HostResponse {
    const { namespace, request } = call;
    if (namespace?.answerFailure === undefined) return hostFailure(failure);
    const path = request.route.slice(namespace.name.length + 1) || '/';
    try {
      return namespace.answerFailure(failure, hostRequest(call, path, user));
    } catch (error) {
      const message = `The namespace ${namespace.name} could not format a failure.`;
      log.error({ err: error, requestId: request.id }, message);
      return hostFailure(failure);
    }
  }

  function fail(failure: HostFailure, call: Call, user: HostUser | null): HostResponse {
    const answer = formatFailure(failure, call, user);
    if (!('retryAfterSeconds' in failure)) return answer;
    return { ...answer, headers: { ...answer.headers, 'Retry-After': String(failure.retryAfterSeconds) } };
  }

  function refuseLogin(outcome: AuthOutcome, call: Call): HostResponse | undefined {
    switch (outcome.kind) {
      case 'anonymous':
      case 'user':
        return undefined;
      case 'refused':
        return options.candidLogin && call.namespace?.answerFailure === undefined
          ? hostError(401, outcome.candid.code, outcome.candid.message)
          : fail({ kind: 'unauthorized', reason: outcome.reason, needs: outcome.needs }, call, null);
      case 'bad-nonce':
        return hostError(
          403,
          'rest_cookie_invalid_nonce',
          'Cookie check failed. Reload the page and try again.',
        );
      case 'too-many-failures': {
        const answer = fail({ ...outcome, kind: 'too-many-failed-logins' }, call, null);
        // The user is unknown, so these are the limits for the address.
        const resetAt = Math.ceil(clock().getTime() / 1000 + outcome.retryAfterSeconds);
        const rate = rateHeaders({ limit: outcome.limit, remaining: 0, resetAt });
        return { ...answer, headers: { ...answer.headers, ...rate } };
      }
    }
  }

  function refuseCaller(route: RouteDefinition, call: Call, user: HostUser | null): HostResponse {
    if (route.refuse !== undefined) return route.refuse(hostRequest(call, route.path, user));
    if (user !== null || call.namespace?.answerFailure === undefined) return forbidden(user);
    const reason = 'This route needs a user and an application password.';
    return fail({ kind: 'unauthorized', reason }, call, null);
  }

  /** Charges the call, if this user may make it. */
  const enterBy =
    (route: RouteDefinition, call: Call): Enter =>
    async (user, isUnchanged) =>
      route.rateLimit === 'none' || !allows(route, call, user)
        ? undefined
        : budget.only(isUnchanged, user, route.rateLimit, aheadOf(route));

  async function callRoute(
    route: RouteDefinition,
    received: Call,
    user: HostUser | null,
    entry: Entry | undefined,
  ): Promise<HostResponse> {
    if (!allows(route, received, user)) return refuseCaller(route, received, user);
    if (route.rateLimit === 'none' || user === null) return handle(route, received, user);
    const { charge, ahead } = entry ?? (await budget(user, route.rateLimit, aheadOf(route)));
    const call = { ...received, ahead };
    if (charge === undefined) return handle(route, call, user);
    const { limit, windowSeconds, secondsToReset: retryAfterSeconds } = charge;
    const answer = charge.allowed
      ? await handle(route, call, user)
      : fail({ kind: 'rate-limited', limit, windowSeconds, retryAfterSeconds }, call, user);
    return { ...answer, headers: { ...answer.headers, ...rateHeaders(charge) } };
  }

  async function handle(route: RouteDefinition, call: Call, user: HostUser | null): Promise<HostResponse> {
    const { request, params } = call;
    try {
      const accepts = route.checkedBy === 'host' ? 'json-or-form' : 'json';
      const isStream = route.checkedBy === 'host' && route.body === 'stream';
      const isUnread = isStream || isReading(request.method);
      const body = isUnread ? NO_BODY : await request.readBody(accepts);
      if (!body.ok) return fail(body.failure, call, user);
      const received = hostRequest(call, route.path, user, body.text);
      if (route.checkedBy === 'route') return await route.handle(received);
      const { values, missing, faults } = readInput(route.input, { params, query: request.query, body });
      const openBody = () => {
        if (!isStream) throw new Error(`The route ${route.path} is not declared with a stream as its body.`);
        return request.openBody();
      };
      const checked = { ...received, values, openBody };
      const refusal = refuseInput({ missing, faults: { ...(await route.check?.(checked)), ...faults } });
      return refusal ?? (await route.handle(checked));
    } catch (error) {
      return error instanceof RestError ? error.answer : answerFault(error, call, user);
    }
  }

  function answerFault(error: unknown, call: Call, user: HostUser | null): HostResponse {
    const { id: requestId, route, signal } = call.request;
    const isGone = error instanceof ClientGone || signal.aborted;
    if (isGone) log.info({ requestId }, 'The client disconnected before the response was sent.');
    else if (isUnavailable(error)) {
      log.warn({ err: error, requestId, route }, 'The database did not respond during a request.');
      return fail(UNAVAILABLE, call, user);
    } else log.error({ err: error, requestId, route }, 'A request failed.');
    return fail({ kind: 'internal', requestId }, call, user);
  }

  /** Returns undefined if the request must be refused because of overload. */
  async function authenticate(
    route: RouteDefinition | undefined,
    call: Call,
  ): Promise<AuthOutcome | undefined> {
    const { authorization, cookie } = call.request.headers;
    const admit = route?.isExpensive === true ? options.admit : ADMIT_ALL;
    const leave = admit(authorization ?? cookie ?? call.request.callerAddress);
    return leave && call.request.authenticate(route && enterBy(route, call)).finally(leave);
  }

  async function answer(call: Call): Promise<{ response: HostResponse; user: HostUser | null }> {
    const route = routeOf(call);
    const outcome = await authenticate(route, call);
    if (outcome === undefined) {
      const failure = { kind: 'overloaded', retryAfterSeconds: spreadRetry(options.random) } as const;
      return { response: fail(failure, call, null), user: null };
    }
    const refusal = refuseLogin(outcome, call);
    if (refusal !== undefined) {
      const headers = { ...allowHeader(call, null), ...refusal.headers };
      return { response: { ...refusal, headers }, user: null };
    }
    const { user, entry } = outcome.kind === 'user' ? outcome : { user: null };
    const response = await respond(call, user, entry);
    const isCharged = 'X-RateLimit-Limit' in (response.headers ?? {});
    const state =
      user === null || isCharged ? undefined : await budget.look(user, route?.rateLimit ?? 'per-user');
    const headers = {
      ...allowHeader(call, user),
      ...(state !== undefined && rateHeaders(state)),
      ...response.headers,
      ...(outcome.kind === 'user' &&
        outcome.freshNonce !== undefined && { 'X-WP-Nonce': outcome.freshNonce }),
    };
    return { response: { ...response, headers }, user };
  }

  async function respond(call: Call, user: HostUser | null, entry: Entry | undefined): Promise<HostResponse> {
    const { request } = call;
    if (request.method === 'OPTIONS') return describeOptions(call);
    const route = routeOf(call);
    if (route !== undefined) return callRoute(route, call, user, entry);
    // Not charged: rate limits apply to routes.
    return (isReading(request.method) && describeSelf(call)) || noRoute();
  }

  return async (request) => {
    const registry = options.registry();
    const namespace = registry.namespaceOf(request.route);
    const call: Call = { ...registry.find(request.route), request, registry, namespace };
    const { response, user } = await answer(call).catch((error: unknown) => ({
      response: answerFault(error, call, null),
      user: null,
    }));
    const { headers = {} } = response;
    const [first] = call.definitions;
    const route = first && namespace && `/${namespace.name}${first.path}`;
    return { headers, ...shapeAnswer({ ...response, headers }, request.query), user, route };
  };
}
