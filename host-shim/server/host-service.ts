// Assembles the host: authentication, rate limits, REST, pages, and the Express app.
import { randomBytes } from 'node:crypto';
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
import { ADDRESS_GUARDS, createLoginGuard, type LoginGuardOptions } from '../auth/login-guard';
import { createHeaderLogin, type LoginHeader } from '../auth/login-header';
import { ADMIN_PATH, type Clock, DOCS_PATH, type HostDatabase, LINK_PATH } from '../extension-api';
import type { Extensions } from '../extensions/extensions';
import { checkHealth } from '../health/check-health';
import { createProbes } from '../health/probes';
import { createUserBudget, type RateLimits } from '../rate-limit/user-budget';
import { createDispatch } from '../rest/dispatch';
import { readHostSecret } from '../sessions/host-secret';
import { ACCOUNT_LOGIN_GUARD, createLogin } from '../sessions/log-in';
import { createSecondStep } from '../sessions/second-step';
import { createSessions } from '../sessions/sessions';
import { watchHost } from '../telemetry/host-metrics';
import type { OpenTelemetry } from '../telemetry/telemetry';
import type { Config } from './config';
import { createApp } from './http-app';
import type { Product } from './installation';
import { ADMIT_ALL, type Admit } from './load-shedding';
import { LOGIN_PATH } from './page-addresses';

interface HostServiceOptions {
  readonly product: Pick<Product, 'name' | 'description'>;
  readonly config: Config;
  readonly rateLimits: RateLimits;
  /** Limits wrong application passwords per address. */
  readonly loginGuard: LoginGuardOptions;
  /** Limits wrong login passwords per address. */
  readonly pageLoginGuard: LoginGuardOptions;
  readonly extensions: Extensions;
  readonly database: HostDatabase;
  readonly clock: Clock;
  readonly log: Logger;
  readonly telemetry: OpenTelemetry;
  /** Refuses expensive requests while the server is overloaded. Default: never. */
  readonly admit?: Admit | undefined;
}

/** How long check results are cached: `/healthz?details=1` is public, and the checks query the database. */
const HEALTH_CACHE_MS = 1_000;

function cachedFor<T>(milliseconds: number, look: () => Promise<T>): () => Promise<T> {
  let last: { readonly at: number; readonly result: Promise<T> } | undefined;
  return () => {
    if (last === undefined || performance.now() - last.at > milliseconds)
      last = { at: performance.now(), result: look() };
    return last.result;
  };
}

const loginHeaderOf = ({ loginHeader: name, loginHeaderFrom: from }: Config): LoginHeader | undefined =>
  name === undefined || from === undefined ? undefined : { name, from };

export async function createHostService(options: HostServiceOptions) {
  const { product, config, extensions, database, clock, log, telemetry } = options;
  const { name, description } = product;
  const { restPrefix, environment, embedOrigins = [] } = config;
  const { write } = database;
  const credentialsAllowed = createCredentialsRule(environment);
  const { loginGuard } = options;
  const basic = createBasicAuthenticator({ write, clock, log, loginGuard, credentialsAllowed });
  const links = createLinkAuthenticator({ write, clock, log });
  const pageLogins = createLoginGuard(ADDRESS_GUARDS.login, options.pageLoginGuard, { write, clock });
  const loginHeader = loginHeaderOf(config);
  const sessions = await createSessions({
    write,
    clock,
    credentialsAllowed,
    randomBytes,
    loginHeader,
    adminSecondFactor: config.adminSecondFactor,
  });
  const pages = () => extensions.current().pages;
  const sendPage = createPageSender({ siteName: name, restPrefix, pages, sessions, embedOrigins });
  const dispatch = createDispatch({
    registry: () => extensions.current().registry,
    budget: createUserBudget(options.rateLimits, { write, clock }),
    admit: options.admit ?? ADMIT_ALL,
    clock,
    random: Math.random,
    log,
    candidLogin: environment === 'local',
  });
  const lookAtAll = cachedFor(HEALTH_CACHE_MS, () => checkHealth(extensions.current().healthChecks, log));
  watchHost(telemetry, database, lookAtAll, clock);
  const probes = createProbes({
    lookAtAll,
    lookAtVital: () =>
      checkHealth(
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
    production: environment === 'production',
    trustProxy: config.trustProxy,
    publicUrl: config.publicUrl,
    authenticate: chainAuthenticators([sessions.authenticate, links, basic]),
    credentialsAllowed,
    dispatch,
    routers: {
      [LOGIN_PATH]: createLoginApp({
        sessions,
        sendPage,
        login: createLogin({
          write,
          clock,
          log,
          randomBytes,
          addresses: pageLogins,
          accountGuard: ACCOUNT_LOGIN_GUARD,
        }),
        secondStep: createSecondStep({
          write,
          clock,
          log,
          addresses: pageLogins,
          secret: await readHostSecret(write, 'second step', randomBytes),
        }),
        credentialsAllowed,
        byHeader: createHeaderLogin({ write, log, loginHeader }),
        async onLogin(userId, timezone) {
          await keepFirstTimezone(write, userId, timezone);
          await extensions.hooks.doAction('user_logged_in', { userId });
        },
      }),
      [TEST_CONNECTION_PATH]: createConnectionTest({
        authenticate: basic,
        candid: environment === 'local',
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
  return { app, probes, dispatch };
}
