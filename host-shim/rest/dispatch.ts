// The way of one REST request: who calls -> which route -> may they -> does the budget allow it -> body -> handler.
// RestRequest -> RestAnswer; never throws. Who calls is settled before anything of the body is read.
import type {
  Clock,
  HostFailure,
  HostResponse,
  HostUser,
  Log,
  NamespaceDefinition,
  RouteDefinition,
} from '../extension-api';
import type { Charge, UserBudget } from '../rate-limit/user-budget';
import { shapeAnswer } from './answer-shape';
import { forbidden, noRoute, RestError } from './host-error';
import { hostRequest, type RestRequest } from './host-request';
import { rateHeaders } from './rate-headers';
import { type BodyOutcome, ClientGone } from './read-body';
import { readInput, refuseInput } from './read-input';
import type { FoundRoute, Registry } from './registry';
import { describeInstallation, describeNamespace, describeRoute, spellAddress } from './self-description';
import { refuseLogin, wordFailure } from './word-failure';

export interface RestAnswer extends HostResponse {
  readonly user: HostUser | null;
  readonly headers: Readonly<Record<string, string>>;
}

export interface DispatchOptions {
  /** What is registered at this moment. */
  registry(): Registry;
  readonly budget: UserBudget;
  readonly clock: Clock;
  readonly log: Log;
  /** Host routes tell a wrong user from a wrong password; off in production. */
  readonly candidLogin: boolean;
}

/** A request and what the registry had for it when it came. */
interface Call extends FoundRoute {
  readonly request: RestRequest;
  readonly registry: Registry;
  readonly namespace: NamespaceDefinition | undefined;
}

interface Settled {
  readonly response: HostResponse;
  readonly user: HostUser | null;
}

/** Of what describes itself. */
const READ_ONLY = { Allow: 'GET' };
const NO_BODY: BodyOutcome = { ok: true, text: '' };

const hasRate = ({ headers = {} }: HostResponse) => 'X-RateLimit-Limit' in headers;

const isReading = (method: string) => method === 'GET' || method === 'HEAD';

function allows({ permission }: RouteDefinition, { params }: Call, user: HostUser | null): boolean {
  if (permission === 'public') return true;
  if (user === null) return false;
  return permission === 'logged-in' || permission(user, params);
}

/** What this caller may send to this address; nothing is told of what there is for others. */
function allowHeader(call: Call, user: HostUser | null): { readonly Allow?: string } {
  const methods = call.definitions
    .filter((route) => allows(route, call, user))
    .flatMap((route) => route.methods);
  return methods.length === 0 ? {} : { Allow: methods.join(', ') };
}

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
  // As WordPress: of an address that is none there is nothing to tell.
  if (first === undefined || namespace === undefined) return describeSelf(call) ?? { status: 200, body: [] };
  const address = spellAddress(namespace, first);
  return { status: 200, body: describeRoute(address, namespace.name, definitions, request.installation) };
}

