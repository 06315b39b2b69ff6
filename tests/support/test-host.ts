// The package's export "qal-analytics/testing", which our own HTTP tests also use: a real host with a separate database. Usage:
// const host = await startTestHost({...}); ... await host.stop(); Its types must compile without the types of Express and
// supertest.
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { Knex } from 'knex';
import type { ReadPool } from '../../db/read-pool';
import { analyticsSettings } from '../../extension/api/settings';
import { type AnalyticsSettings, analyticsExtension } from '../../extension/index';
import { findAccountByLogin, findUser } from '../../host-shim/accounts/accounts';
import { createUser } from '../../host-shim/accounts/users';
import { createApplicationPassword } from '../../host-shim/auth/application-password-store';
import { isRestricted, type KeyRestrictions, UNRESTRICTED } from '../../host-shim/auth/key-restrictions';
import type { LoginGuardOptions } from '../../host-shim/auth/login-guard';
import type { Clock, Extension, HostResponse, HostUser } from '../../host-shim/extension-api';
import type { RateLimits } from '../../host-shim/rate-limit/user-budget';
import type { RestAnswer } from '../../host-shim/rest/dispatch';
import type { RestRequest } from '../../host-shim/rest/host-request';
import { routeAddressOf } from '../../host-shim/rest/route-address';
import type { Installation } from '../../host-shim/rest/self-description';
import { configure, readSettings } from '../../host-shim/server/config';
import { createHostService } from '../../host-shim/server/host-service';
import { listen } from '../../host-shim/server/http-server';
import { migrationComparer, schemasOf } from '../../host-shim/server/installation';
import { loadHost } from '../../host-shim/server/load-host';
import type { Admit } from '../../host-shim/server/load-shedding';
import { openTelemetry } from '../../host-shim/telemetry/telemetry';
import { checkAnswers, wholeJson } from './check-answers';
import { createTestDatabase, type TestDatabase } from './database';
import {
  applyTestSites,
  importTestRows,
  refuseUnknownSites,
  setFeatures,
  type TestImportReport,
  type TestSite,
} from './host-data';
import { createMemoryLog } from './memory-log';
import { sendRequest } from './send-request';
import { type Credentials, type SupertestApi, supertestOn, type TestAnswer } from './supertest-api';
import type { Filling } from './test-server';

export type { TestImportReport, TestSite } from './host-data';
export type { Credentials, TestAnswer } from './supertest-api';

export interface TestUser {
  readonly login: string;
  readonly role: HostUser['role'];
  /** The tracking ids of the sites that an analyst can see. Administrators see all sites. */
  readonly sites?: readonly string[];
  readonly email?: string;
}

export interface TestHostOptions {
  /** Sites in the format of a sites file. */
  readonly sites?: readonly TestSite[];
  /** Users to create, each with one application password: see `credentials`. */
  readonly users?: readonly TestUser[];
  /** Features of the query language to switch off (or on). */
  readonly features?: Readonly<Record<string, boolean>>;
  /** The host's name on pages and in the REST API. */
  readonly name?: string;
  /** Returns the host's current time; the real time by default. */
  readonly clock?: Clock;
  /** Requests per user; 0 for unlimited (default). */
  readonly rateLimits?: Partial<RateLimits>;
  /** Failed logins per address; 0 for unlimited (default). */
  readonly loginGuard?: LoginGuardOptions;
  /** Failed logins on the pages per address; 0 for unlimited (default). */
  readonly pageLoginGuard?: LoginGuardOptions;
  /** Settings of the analytics extension. */
  readonly settings?: Partial<AnalyticsSettings>;
  /** Extensions to load instead of the analytics extension. */
  readonly extensions?: readonly Extension[];
  readonly environment?: 'local' | 'production';
  readonly trustProxy?: number | readonly string[];
  /** A header that names the account, and the addresses from which it is accepted. */
  readonly loginHeader?: { readonly name: string; readonly from: readonly string[] };
  /** Whether administrators need a second factor. */
  readonly adminSecondFactor?: boolean;
  readonly embedOrigins?: readonly string[];
  readonly restPrefix?: string;
  /** Returns undefined to refuse a query because of overload; queries are never refused by default. */
  readonly admitQuery?: Admit;
  /** Other host settings, by variable, such as QAL_SMTP_URL. */
  readonly hostSettings?: Readonly<Record<string, string>>;
  /** The bearer token for /metrics. */
  readonly metricsToken?: string;
  /** By default, a free port. */
  readonly port?: number;
}

export interface TestRequest {
  /** A login with an application password of this host, or other credentials. */
  readonly user?: string | Credentials;
  readonly headers?: Readonly<Record<string, string>>;
  /** An object is sent as JSON, a string unchanged; the content type is JSON unless `headers` specify another. */
  readonly body?: object | string;
}

