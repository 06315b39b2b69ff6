// Checks whether addresses point to the same database. A different database may have the same data versions but different rows.
import { z } from 'zod';
import { onSeparateConnection } from './separate-connection';

export interface DatabaseIdentity {
  /** The same for a server and its replicas. A managed PostgreSQL may hide it. */
  readonly system: string | undefined;
  readonly database: string;
  /** When this server was started, in epoch seconds. */
  readonly startedAt: string;
  /** The primary's timeline, which increases with each failover; 0 for a replica. */
  readonly timeline: number;
}

const identityRows = z.tuple([
  z.object({ database: z.string(), startedAt: z.string(), timeline: z.number(), canReadSystem: z.boolean() }),
]);
const systemRows = z.tuple([z.object({ system: z.string() })]);

export async function identify(query: (text: string) => Promise<unknown>): Promise<DatabaseIdentity> {
  const [{ canReadSystem, ...found }] = identityRows.parse(
    await query(`SELECT oid::text AS database, extract(epoch FROM pg_postmaster_start_time())::text AS "startedAt",
                        CASE WHEN pg_is_in_recovery() THEN 0
                             ELSE ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int END AS timeline,
                        has_function_privilege('pg_control_system()', 'EXECUTE') AS "canReadSystem"
                   FROM pg_database WHERE datname = current_database()`),
  );
  if (!canReadSystem) return { ...found, system: undefined };
  const [{ system }] = systemRows.parse(
    await query('SELECT system_identifier::text AS system FROM pg_control_system()'),
  );
  return { ...found, system };
}

const TIMEOUT_MS = 5_000;

export const lookAt = (connectionString: string): Promise<DatabaseIdentity> =>
  onSeparateConnection(
    { connectionString, connectionTimeoutMillis: TIMEOUT_MS, query_timeout: TIMEOUT_MS },
    (client) => identify(async (text) => (await client.query(text)).rows),
  );

export const isReplica = ({ timeline }: DatabaseIdentity): boolean => timeline === 0;

export const isReplicated = (one: DatabaseIdentity, other: DatabaseIdentity): boolean =>
  one.database === other.database &&
  (one.system === undefined || other.system === undefined || one.system === other.system);

export const isSameServer = (one: DatabaseIdentity, other: DatabaseIdentity): boolean =>
  isReplicated(one, other) && one.startedAt === other.startedAt;
