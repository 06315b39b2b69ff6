// Assembles the host: authentication, rate limits, REST, pages, and the Express app.
import { randomBytes, randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Logger } from 'pino';
import { keepFirstTimezone } from '../accounts/users';
import { createAdminApp, createLinkApp } from '../admin/admin-app';
import { createConnectionTest, TEST_CONNECTION_PATH } from '../admin/connection-test';
import { createDocsApp } from '../admin/docs-app';
import { createLoginApp } from '../admin/login-app';
import { createPageSender, unavailablePage } from '../admin/send-page';
import { chainAuthenticators } from '../auth/authentication';
import { createBasicAuthenticator } from '../auth/basic-authenticator';
import { createCredentialsRule } from '../auth/caller-address';
import { createLinkAuthenticator } from '../auth/link-authenticator';
import type { LoginGuardOptions } from '../auth/login-guard';
import { createHeaderLogin, type LoginHeader } from '../auth/login-header';
import {
  ADMIN_PATH,
  type Clock,
  DOCS_PATH,
  type HostDatabase,
  type HostUser,
  LINK_PATH,
  wholeJson,
} from '../extension-api';
import type { Extensions } from '../extensions/extensions';
import { lookAtHealth } from '../health/look-at-health';
import { createProbes } from '../health/probes';
import { createUserBudget, type RateLimits } from '../rate-limit/user-budget';
import { createDispatch, type RestAnswer } from '../rest/dispatch';
import { routeAddressOf } from '../rest/route-address';
import { readHostSecret } from '../sessions/host-secret';
import { ACCOUNT_LOGIN_GUARD, createLogin } from '../sessions/log-in';
import { createSecondStep } from '../sessions/second-step';
import { createSessions } from '../sessions/sessions';
import { watchHost } from '../telemetry/host-metrics';
import type { OpenTelemetry } from '../telemetry/telemetry';
import { createApp } from './http-app';
import { ADMIT_ALL, type Admit } from './load-shedding';
import { LOGIN_PATH } from './page-addresses';

interface HostServiceOptions {
  readonly name: string;
  readonly description: string;
  readonly restPrefix: string;
  readonly environment: 'local' | 'production';
  readonly trustProxy: number | readonly string[] | undefined;
  /** The beginning of URLs in responses; by default, as the client used it. */
  readonly publicUrl?: string | undefined;
  /** Websites that may show shared pages in a frame. */
  readonly embedOrigins?: readonly string[] | undefined;
  readonly rateLimits: RateLimits;
  /** Limits wrong application passwords per address. */
  readonly loginGuard: LoginGuardOptions;
  /** Limits wrong login passwords per address. */
  readonly pageLoginGuard: LoginGuardOptions;
  readonly loginHeader?: LoginHeader | undefined;
  /** Whether administrators need a second factor. */
  readonly adminSecondFactor?: boolean | undefined;
  readonly extensions: Extensions;
  readonly database: HostDatabase;
  readonly clock: Clock;
  readonly log: Logger;
  readonly telemetry: OpenTelemetry;
  /** Refuses expensive requests while the server is overloaded; by default, it never is. */
  readonly admit?: Admit | undefined;
}

