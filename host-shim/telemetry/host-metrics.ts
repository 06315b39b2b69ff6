import { createHash, timingSafeEqual } from 'node:crypto';
import type { NextFunction, Request, Response } from 'express';
import { lastBackup } from '../backups/backup-health';
import {
  type Clock,
  type HostDatabase,
  type Metric,
  poolOf,
  type ReadPool,
  type Sample,
  type Telemetry,
  unlabeled,
  unlabeledSample,
} from '../extension-api';
import type { HealthLine } from '../health/check-health';
import { readJobs } from '../jobs/job-runs';
import { routeOf } from '../rest/route-name';
import type { OpenTelemetry } from './telemetry';

const REQUESTS: Metric<'method' | 'route' | 'status'> = {
  name: 'qal_http_request_duration_seconds',
  help: 'Time from the first byte of a request to the last byte of its response, by route; status 499: the client disconnected early.',
  labels: ['method', 'route', 'status'],
};

const CONNECTIONS: Metric<'pool' | 'state'> = {
  name: 'qal_database_connections',
  help: 'Connections of the two database pools, in use or idle, and tasks waiting for a connection.',
  labels: ['pool', 'state'],
};

const HEALTH: Metric<'check'> = {
  name: 'qal_health_check',
  help: '0 = fine, 1 = warning, 2 = failing, 3 = unknown.',
  labels: ['check'],
};

const BACKUP_AT = unlabeled('qal_backup_last_timestamp_seconds', 'When the newest backup was written.');

const BACKUP_BYTES = unlabeled('qal_backup_bytes', 'Size of the newest backup.');

const JOB_FAILED: Metric<'job'> = {
  name: 'qal_job_failed',
  help: '1 if the last run of this background job failed.',
  labels: ['job'],
};

const STATES = ['fine', 'warning', 'failing', 'unknown'] as const satisfies readonly HealthLine['state'][];

export function watchHost(
  { gauge }: Telemetry,
  { read, write }: HostDatabase,
  checkHealth: () => Promise<readonly HealthLine[]>,
  clock: Clock,
): void {
  gauge(CONNECTIONS, () => [
    ...connections('read', read.use()),
    ...connections('write', poolOf(write).use()),
  ]);
  gauge(BACKUP_AT, async () => {
    const last = await lastBackup(write, clock());
    return unlabeledSample(last && last.madeAt.getTime() / 1000);
  });
  gauge(BACKUP_BYTES, async () => unlabeledSample((await lastBackup(write, clock()))?.bytes));
  gauge(JOB_FAILED, async () =>
    [...(await readJobs(write))].map(([job, { fault }]) => ({
      labels: { job },
      value: fault === null ? 0 : 1,
    })),
  );
  gauge(HEALTH, async () =>
    (await checkHealth()).map(({ title, state }) => ({
      labels: { check: title },
      value: STATES.indexOf(state),
    })),
  );
}

const connections = (pool: string, use: ReturnType<ReadPool['use']>): readonly Sample<'pool' | 'state'>[] =>
  [['in_use', use.inUse] as const, ['idle', use.idle] as const, ['waiting', use.waiting] as const].map(
    ([state, value]) => ({ labels: { pool, state }, value }),
  );

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
const CLIENT_GONE = 499;

export function measureRequests({ observe }: OpenTelemetry) {
  return ({ method }: Request, response: Response, next: NextFunction): void => {
    const begun = performance.now();
    response.once('close', () => {
      const labels = {
        method: METHODS.has(method) ? method : 'other',
        route: routeOf(response),
        status: String(response.writableFinished ? response.statusCode : CLIENT_GONE),
      };
      observe(REQUESTS, labels, (performance.now() - begun) / 1000);
    });
    next();
  };
}

const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest();

/** The digest of the expected Authorization header. */
export const digestOfToken = (token: string): Buffer => digestOf(`Bearer ${token}`);

export function answerMetrics({ token, scrape }: NonNullable<OpenTelemetry['metrics']>) {
  const expected = digestOfToken(token);
  return async (request: Request, response: Response): Promise<void> => {
    response.set('Cache-Control', 'no-store');
    if (!timingSafeEqual(digestOf(request.get('authorization') ?? ''), expected)) {
      response.status(401).set('WWW-Authenticate', 'Bearer realm="metrics"').type('text/plain');
      response.send('Send the token from METRICS_TOKEN: "Authorization: Bearer TOKEN".\n');
      return;
    }
    const { contentType, text } = await scrape();
    response.set('Content-Type', contentType).send(text);
  };
}