interface InsideCall {
  readonly method: 'GET' | 'POST';
  /** The route and query string below the REST prefix: `/qa-platform/guide?version=latest`. */
  readonly address: string;
  readonly user: HostUser | null;
  readonly body?: string;
  /** Names are in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface TestHost {
  /** Without a trailing slash; the REST API is below `/wp-json`. */
  readonly url: string;
  /** A supertest agent, which keeps cookies. `api`, `apiAs` and `request` need the supertest package. */
  readonly api: SupertestApi;
  /** Everything logged so far, as parsed lines. */
  readonly logged: readonly Record<string, unknown>[];
  readonly database: { readonly read: ReadPool; readonly write: Knex; readonly url: string };
  /** Calls the REST API in this process, without HTTP or passwords. */
  readonly rest: {
    dispatch(call: InsideCall): Promise<HostResponse>;
    /** Waits for work that continues after responses have been sent. */
    settle(): Promise<void>;
  };
  createUser(user: TestUser): Promise<HostUser>;
  createApplicationPassword(
    login: string,
    name?: string,
    /** Without restrictions, the password has all of its owner's rights; with any restriction, it can only read. */
    restrictions?: Partial<KeyRestrictions>,
  ): Promise<Credentials & { readonly uuid: string }>;
  /** The user's first application password created here. */
  credentials(login: string): Credentials;
  /** Creates a supertest agent that authenticates every request with a user's application password or other credentials. */
  apiAs(user: string | Credentials): SupertestApi;
  /** Imports rows in the import format. If any row is invalid, imports none and throws an error that lists the first problems. */
  importRows(material: string, site: string, rows: Iterable<object>): Promise<TestImportReport>;
  /** Sends one request with only the given headers. */
  request(
    method: 'GET' | 'POST' | 'HEAD' | 'OPTIONS' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    request?: TestRequest,
  ): Promise<TestAnswer>;
  /** Closes the host and removes its database. */
  stop(): Promise<void>;
}

export const SETTINGS: AnalyticsSettings = {
  ...readSettings(analyticsSettings, {}).values,
  queryTimeoutSeconds: 30,
  docsUrl: 'https://docs.example/',
  columns: false,
  columnsShadow: 0,
  columnsAuditHours: 0,
  importMb: 1,
  spoolMb: 8,
  importRejectedMax: 200,
};

/** The password with which every user created here logs in on the pages. */
export const LOGIN_PASSWORD = 'login password for tests';

export function basicHeader({ login, secret }: Credentials): string {
  return `Basic ${Buffer.from(`${login}:${secret}`).toString('base64')}`;
}

/** Starts a host with the analytics extension, or with the given extensions. */
export async function startTestHost(options: TestHostOptions = {}): Promise<TestHost> {
  return startFilledHost(undefined, options);
}

/**
 * Like `startTestHost`, but with initial data. For tests of this package.
 * @internal
 */
export async function startFilledHost(
  filling: Filling | undefined,
  options: TestHostOptions,
): Promise<TestHost> {
  const database = await createTestDatabase(filling);
  try {
    return await startOn(database, options);
  } catch (error) {
    await database.drop();
    throw error;
  }
}

/**
 * Like `startTestHost`, but uses a database created by the test, which is dropped when the host stops. For tests of this package.
 * @internal
 */
