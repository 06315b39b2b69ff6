// The package's export "qal-analytics/testing", used by our own HTTP tests too: a real host with its own database.
// Usage: const host = await startTestHost({...}); ... await host.stop();
// Its types must compile without the types of Express and supertest.
import { randomBytes } from 'node:crypto';
import type { Knex } from 'knex';
import type { ReadPool } from '../../db/read-pool';
import { type AnalyticsSettings, analyticsExtension } from '../../extension/index';
import { findAccountByLogin, findUser } from '../../host-shim/auth/accounts';
import { createApplicationPassword } from '../../host-shim/auth/application-password-store';
import { type KeyRestrictions, UNRESTRICTED } from '../../host-shim/auth/key-restrictions';
import type { LoginGuardOptions } from '../../host-shim/auth/login-guard';
import { createUser } from '../../host-shim/auth/users';
import { configure } from '../../host-shim/config';
import type { Clock, Extension, HostResponse, HostUser } from '../../host-shim/extension-api';
import { createHostService } from '../../host-shim/host-service';
import { listen } from '../../host-shim/http-server';
import { loadHost } from '../../host-shim/load-host';
import type { RateLimits } from '../../host-shim/rate-limit/user-budget';
import { checkAnswers } from './check-answers';
import { createTestDatabase, type TestDatabase } from './database';
import { applyTestSites, importTestRows, refuseUnknownSites, setFeatures } from './host-data';
import { createMemoryLog } from './memory-log';
import { sendRequest } from './send-request';
import { type SupertestApi, supertestOn } from './supertest-api';

/** What Basic authentication takes. */
export interface Credentials {
  readonly login: string;
  readonly secret: string;
}

export interface TestSite {
  readonly tracking_id: string;
  readonly domain: string;
  readonly name: string;
  /** The full name of a time zone. */
  readonly timezone: string;
  readonly default?: boolean;
  readonly goals?: readonly {
    readonly id: number;
    readonly name: string;
    readonly type: string;
    readonly condition: string | number | object;
  }[];
}

export interface TestUser {
  readonly login: string;
  readonly role: HostUser['role'];
  /** Tracking ids of what an analyst sees; an administrator sees all sites. */
  readonly sites?: readonly string[];
  readonly email?: string;
}

export interface TestHostOptions {
  /** As a file of sites has them. */
  readonly sites?: readonly TestSite[];
  /** Made at once, each with one application password: see `credentials`. */
  readonly users?: readonly TestUser[];
  /** Features of the query language switched off (or on) for this installation. */
  readonly features?: Readonly<Record<string, boolean>>;
  /** What the host takes for now; the present unless said. */
  readonly clock?: Clock;
  /** Calls of each user, 0 = any number; nothing is limited unless said. */
  readonly rateLimits?: Partial<RateLimits>;
  /** Wrong logins from one address, 0 = any number; nothing is limited unless said. */
  readonly loginGuard?: LoginGuardOptions;
  /** The same for logins on the pages. */
  readonly pageLoginGuard?: LoginGuardOptions;
  /** Of the analytics extension. */
  readonly settings?: Partial<AnalyticsSettings>;
  /** Instead of the analytics extension. */
  readonly extensions?: readonly Extension[];
  readonly environment?: 'local' | 'production';
  readonly trustProxy?: number | readonly string[];
  readonly restPrefix?: string;
}

export interface TestRequest {
  /** The login of a user who has an application password of this host, or other credentials. */
  readonly user?: string | Credentials;
  readonly headers?: Readonly<Record<string, string>>;
  /** An object is sent as JSON, a text as it is (as JSON too, unless `headers` says otherwise). */
  readonly body?: object | string;
}

export interface TestAnswer {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The parsed JSON, when the answer is JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into answers of every shape
  readonly body: any;
  readonly text: string;
}

/** What became of imported rows. */
export interface TestImportReport {
  readonly read: number;
  readonly added: number;
  /** Rows of figures that were there with other numbers: these stand now. */
  readonly updated: number;
  /** Rows that were there already, as they are. */
  readonly unchanged: number;
}