interface InProcessCall {
  readonly method: 'GET' | 'POST';
  /** Relative to the REST prefix: `/qa-platform/guide?version=latest`. */
  readonly address: string;
  readonly user: HostUser | null;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** How long results are cached: `/healthz?details=1` is public, and each check reads the database. */
const HEALTH_KEPT_MS = 1_000;

function keptFor<T>(milliseconds: number, look: () => Promise<T>): () => Promise<T> {
  let last: { readonly at: number; readonly seen: Promise<T> } | undefined;
  return () => {
    if (last === undefined || performance.now() - last.at > milliseconds)
      last = { at: performance.now(), seen: look() };
    return last.seen;
  };
}

export async function createHostService(options: HostServiceOptions) {
  const { name, description, restPrefix, extensions, database, clock, log, telemetry } = options;
  const credentialsAllowed = createCredentialsRule(options.environment);
  const basic = createBasicAuthenticator({
    database,
    clock,
    log,
    loginGuard: options.loginGuard,
    credentialsAllowed,
  });
  const links = createLinkAuthenticator({ database, clock, log });
  const sessions = await createSessions({
    write: database.write,
    clock,
    credentialsAllowed,
    randomBytes,
    loginHeader: options.loginHeader,
    adminSecondFactor: options.adminSecondFactor,
  });
  const pages = () => extensions.current().pages;
  const { embedOrigins = [] } = options;
  const sendPage = createPageSender({ siteName: name, restPrefix, pages, sessions, embedOrigins });
  const dispatch = createDispatch({
    registry: () => extensions.current().registry,
    budget: createUserBudget(options.rateLimits, { write: database.write, clock }),
    admit: options.admit ?? ADMIT_ALL,
    clock,
    log,
    candidLogin: options.environment === 'local',
  });
  const lookAtAll = keptFor(HEALTH_KEPT_MS, () => lookAtHealth(extensions.current().healthChecks, log));
  watchHost(telemetry, database, lookAtAll, clock);
  const probes = createProbes({
    lookAtAll,
    lookAtVital: () =>
      lookAtHealth(
        extensions.current().healthChecks.filter(({ isVital }) => isVital),
        log,
      ),
    metrics: telemetry.metrics,
  });
  const app = createApp({
    name,
    description,
    restPrefix,
    log,
    production: options.environment === 'production',
    trustProxy: options.trustProxy,
    publicUrl: options.publicUrl,
    authenticate: chainAuthenticators([sessions.authenticate, links, basic]),
    credentialsAllowed,
    dispatch,
    routers: {
      [LOGIN_PATH]: createLoginApp({
        sessions,
        sendPage,
        login: createLogin({
          write: database.write,
          clock,
          log,
          randomBytes,
          guard: options.pageLoginGuard,
          accountGuard: ACCOUNT_LOGIN_GUARD,
        }),
        secondStep: createSecondStep({
          write: database.write,
          clock,
          log,
          guard: options.pageLoginGuard,
          secret: await readHostSecret(database.write, 'second step', randomBytes),
        }),
        credentialsAllowed,
        byHeader: createHeaderLogin({ write: database.write, log, loginHeader: options.loginHeader }),
        async onLogin(userId, timezone) {
          await keepFirstTimezone(database.write, userId, timezone);
          await extensions.hooks.doAction('user_logged_in', { userId });
        },
      }),
      [TEST_CONNECTION_PATH]: createConnectionTest({
        authenticate: basic,
        candid: options.environment === 'local',
        credentialsAllowed,
        hasSession: async (request, response) => (await sessions.read(request, response)) !== undefined,
      }),
      [LINK_PATH]: createLinkApp(pages, sendPage),
      [DOCS_PATH]: createDocsApp(sendPage),
      [ADMIN_PATH]: createAdminApp({ restPrefix, pages, sessions, sendPage, log }),
    },
    answerPageError: unavailablePage(sendPage, log),
    probes,
    telemetry,
  });
  return {
    app,
    probes,
    /** Waits for the background work of earlier requests. */
    async settle() {
      await extensions.hooks.doAction('settle');
    },
    /** Answers a REST call from within the program, without HTTP or a password. */
    async dispatch(call: InProcessCall): Promise<RestAnswer> {
      const address = routeAddressOf(restPrefix + call.address, restPrefix);
      const { user } = call;
      const closing: (() => void)[] = [];
      const answer = await dispatch({
        id: randomUUID(),
        method: call.method,
        route: address?.route ?? '/',
        query: address?.query ?? {},
        headers: call.headers ?? {},
        callerAddress: '',
        accepts: () => undefined,
        signal: call.signal ?? new AbortController().signal,
        installation: {
          name,
          description,
          restPrefix,
          home: options.publicUrl ?? '',
          credentialsAllowed: true,
        },
        authenticate: async () => (user === null ? { kind: 'anonymous' } : { kind: 'user', user }),
        readBody: async () => ({ ok: true, text: call.body ?? '' }),
        openBody: () => Readable.from([Buffer.from(call.body ?? '')]),
        onClose: (run) => closing.push(run),
      });
      const body = answer.hasLists === true ? await wholeJson(answer.body) : answer.body;
      for (const run of closing) run();
      return { ...answer, body };
    },
  };
}
