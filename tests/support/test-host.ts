// A real host for a test: its own database, a free port, and ways to make users, passwords and requests.
// Usage: const host = await startTestHost({...}); ... await host.stop();
import { randomBytes } from 'node:crypto';
import { Writable } from 'node:stream';
import type { Knex } from 'knex';
import type { Logger } from 'pino';
import supertest from 'supertest';
import { type AnalyticsSettings, analyticsExtension } from '../../extension/index';
import { createApplicationPassword } from '../../host-shim/auth/application-password-store';
import type { LoginGuardOptions } from '../../host-shim/auth/login-guard';
import { createUser } from '../../host-shim/auth/users';
import type { Clock, Extension, HostUser } from '../../host-shim/extension-api';
import { createExtensionHost, registerExtensions } from '../../host-shim/extension-host';
import { listen } from '../../host-shim/http-server';
import { createLog } from '../../host-shim/logging';
import type { RateLimits } from '../../host-shim/rate-limit/user-budget';
import { createRestService, type RestService } from '../../host-shim/rest/rest-service';
import { createTestDatabase } from './database';

/** What Basic authentication takes. */
export interface Credentials {
  readonly login: string;
  readonly secret: string;
}

export interface TestUser {
  readonly login: string;
  readonly role: HostUser['role'];
  readonly sites?: readonly string[];
  readonly email?: string;
}

export interface TestHostOptions {
  /** Made at once, each with one application password: see `credentials`. */
  readonly users?: readonly TestUser[];
  /** Instead of the analytics extension. */
  readonly extensions?: readonly Extension[];
  /** Of the analytics extension. */
  readonly settings?: Partial<AnalyticsSettings>;
  readonly clock?: Clock;
  /** Nothing is limited unless said. */
  readonly rateLimits?: RateLimits;
  readonly loginGuard?: LoginGuardOptions;
  readonly environment?: 'local' | 'production';
  readonly trustProxy?: number | readonly string[];
  readonly restPrefix?: string;
}

export interface TestRequest {
  readonly user?: Credentials;
  readonly headers?: Readonly<Record<string, string>>;
  /** An object is sent as JSON, a text as it is (as JSON too, unless `headers` says otherwise). */
  readonly body?: object | string;
}

export interface TestAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The parsed JSON, when the answer is JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into answers of every shape
  readonly body: any;
  readonly text: string;
}

export interface TestHost {
  readonly url: string;
  readonly database: { readonly read: Knex; readonly write: Knex; readonly url: string };
  readonly rest: RestService;
  /** supertest on this host, for what `request` cannot say. */
  readonly api: ReturnType<typeof supertest>;
  /** Everything that was logged so far, as parsed lines. */
  readonly logged: readonly Record<string, unknown>[];
  createUser(user: TestUser): Promise<HostUser>;
  createApplicationPassword(login: string, name?: string): Promise<Credentials & { readonly uuid: string }>;
  /** The application password of a user given in the options. */
  credentials(login: string): Credentials;
  request(
    method: 'GET' | 'POST' | 'HEAD' | 'OPTIONS' | 'PUT' | 'DELETE',
    path: string,
    request?: TestRequest,
  ): Promise<TestAnswer>;
  stop(): Promise<void>;
}

const SETTINGS: AnalyticsSettings = {
  namespace: 'qa-platform',
  defaultVersion: 'latest',
  queryTimeoutSeconds: 30,
  docsUrl: 'https://docs.example/',
  responseEnvelope: 'result',
};

const LOGIN_PASSWORD = 'login password of a test';

export function basicHeader({ login, secret }: Credentials): string {
  return `Basic ${Buffer.from(`${login}:${secret}`).toString('base64')}`;
}

function createMemoryLog(): { log: Logger; logged: Record<string, unknown>[] } {
  const logged: Record<string, unknown>[] = [];
  const destination = new Writable({
    write(chunk, _encoding, done) {
      logged.push(JSON.parse(String(chunk)));
      done();
    },
  });
  return { log: createLog('info', destination), logged };
}

const METHODS = {
  GET: 'get',
  POST: 'post',
  HEAD: 'head',
  OPTIONS: 'options',
  PUT: 'put',
  DELETE: 'delete',
} as const;

/** Starts a host; with the analytics extension unless others are given. */
export async function startTestHost(options: TestHostOptions = {}): Promise<TestHost> {
  const clock = options.clock ?? (() => new Date());
  const tools = { clock, randomBytes };
  const { log, logged } = createMemoryLog();
  const database = await createTestDatabase();
  const { host, registry } = createExtensionHost({ clock, log, database });
  await registerExtensions(
    host,
    options.extensions ?? [analyticsExtension({ ...SETTINGS, ...options.settings })],
  );
  const rest = createRestService({
    name: 'Test host',
    description: 'A host for tests.',
    restPrefix: options.restPrefix ?? '/wp-json',
    environment: options.environment ?? 'local',
    trustProxy: options.trustProxy,
    rateLimits: options.rateLimits ?? { perHour: 0, perMinute: 0 },
    loginGuard: options.loginGuard ?? { failures: 0, windowSeconds: 60 },
    registry,
    database,
    clock,
    log,
  });
  const server = await listen(rest.app, { host: '127.0.0.1', port: 0, log });
  const api = supertest(server.url);
  const known = new Map<string, Credentials>();

  const testHost: TestHost = {
    url: server.url,
    database,
    rest,
    api,
    logged,
    createUser: ({ sites = [], ...user }) =>
      createUser(database.write, { ...user, sites, password: LOGIN_PASSWORD }, tools),
    async createApplicationPassword(login, name = 'test') {
      const { uuid, secret } = await createApplicationPassword(database.write, { login, name }, tools);
      return { login, secret, uuid };
    },
    credentials(login) {
      const found = known.get(login);
      if (found === undefined) throw new Error(`The test host was not started with a user ${login}.`);
      return found;
    },
    async request(method, path, { user, headers = {}, body } = {}) {
      const request = api[METHODS[method]](path);
      if (user !== undefined) request.set('Authorization', basicHeader(user));
      if (body !== undefined) request.set('Content-Type', 'application/json');
      request.set(headers);
      if (body !== undefined) request.send(body);
      const answer = await request;
      return { status: answer.status, headers: answer.headers, body: answer.body, text: answer.text ?? '' };
    },
    async stop() {
      await server.stop(1_000);
      await rest.settle();
      await database.drop();
    },
  };
  for (const user of options.users ?? []) {
    await testHost.createUser(user);
    known.set(user.login, await testHost.createApplicationPassword(user.login));
  }
  return testHost;
}
