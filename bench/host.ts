// The measured installation: a database, a host on a free port, and a user with a login password and an application password.

import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Knex } from 'knex';
import { type Analytics, loadAnalytics } from '../extension/api/analytics';
import { analyticsSettings } from '../extension/api/settings';
import { type AnalyticsSettings, analyticsExtension } from '../extension/index';
import { columnsFolder } from '../extension/query/columns/columns-of-server';
import { readSavedStatus, STATUS_FILE } from '../extension/query/columns/columns-status';
import { accounts } from '../host-shim/accounts/accounts';
import { callerRecords } from '../host-shim/accounts/caller-records';
import { withdrawSite } from '../host-shim/accounts/known-sites';
import { createUser } from '../host-shim/accounts/users';
import { createApplicationPassword } from '../host-shim/auth/application-password-store';
import { openLedger } from '../host-shim/backups/ledger';
import { NO_TELEMETRY } from '../host-shim/extension-api';
import { configure, readSettings } from '../host-shim/server/config';
import { createHostService } from '../host-shim/server/host-service';
import { listen } from '../host-shim/server/http-server';
import { type Installation, openInstallation } from '../host-shim/server/installation';
import { createLog } from '../host-shim/server/logging';
import type { Target } from './http-client';

export interface BenchHost {
  readonly installation: Installation;
  readonly analytics: Analytics;
  /** How long it took to open the database, including migrations. */
  readonly startSeconds: number;
  readonly url: string;
  readonly login: string;
  /** Creates another user; returns the Authorization header of its application password. */
  addUser(): Promise<string>;
  /** The login password for the pages. */
  readonly loginPassword: string;
  /** Starts the columnar copy, waits until it has all data, and returns how long that took and the size of the copy. */
  fillColumns(): Promise<CopyFilled>;
  /** `search` begins with a question mark. `url` defaults to this host. */
  target(body: string, search?: string, url?: string): Target;
}

export interface CopyFilled {
  /** The time until the columnar copy can answer queries. */
  readonly seconds: number;
  /** The time until unique counts are also precomputed. */
  readonly countedSeconds: number;
  readonly bytes: number;
}

interface HostOptions {
  readonly dataDir: string;
  readonly queryTimeoutSeconds: number;
}

const clock = () => new Date();
const LOGIN_PASSWORD = 'a login password';
const POLL_MS = 100;
const NO_GUARD = { failures: 0, windowSeconds: 60 };

/** Opens an installation without rate limits for the duration of the work. */
export async function withBenchHost<Result>(
  { dataDir, queryTimeoutSeconds }: HostOptions,
  work: (host: BenchHost) => Promise<Result>,
): Promise<Result> {
  const { config } = configure([], { ...process.env, DATA_DIR: dataDir, QAL_ENVIRONMENT: 'local' });
  const settings: AnalyticsSettings = {
    ...readSettings(analyticsSettings, {}).values,
    queryTimeoutSeconds,
    queriesAtOnce: 4,
    columnsShadow: 0,
    columnsAuditHours: 0,
    // Repeated queries would be answered from a cache.
    resultCacheMb: 0,
  };
  const log = createLog('error', process.stderr);
  const started = performance.now();
  const installation = await openInstallation({
    config,
    installed: [analyticsExtension(settings)],
    log,
    clock,
  });
  const startSeconds = (performance.now() - started) / 1000;
  const { extensions, database } = installation;
  try {
    const analytics = await loadAnalytics(
      {
        clock,
        log,
        database,
        telemetry: NO_TELEMETRY,
        dataDir: '',
        withdrawSite: (client, trackingId) => withdrawSite(extensions.hooks, client, trackingId),
        callerRecords,
        accounts,
        messages: {},
        openLedger: (name) => openLedger(config, name),
      },
      settings,
    );
    const service = await createHostService({
      product: { name: 'bench', description: 'bench' },
      config,
      rateLimits: {
        perHour: 0,
        perMinute: 0,
        readingPerHour: 0,
        readingPerMinute: 0,
        pagesPerHour: 0,
        pagesPerMinute: 0,
      },
      loginGuard: NO_GUARD,
      pageLoginGuard: NO_GUARD,
      extensions,
      database,
      clock,
      log,
      telemetry: NO_TELEMETRY,
    });
    const server = await listen(service.app, { host: '127.0.0.1', port: 0 });
    try {
      const { login, authorization } = await makeUser(installation);
      const path = `${config.restPrefix}/${settings.namespace}/query`;
      return await work({
        installation,
        analytics,
        startSeconds,
        url: server.url,
        login,
        addUser: async () => (await makeUser(installation)).authorization,
        loginPassword: LOGIN_PASSWORD,
        fillColumns: () => fillColumns(installation, dataDir),
        target: (body, search = '', url = server.url) => ({
          url: url + path + search,
          headers: { Authorization: authorization, 'Content-Type': 'application/json' },
          body,
        }),
      });
    } finally {
      await server.stop(1_000);
      await extensions.current().hooks.doAction('server_stopped');
      await extensions.hooks.doAction('settle');
    }
  } finally {
    await database.stop();
  }
}

async function fillColumns({ extensions, database }: Installation, dataDir: string): Promise<CopyFilled> {
  deleteStatusFile(dataDir);
  const started = performance.now();
  await extensions.current().hooks.doAction('server_started', {
    signal: new AbortController().signal,
    err: (text) => void process.stderr.write(text),
    openProgress: () => ({ show() {}, close() {} }),
  });
  const secondsSince = () => (performance.now() - started) / 1000;
  await waitForCopy(database.write, dataDir);
  const seconds = secondsSince();
  const bytes = await waitForCounts(dataDir);
  return { seconds, countedSeconds: secondsSince(), bytes };
}

/** Deletes the status file of an earlier server, so that it is not mistaken for the status of the next copy. */
export const deleteStatusFile = (dataDir: string): void =>
  rmSync(join(columnsFolder(dataDir), STATUS_FILE), { force: true });

/** Waits until the columnar copy is current for all sites. */
export async function waitForCopy(write: Knex, dataDir: string): Promise<void> {
  while (!(await copyIsCurrent(write, dataDir))) await pause(POLL_MS);
}

/** Waits until the unique counts of the current copy are also precomputed; returns the size of the copy on disk. */
export async function waitForCounts(dataDir: string): Promise<number> {
  for (;;) {
    const status = await readSavedStatus(columnsFolder(dataDir));
    if (status?.isCounted === true) return status.bytes;
    await pause(POLL_MS);
  }
}

/** Whether the columnar copy of the running server is current for all sites. */
export async function copyIsCurrent(write: Knex, dataDir: string): Promise<boolean> {
  const status = await readSavedStatus(columnsFolder(dataDir));
  if (status?.state !== 'ready') return false;
  const sites: { site_id: number; token: string }[] = await write
    .from('analytics.site_version')
    .select('site_id', 'token');
  return sites.every(({ site_id, token }) =>
    status.sites.some(({ siteId, version }) => siteId === site_id && version === token),
  );
}

/** A new user for this run; a reused data directory also has the users of earlier runs. */
async function makeUser({ database }: Installation): Promise<{ login: string; authorization: string }> {
  const login = `bench-${randomBytes(4).toString('hex')}`;
  const tools = { clock, randomBytes };
  const userId = await createUser(
    database.write,
    { login, role: 'administrator', sites: [], password: LOGIN_PASSWORD },
    tools,
  );
  const { secret } = await createApplicationPassword(database.write, { userId, name: 'bench' }, tools);
  return { login, authorization: `Basic ${Buffer.from(`${login}:${secret}`).toString('base64')}` };
}