export function createDispatch(options: DispatchOptions): (request: RestRequest) => Promise<RestAnswer> {
  const { budget, clock, log } = options;

  /** In the namespace's words where it has some, else in the host's. */
  const fail = (failure: HostFailure, call: Call, user: HostUser | null): HostResponse =>
    wordFailure(failure, failedCall(call, user), log);

  const failedCall = (call: Call, user: HostUser | null) => ({
    namespace: call.namespace,
    request: ({ name }: NamespaceDefinition) =>
      hostRequest(call, call.request.route.slice(name.length + 1) || '/', user),
  });

  function refuseCaller(route: RouteDefinition, call: Call, user: HostUser | null): HostResponse {
    if (route.refuse !== undefined) return route.refuse(hostRequest(call, route.path, user));
    if (user !== null || call.namespace?.answerFailure === undefined) return forbidden(user);
    const reason = 'This needs a user and an application password.';
    return fail({ kind: 'unauthorized', reason }, call, null);
  }

  async function callRoute(route: RouteDefinition, call: Call, user: HostUser | null): Promise<HostResponse> {
    if (!allows(route, call, user)) return refuseCaller(route, call, user);
    const charge = route.rateLimit === 'per-user' && user !== null ? await budget(user) : undefined;
    const answer = await callWithinBudget(route, call, user, charge);
    return charge === undefined
      ? answer
      : { ...answer, headers: { ...answer.headers, ...rateHeaders(charge) } };
  }

  async function callWithinBudget(
    route: RouteDefinition,
    call: Call,
    user: HostUser | null,
    charge: Charge | undefined,
  ): Promise<HostResponse> {
    if (charge !== undefined && !charge.allowed) {
      const { limit, windowSeconds, secondsToReset: retryAfterSeconds } = charge;
      return fail({ kind: 'rate-limited', limit, windowSeconds, retryAfterSeconds }, call, user);
    }
    const { request, params } = call;
    try {
      const accepts = route.checkedBy === 'host' ? 'json-or-form' : 'json';
      const body = isReading(request.method) ? NO_BODY : await request.readBody(accepts);
      if (!body.ok) return fail(body.failure, call, user);
      const received = hostRequest(call, route.path, user, body.text);
      if (route.checkedBy === 'route') return await route.handle(received);
      const { values, missing, faults } = readInput(route.input, { params, query: request.query, body });
      const checked = { ...received, values };
      const refusal = refuseInput({ missing, faults: { ...(await route.check?.(checked)), ...faults } });
      return refusal ?? (await route.handle(checked));
    } catch (error) {
      return error instanceof RestError ? error.answer : answerFault(error, call, user);
    }
  }

  function answerFault(error: unknown, call: Call, user: HostUser | null): HostResponse {
    const { id: requestId, route, signal } = call.request;
    if (error instanceof ClientGone || signal.aborted) {
      log.info({ requestId }, 'The client went away before it was answered.');
    } else {
      log.error({ err: error, requestId, route }, 'A request failed here.');
    }
    return fail({ kind: 'internal', requestId }, call, user);
  }

  async function answer(call: Call): Promise<Settled> {
    const { request } = call;
    const outcome = await request.authenticate();
    const refusal = refuseLogin(outcome, failedCall(call, null), { candid: options.candidLogin, log, clock });
    if (refusal !== undefined)
      return {
        response: { ...refusal, headers: { ...allowHeader(call, null), ...refusal.headers } },
        user: null,
      };
    const user = outcome.kind === 'user' ? outcome.user : null;
    const response = await respond(call, user);
    const charge = user === null || hasRate(response) ? undefined : await budget.look(user);
    const headers = {
      ...allowHeader(call, user),
      ...(charge !== undefined && rateHeaders(charge)),
      ...response.headers,
      ...(outcome.kind === 'user' &&
        outcome.freshNonce !== undefined && { 'X-WP-Nonce': outcome.freshNonce }),
    };
    return { response: { ...response, headers }, user };
  }

  async function respond(call: Call, user: HostUser | null): Promise<HostResponse> {
    const { request, definitions } = call;
    if (request.method === 'OPTIONS') return describeOptions(call);
    const method = request.method === 'HEAD' ? 'GET' : request.method;
    const route = definitions.find((one) => one.methods.some((name) => name === method));
    if (route !== undefined) return callRoute(route, call, user);
    // What no route answers costs nothing: the budgets of users are for the work behind routes.
    return (isReading(request.method) && describeSelf(call)) || noRoute();
  }

  return async (request) => {
    const registry = options.registry();
    const namespace = registry.namespaceOf(request.route);
    const call: Call = { ...registry.find(request.route), request, registry, namespace };
    let settled: Settled;
    try {
      settled = await answer(call);
    } catch (error) {
      settled = { response: answerFault(error, call, null), user: null };
    }
    const { response, user } = settled;
    const { headers = {} } = response;
    return { headers, ...shapeAnswer({ ...response, headers }, request.query), user };
  };
}