export interface TestHost {
  /** Without a slash at the end; the REST interface is below `/wp-json`. */
  readonly url: string;
  /** supertest on this host, for what `request` cannot say. The package supertest must be there. */
  readonly api: SupertestApi;
  /** Everything that was logged so far, as parsed lines. */
  readonly logged: readonly Record<string, unknown>[];
  readonly database: { readonly read: ReadPool; readonly write: Knex; readonly url: string };
  /** The REST interface from inside the program, without HTTP and passwords. */
  readonly rest: {
    dispatch(call: {
      readonly method: 'GET' | 'POST';
      /** Route and query below the REST prefix: `/qa-platform/guide?version=latest`. */
      readonly address: string;
      readonly user: HostUser | null;
      readonly body?: string;
    }): Promise<HostResponse>;
    /** Waits for what goes on behind answers that are sent already. */
    settle(): Promise<void>;
  };
  createUser(user: TestUser): Promise<HostUser>;
  createApplicationPassword(
    login: string,
    name?: string,
    /** What it can do less than its owner; nothing unless said. */
    restrictions?: Partial<KeyRestrictions>,
  ): Promise<Credentials & { readonly uuid: string }>;
  /** The first application password that was made here for a user. */
  credentials(login: string): Credentials;
  /** Imports rows of a material as its importer takes them: all of them, or none and an error that names each fault. */
  importRows(material: string, site: string, rows: Iterable<object>): Promise<TestImportReport>;
  request(
    method: 'GET' | 'POST' | 'HEAD' | 'OPTIONS' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    request?: TestRequest,
  ): Promise<TestAnswer>;
  /** Closes the host and removes its database. */
  stop(): Promise<void>;
}

export const SETTINGS: AnalyticsSettings = {
  namespace: 'qa-platform',
  defaultVersion: 'latest',
  queryTimeoutSeconds: 30,
  docsUrl: 'https://docs.example/',
  responseEnvelope: 'result',
  rollups: true,
  resultCacheMb: 64,
};

/** The login password of every user made here, for the pages. */
export const LOGIN_PASSWORD = 'login password of a test';

export function basicHeader({ login, secret }: Credentials): string {
  return `Basic ${Buffer.from(`${login}:${secret}`).toString('base64')}`;
}

/** Starts a host; with the analytics extension unless others are given. */
export async function startTestHost(options: TestHostOptions = {}): Promise<TestHost> {
  const database = await createTestDatabase();
  try {
    return await startOn(database, options);
  } catch (error) {
    await database.drop();
    throw error;
  }
}

async function startOn(database: TestDatabase, options: TestHostOptions): Promise<TestHost> {
  const clock = options.clock ?? (() => new Date());
  // Nobody guesses passwords here: a key that costs a tenth of a second for each user would be most of many tests.
  const tools = { clock, randomBytes, passwordCost: { N: 2 ** 10, r: 8, p: 1 } };
  const known = new Map<string, Credentials>();
  const people: Pick<TestHost, 'createUser' | 'createApplicationPassword' | 'credentials'> = {
    async createUser({ sites = [], ...user }) {
      await refuseUnknownSites(database.write, sites);
      const id = await createUser(database.write, { ...user, sites, password: LOGIN_PASSWORD }, tools);
      const found = await findUser(database.write, id);
      if (found === undefined) throw new Error(`The account ${user.login} is gone.`);
      return found.user;
    },
    async createApplicationPassword(login, name = 'test', restrictions = {}) {
      await refuseUnknownSites(database.write, restrictions.sites ?? []);
      const account = await findAccountByLogin(database.write, login);
      if (account === undefined) throw new Error(`The test host has no account ${login}.`);
      const { password, secret } = await createApplicationPassword(
        database.write,
        { userId: account.id, name, restrictions: { ...UNRESTRICTED, ...restrictions } },
        tools,
      );
      if (!known.has(login)) known.set(login, { login, secret });
      return { login, secret, uuid: password.uuid };
    },
    credentials(login) {
      const found = known.get(login);
      if (found === undefined) throw new Error(`The test host has no application password of ${login}.`);
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
  const extensions = await loadHost({
    clock,
    log,
    database,
    settings: configure([], options.environment ? { QAL_ENVIRONMENT: options.environment } : {}).config,
    installed: options.extensions ?? [analyticsExtension({ ...SETTINGS, ...options.settings })],
  });
  const rest = await createHostService({
    name: 'Test host',
    description: 'A host for tests.',
    restPrefix: options.restPrefix ?? '/wp-json',
    environment: options.environment ?? 'local',
    trustProxy: options.trustProxy,
    rateLimits: { perHour: 0, perMinute: 0, pagesPerMinute: 0, ...options.rateLimits },
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
  });
  const server = await listen(rest.app, { host: '127.0.0.1', port: 0, log });

  let stopped: Promise<void> | undefined;
  const stop = async () => {
    await server.stop(1_000);
    await rest.settle();
    await database.drop();
  };
  return {
    ...people,
    url: server.url,
    get api() {
      return supertestOn(server.url);
    },
    logged,
    database,
    rest,
    importRows: (material, site, rows) => importTestRows(database.write, { material, site, rows, clock }),
    request(method, path, { user, headers = {}, body } = {}) {
      const login = typeof user === 'string' ? people.credentials(user) : user;
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
