// Runs the server: opens the installation, fills an empty one with the demo, listens, and stops cleanly when asked.
import { randomBytes } from 'node:crypto';
import type { Knex } from 'knex';
import type { Logger } from 'pino';
import { DEMO_DOMAIN, DEMO_SITE, DEMO_VIEWS, hasDemo, loadDemo } from '../extension/demo/load-demo';
import { countedSites } from '../extension/storage/sites/list-sites';
import { LOGIN_GUARD } from './auth/login-guard';
import { JobFailed, type Terminal } from './cli/command';
import { openProgress } from './cli/progress';
import { type Config, databaseSettings } from './config';
import type { Clock } from './extension-api';
import { createFirstAccount } from './first-start';
import { createHostService, type HostService } from './host-service';
import { type HttpServer, listen } from './http-server';
import { type Installation, openInstallation } from './main';
import { PAGE_LOGIN_GUARD } from './sessions/log-in';
import { type FirstQuery, welcomeText } from './welcome';

export interface ServeOptions {
  readonly config: Config;
  readonly terminal: Terminal;
  readonly clock: Clock;
  readonly log: Logger;
  /** Aborted when the server shall stop. */
  readonly signal: AbortSignal;
}

/** Requests in flight may take this long after the signal to stop. */
const GRACE_MS = 10_000;
const NAME = 'QAL analytics';
const DESCRIPTION = 'A read-only query service over web-site measurement data.';

async function firstSite(write: Knex): Promise<FirstQuery | undefined> {
  const { rows } = await write.raw<{ rows: { tracking_id: string; timezone: string }[] }>(
    'SELECT tracking_id, timezone FROM analytics.site ORDER BY is_default DESC, site_id LIMIT 1',
  );
  const site = rows[0];
  return site && { trackingId: site.tracking_id, timezone: site.timezone };
}

async function firstAdministrator(write: Knex): Promise<string> {
  const { rows } = await write.raw<{ rows: { login: string }[] }>(
    "SELECT login FROM host.users WHERE role = 'administrator' AND NOT disabled ORDER BY user_id LIMIT 1",
  );
  return rows[0]?.login ?? 'USER';
}

/** Loads the demo when there is no site at all, or only the demo's own that a stopped start left without data. */
async function fillWhenEmpty(write: Knex, { terminal, clock, signal }: ServeOptions): Promise<void> {
  const others = await write
    .from('analytics.site')
    .whereRaw('(tracking_id, domain) <> (?, ?)', [DEMO_SITE, DEMO_DOMAIN])
    .first('site_id');
  if (others !== undefined || (await hasDemo(write))) return;
  terminal.stderr.write(`Loading the demo site "${DEMO_SITE}".\n`);
  const progress = openProgress(terminal, clock, DEMO_VIEWS);
  try {
    await loadDemo(write, {
      now: clock(),
      onProgress(done, total) {
        if (signal.aborted) throw new JobFailed('Stopped; the demo site will be loaded at the next start.');
        progress.show(done, `${done.toLocaleString('en')} of ${total.toLocaleString('en')} views`);
      },
    });
  } finally {
    progress.close();
  }
}

/** Says which sites lack the counts that their queries could be answered from. */
async function hintAtCounts(write: Knex, { config, log }: ServeOptions): Promise<void> {
  if (!config.rollups) return;
  const lacking = (await countedSites(write)).filter(({ counted }) => !counted);
  if (lacking.length === 0) return;
  const sites = lacking.map(({ trackingId }) => trackingId);
  const first = config.databaseUrl === undefined ? 'stop this server and run' : 'run';
  log.warn(
    { sites },
    `Sites without kept counts: their queries read all rows. To make them, ${first}: qal rollups rebuild`,
  );
}

function hostServiceOf(
  { extensions, database }: Installation,
  { config, clock, log }: ServeOptions,
): Promise<HostService> {
  return createHostService({
    name: NAME,
    description: DESCRIPTION,
    restPrefix: config.restPrefix,
    environment: config.environment,
    trustProxy: config.trustProxy,
    rateLimits: {
      perHour: config.ratePerHour,
      perMinute: config.ratePerMinute,
      pagesPerMinute: config.pagesRatePerMinute,
    },
    loginGuard: LOGIN_GUARD,
    pageLoginGuard: PAGE_LOGIN_GUARD,
    extensions,
    database,
    clock,
    log,
  });
}

async function greet(server: HttpServer, { database }: Installation, options: ServeOptions): Promise<void> {
  const { config, clock, terminal } = options;
  const account = await createFirstAccount(database.write, { clock, randomBytes });
  terminal.stdout.write(
    welcomeText({
      url: server.url,
      queryUrl: `${server.url}${config.restPrefix}/${config.namespace}/query`,
      database: database.description,
      embedded: config.databaseUrl === undefined,
      databaseSettings: databaseSettings(config),
      account,
      administrator: account?.login ?? (await firstAdministrator(database.write)),
      site: await firstSite(database.write),
      now: clock(),
    }),
  );
}

/** Resolves when the signal asks to stop; rejects when there is nothing left to serve from. */
function endOfService(signal: AbortSignal, databaseLost: Promise<Error>): Promise<void> {
  return new Promise((resolve, reject) => {
    databaseLost.then(reject);
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/**
 * Serves until `signal` is aborted; the promise ends once everything is closed. Rejects when the embedded database
 * has gone away for good: whoever watches over the program starts both again.
 */
export async function serve(options: ServeOptions): Promise<void> {
  const { config, terminal, signal, clock, log } = options;
  let onDatabaseLost = (_error: Error) => {};
  const databaseLost = new Promise<Error>((resolve) => {
    onDatabaseLost = resolve;
  });
  const installation = await openInstallation(config, { clock, log, onDatabaseLost });
  try {
    const service = await hostServiceOf(installation, options);
    const server = await listen(service.app, { host: config.host, port: config.port, log });
    try {
      // After listening, so that a port that is taken is told at once; nobody has an account before the greeting.
      await fillWhenEmpty(installation.database.write, options);
      await hintAtCounts(installation.database.write, options);
      await greet(server, installation, options);
      await endOfService(signal, databaseLost);
      terminal.stderr.write('Stopping: requests in flight may finish. Once more Ctrl-C ends it at once.\n');
    } finally {
      await server.stop(GRACE_MS);
      await service.settle();
    }
  } finally {
    await installation.database.stop();
  }
}
