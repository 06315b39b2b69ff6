// A primary with two streaming replicas, and two servers. DATABASE_URL is either one address that follows the primary, or all
// three addresses.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { withRoleOf } from '../../../../db/read-addresses';
import { READER_ROLE } from '../../../../db/roles';
import { type Replica, runOnce, startPrimary, startReplica } from '../../../support/streaming-replica';
import { basicHeader } from '../../../support/test-host';
import type { ThrowawayPostgres } from '../../../support/throwaway-postgres';
import { createInstallation, type Server } from '../../installation';

const SITES = 'sites:\n  - { tracking_id: shop, domain: shop.example, name: Shop, timezone: UTC }\n';
const BUSY_MS = 100;

export interface Cluster {
  readonly primary: ThrowawayPostgres;
  readonly replicas: readonly [Replica, Replica];
  readonly servers: readonly [Server, Server];
  /** Redirects the address that follows the primary to a different server. */
  pointTo(url: string): void;
  /** Returns the number of views that a server counts. Undefined for a 503. Throws on other errors. */
  countViews(server: Server, end: string): Promise<number | undefined>;
  /** Imports views. Returns false for a 503. Throws on other errors. */
  importViews(server: Server, count: number): Promise<boolean>;
  /** Returns what the health check reports about the replicas. */
  describeReplicas(server: Server): Promise<string>;
  remove(): Promise<void>;
}

const answerSchema = z.object({ result: z.object({ rows: z.array(z.tuple([z.string(), z.number()])) }) });

export type Addressing = 'following address' | 'all addresses';

export async function createCluster(addressing: Addressing): Promise<Cluster> {
  const removals: (() => Promise<unknown>)[] = [];
  const remove = async () => {
    for (const one of removals.reverse()) await one();
  };
  try {
    const primary = await startPrimary('qal-torture-primary-');
    removals.push(() => primary.stop());
    await runOnce(primary.url, `CREATE ROLE ${READER_ROLE} LOGIN`);
    const address = await openAddress(primary.url);
    removals.push(address.close);
    const newReplica = async () => {
      const replica = await startReplica(primary, 'qal-torture-replica-');
      removals.push(replica.remove);
      return replica;
    };
    const replicas = await Promise.all([newReplica(), newReplica()]);
    const reader = `postgresql://${READER_ROLE}@`;
    const environment = {
      DATABASE_URL:
        addressing === 'all addresses' ? [primary, ...replicas].map(({ url }) => url).join() : address.url,
      DATABASE_READ_URL: replicas.map(({ url }) => withRoleOf(url, reader)).join(),
      QAL_COLUMNS_MEMORY_MB: '128',
    };
    const newServer = async () => {
      const installation = await createInstallation(environment);
      removals.push(installation.remove);
      return { installation, server: await installation.serve() };
    };
    const one = await newServer();
    const key = ['passwords', 'create', 'admin', '--name', 'torture', '--level', 'import'];
    const [other, { code, err }, { out }] = await Promise.all([
      newServer(),
      one.installation.run(['sites', 'apply', '-'], undefined, SITES),
      one.installation.run(key),
    ]);
    if (code !== 0) throw new Error(err);
    const headers = {
      Authorization: basicHeader({ login: 'admin', secret: out.trim() }),
      'Content-Type': 'application/json',
    };
    let views = 0;

    async function send({ url }: Server, path: string, body: string): Promise<unknown> {
      const response = await fetch(`${url}/wp-json${path}`, { method: 'POST', headers, body });
      const text = await response.text();
      if (response.status === 200) return JSON.parse(text);
      if (response.status !== 503) throw new Error(`${response.status}: ${text}`);
      await pause(BUSY_MS);
      return undefined;
    }

    return {
      primary,
      replicas,
      servers: [one.server, other.server],
      pointTo: address.pointTo,
      async countViews(server, end) {
        const query = {
          tracking_id: 'shop',
          materials: [{ name: 'allpv' }],
          time: { start: '2026-01-01T00:00:00', end, tz: 'UTC' },
          make: { v: { from: ['allpv'], keep: ['allpv.url'], calc: { n: 'COUNT(allpv.pv_id)' } } },
          result: { use: 'v' },
        };
        const answer = await send(server, '/qa-platform/query', JSON.stringify(query));
        if (answer === undefined) return undefined;
        return answerSchema.parse(answer).result.rows.reduce((sum, [, count]) => sum + count, 0);
      },
      async importViews(server, count) {
        const line = () => {
          views += 1;
          const at = new Date(Date.UTC(2026, 4, 1) + views * 1000).toISOString();
          return JSON.stringify({
            pv_id: views,
            url: `/${views % 7}`,
            reader_id: 1,
            session_id: 1,
            access_time: at,
          });
        };
        const body = Array.from({ length: count }, line).join('\n');
        return (await send(server, '/qal-data/v1/import/allpv?site=shop', body)) !== undefined;
      },
      async describeReplicas({ url }) {
        const text = await (await fetch(`${url}/healthz?details=1`)).text();
        return /^Read replicas: \w+, (.*)$/m.exec(text)?.[1] ?? 'no replicas';
      },
      remove,
    };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** A TCP proxy that closes all connections when its target changes. */
async function openAddress(first: string) {
  let path = socketOf(first);
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(path);
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
    near.pipe(far).pipe(near);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const { username, pathname } = new URL(first);
  const dropAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: `postgresql://${username}@127.0.0.1:${port}${pathname}`,
    pointTo(url: string) {
      path = socketOf(url);
      dropAll();
    },
    async close() {
      dropAll();
      server.close();
      await once(server, 'close');
    },
  };
}

function socketOf(url: string): string {
  const { searchParams } = new URL(url);
  return join(searchParams.get('host') ?? '', `.s.PGSQL.${searchParams.get('port') ?? 5432}`);
}
