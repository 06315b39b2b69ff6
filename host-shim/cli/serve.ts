import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { Knex } from 'knex';
import type { AccountTools } from '../accounts/account-tools';
import { hasUsers } from '../accounts/accounts';
import { issuePassword } from '../accounts/passwords';
import { AccountError, createUser } from '../accounts/users';
import { showSecret } from '../auth/application-password';
import { UNRESTRICTED } from '../auth/key-restrictions';
import { LOGIN_GUARD } from '../auth/login-guard';
import { generateLoginPassword } from '../auth/login-password';
import type { Log } from '../extension-api';
import { followChanges } from '../extensions/follow-changes';
import { type HealthListener, startHealthListener } from '../health/health-listener';
import type { Probes } from '../health/probes';
import type { Config } from '../server/config';
import { createHostService } from '../server/host-service';
import { type HttpServer, listen } from '../server/http-server';
import {
  type Installation,
  type InstallationOptions,
  openInstallation,
  type Product,
} from '../server/installation';
import { createLoadShedding } from '../server/load-shedding';
import { PAGE_LOGIN_GUARD } from '../sessions/log-in';
import { digestOfToken } from '../telemetry/host-metrics';
import { openTelemetry } from '../telemetry/telemetry';
import { runBackgroundWork } from './background-work';
import type { Terminal } from './command';
import { openProgress } from './progress';
import { type FirstAccount, welcomeText } from './welcome';

interface ServeOptions extends Omit<InstallationOptions, 'isHttpServer' | 'onDatabaseLost'> {
  readonly product: Pick<Product, 'name' | 'description'>;
  readonly terminal: Terminal;
  readonly signal: AbortSignal;
}

/** How long in-flight requests may take after the stop signal. */
const GRACE_MS = 10_000;
/** The longest wait for the extensions' last writes and for telemetry: the database or the collector may be unreachable. */
const MAX_SETTLE_MS = 5_000;

/**
 * Serves until `signal` is aborted; resolves once everything is closed. Rejects if the embedded database stops permanently, so
 * that the service manager restarts the server and its database.
 */
export async function serve(options: ServeOptions): Promise<void> {
  const { config, product, terminal, signal, clock, log } = options;
  const { promise: databaseLost, resolve: onDatabaseLost } = Promise.withResolvers<Error>();
  const telemetry = await openTelemetry(config, log);
  const installation = await openInstallation({ ...options, isHttpServer: true, onDatabaseLost, telemetry });
  const { database, extensions } = installation;
  const serving = new AbortController();
  let background: Promise<void> | undefined;
  try {
    followChanges(extensions, { log, signal: serving.signal });
    const service = await createHostService({
      product,
      config,
      rateLimits: {
        perHour: config.ratePerHour,
        perMinute: config.ratePerMinute,
        readingPerHour: config.readingRatePerHour,
        readingPerMinute: config.readingRatePerMinute,
        pagesPerHour: config.pagesRatePerHour,
        pagesPerMinute: config.pagesRatePerMinute,
      },
      loginGuard: LOGIN_GUARD,
      pageLoginGuard: PAGE_LOGIN_GUARD,
      extensions,
      database,
      clock,
      log,
      telemetry,
      admit: createLoadShedding(),
    });
    const server = await listen(service.app, { host: config.host, port: config.port, log });
    let health: HealthListener | undefined;
    try {
      health = await openHealthPort(config, service.probes, log);
      // Called after listening, so that a port in use is reported first. No account exists until `greet` creates the first one.
      await extensions.current().hooks.doAction('server_started', {
        signal,
        err: (text) => terminal.stderr.write(text),
        openProgress: (total) => openProgress(terminal, clock, total),
      });
      await greet(server, health, installation, options);
      background = runBackgroundWork(installation, options, serving.signal);
      if (terminal.interactive)
        await extensions.current().hooks.doAction('server_ready', {
          openProgress: (total) => openProgress(terminal, clock, total),
        });
      await endOfService(signal, databaseLost);
      terminal.stderr.write(
        'Stopping: waiting for in-flight requests to finish. Press Ctrl-C again to stop immediately.\n',
      );
    } finally {
      serving.abort();
      await health?.stop();
      await Promise.all([server.stop(GRACE_MS), background]);
      const settled = extensions
        .current()
        .hooks.doAction('server_stopped')
        .then(() => extensions.hooks.doAction('settle'));
      await Promise.race([settled, pause(MAX_SETTLE_MS, undefined, { ref: false })]);
    }
  } finally {
    serving.abort();
    await Promise.race([telemetry.stop?.(), pause(MAX_SETTLE_MS, undefined, { ref: false })]);
    await database.stop();
  }
}

async function openHealthPort(
  { host, healthPort, metricsToken }: Config,
  probes: Probes,
  log: Log,
): Promise<HealthListener | undefined> {
  if (healthPort === undefined) return undefined;
  const metricsDigest = metricsToken === undefined ? undefined : digestOfToken(metricsToken);
  return startHealthListener({ host, port: healthPort, probes, metricsDigest, log });
}

async function greet(
  { url }: HttpServer,
  health: HealthListener | undefined,
  { database, extensions }: Installation,
  { config, clock, terminal }: ServeOptions,
): Promise<void> {
  const account = await createFirstAccount({ write: database.write, clock, hooks: extensions.hooks });
  const login = account?.login ?? (await firstAdministrator(database.write));
  const lines = await extensions.current().hooks.applyFilters('welcome_lines', [], {
    login,
    secret: account?.applicationPassword ?? 'APPLICATION PASSWORD',
    restRoot: `${url}${config.restPrefix}/`,
  });
  terminal.stdout.write(
    welcomeText({
      url,
      healthUrl: health?.url,
      database: database.description,
      config,
      account,
      administrator: login,
      lines,
    }),
  );
}

/** Creates the first administrator with an application password; undefined if an account already exists. */
async function createFirstAccount(tools: AccountTools): Promise<FirstAccount | undefined> {
  const { write, clock } = tools;
  if (await hasUsers(write)) return undefined;
  const login = 'admin';
  const loginPassword = generateLoginPassword(randomBytes);
  const account = { login, role: 'administrator', password: loginPassword, sites: [] } as const;
  const userId = await createUser(write, account, { clock, randomBytes }).catch((error: unknown) => {
    // Another server, started at the same time, has created it.
    if (error instanceof AccountError && error.field === 'login') return undefined;
    throw error;
  });
  if (userId === undefined) return undefined;
  const restrictions = { ...UNRESTRICTED, level: 'read' } as const;
  const { secret } = await issuePassword(tools, { userId, name: 'first steps', restrictions });
  return { login, loginPassword, applicationPassword: showSecret(secret) };
}

async function firstAdministrator(write: Knex): Promise<string> {
  const first = await write
    .from('host.users')
    .where({ role: 'administrator', disabled: false })
    .orderBy('user_id')
    .first<{ login: string } | undefined>('login');
  return first?.login ?? 'USER';
}

/** Resolves when asked to stop; rejects if the database is lost. */
async function endOfService(signal: AbortSignal, databaseLost: Promise<Error>): Promise<void> {
  if (signal.aborted) return;
  const ended = await Promise.race([once(signal, 'abort'), databaseLost]);
  if (ended instanceof Error) throw ended;
}
