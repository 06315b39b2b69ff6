import {
  type HostDatabase,
  type Metric,
  poolOf,
  type ReadPool,
  type Sample,
  type Telemetry,
} from '../extension-api';
import type { HealthLine } from '../health/look-at-health';

export const REQUESTS: Metric<'method' | 'route' | 'status'> = {
  name: 'qal_http_request_duration_seconds',
  help: 'Time from the first byte of a request to the last byte of its response, by route; status 499: the client disconnected early.',
  labels: ['method', 'route', 'status'],
};

const CONNECTIONS: Metric<'pool' | 'state'> = {
  name: 'qal_database_connections',
  help: 'Connections of the two pools that are in use or idle, and tasks waiting for one.',
  labels: ['pool', 'state'],
};

const HEALTH: Metric<'check'> = {
  name: 'qal_health_check',
  help: '0 = fine, 1 = warning, 2 = failing, 3 = unknown.',
  labels: ['check'],
};

const STATES = ['fine', 'warning', 'failing', 'unknown'] as const satisfies readonly HealthLine['state'][];

export function watchHost(
  { gauge }: Telemetry,
  { read, write }: HostDatabase,
  lookAtHealth: () => Promise<readonly HealthLine[]>,
): void {
  gauge(CONNECTIONS, () => [
    ...connections('read', read.use()),
    ...connections('write', poolOf(write).use()),
  ]);
  gauge(HEALTH, async () =>
    (await lookAtHealth()).map(({ title, state }) => ({
      labels: { check: title },
      value: STATES.indexOf(state),
    })),
  );
}

const connections = (pool: string, use: ReturnType<ReadPool['use']>): readonly Sample<'pool' | 'state'>[] =>
  [['in_use', use.inUse] as const, ['idle', use.idle] as const, ['waiting', use.waiting] as const].map(
    ([state, value]) => ({ labels: { pool, state }, value }),
  );