export async function startOn(database: TestDatabase, options: TestHostOptions): Promise<TestHost> {
  const clock = options.clock ?? (() => new Date());
  // Tests do not need hashing at full cost, which takes a tenth of a second per user.
  const tools = { clock, randomBytes, passwordCost: { N: 2 ** 10, r: 8, p: 1 } };
  const known = new Map<string, Credentials>();
  const people: Pick<TestHost, 'createUser' | 'createApplicationPassword' | 'credentials'> = {
    async createUser({ sites = [], ...user }) {
      await refuseUnknownSites(database.write, sites);
      const id = await createUser(database.write, { ...user, sites, password: LOGIN_PASSWORD }, tools);
      const found = await findUser(database.write, id);
      if (found === undefined) throw new Error(`The account ${user.login} does not exist.`);
      return found.user;
    },
    async createApplicationPassword(login, name = 'test', restrictions = {}) {
      await refuseUnknownSites(database.write, restrictions.sites ?? []);
      const account = await findAccountByLogin(database.write, login);
      if (account === undefined) throw new Error(`The test host has no account ${login}.`);
      const { password, secret } = await createApplicationPassword(
        database.write,
        {
          userId: account.id,
          name,
          restrictions: {
            ...UNRESTRICTED,
            level: isRestricted({ ...UNRESTRICTED, ...restrictions }) ? 'read' : 'all',
            ...restrictions,
          },
        },
        tools,
      );
      if (!known.has(login)) known.set(login, { login, secret });
      return { login, secret, uuid: password.uuid };
    },
    credentials(login) {
      const found = known.get(login);
      if (found === undefined) throw new Error(`The test host has no application password for ${login}.`);
      return found;
    },
  };

  await applyTestSites(database.write, options.sites ?? []);
  await setFeatures(database.write, options.features ?? {}, clock);
  for (const user of options.users ?? []) {
    await people.createUser(user);
    await people.createApplicationPassword(user.login);
  }
  const { log, logged } = createMemoryLog();
  const telemetry = await openTelemetry(options, log);
  const dataDir = await mkdtemp(join(tmpdir(), 'qal-host-'));
  const installed = options.extensions ?? [analyticsExtension({ ...SETTINGS, ...options.settings })];
  const { config } = configure([], {
    ...options.hostSettings,
    QAL_ENVIRONMENT: options.environment ?? 'local',
    REST_PREFIX: options.restPrefix,
    TRUST_PROXY: options.trustProxy?.toString(),
    QAL_LOGIN_HEADER: options.loginHeader?.name,
    QAL_LOGIN_HEADER_FROM: options.loginHeader?.from.join(),
    QAL_ADMIN_SECOND_FACTOR: options.adminSecondFactor === true ? 'on' : undefined,
    QAL_EMBED_ORIGINS: options.embedOrigins?.join(),
  });
  const extensions = await loadHost({
    clock,
    log,
    database,
    telemetry,
    dataDir,
    settings: config,
    installed,
    compareMigrations: migrationComparer(database, schemasOf(installed)),
  });
  const product = { name: options.name ?? 'Test host', description: 'A host for tests.' };
  const service = await createHostService({
    product,
    config,
    rateLimits: {
      perHour: 0,
      perMinute: 0,
      readingPerHour: 0,
      readingPerMinute: 0,
      pagesPerHour: 0,
      pagesPerMinute: 0,
      ...options.rateLimits,
    },
    loginGuard: options.loginGuard ?? { failures: 0, windowSeconds: 60 },
    pageLoginGuard: options.pageLoginGuard ?? { failures: 0, windowSeconds: 60 },
    extensions: {
      ...extensions,
      current() {
        const registrations = extensions.current();
        return { ...registrations, registry: checkAnswers(registrations.registry) };
      },
    },
    database,
    clock,
    log,
    telemetry,
    admit: options.admitQuery,
  });
  const server = await listen(service.app, { host: '127.0.0.1', port: options.port ?? 0, log });

  const loginOf = (user: string | Credentials) =>
    typeof user === 'string' ? people.credentials(user) : user;
  let api: SupertestApi | undefined;
  const { restPrefix, publicUrl: home = '' } = config;
  const described = { ...product, restPrefix, home, credentialsAllowed: true };
  const settle = () => extensions.hooks.doAction('settle');
  let stopped: Promise<void> | undefined;
  const stop = async () => {
    await server.stop(10_000);
    await settle();
    await database.drop();
    await rm(dataDir, { recursive: true, force: true });
  };
  return {
    ...people,
    url: server.url,
    get api() {
      api ??= supertestOn(server.url);
      return api;
    },
    apiAs: (user) => supertestOn(server.url, loginOf(user)),
    logged,
    database,
    rest: { dispatch: (call) => callInside(service.dispatch, described, call), settle },
    importRows: (material, site, rows) => importTestRows(database.write, { material, site, rows, clock }),
    request(method, path, { user, headers = {}, body } = {}) {
      const login = user === undefined ? undefined : loginOf(user);
      return sendRequest({
        method,
        url: server.url + path,
        headers: [
          ...(login === undefined ? [] : [['Authorization', basicHeader(login)] as const]),
          ...(body === undefined ? [] : [['Content-Type', 'application/json'] as const]),
          ...Object.entries(headers),
        ],
        body: typeof body === 'object' ? JSON.stringify(body) : body,
      });
    },
    stop() {
      stopped ??= stop();
      return stopped;
    },
  };
}

async function callInside(
  dispatch: (request: RestRequest) => Promise<RestAnswer>,
  installation: Installation,
  { method, address, user, body = '', headers = {} }: InsideCall,
): Promise<HostResponse> {
  const { restPrefix } = installation;
  const { route, query } = routeAddressOf(restPrefix + address, restPrefix) ?? { route: '/', query: {} };
  const closing: (() => void)[] = [];
  const answer = await dispatch({
    id: randomUUID(),
    method,
    route,
    query,
    headers,
    callerAddress: '',
    accepts: () => undefined,
    signal: new AbortController().signal,
    installation,
    authenticate: async () => (user === null ? { kind: 'anonymous' } : { kind: 'user', user }),
    readBody: async () => ({ ok: true, text: body }),
    openBody: () => Readable.from([Buffer.from(body)]),
    onClose: (run) => closing.push(run),
  });
  const whole = answer.hasLists === true ? await wholeJson(answer.body) : answer.body;
  for (const run of closing) run();
  return { ...answer, body: whole };
}
