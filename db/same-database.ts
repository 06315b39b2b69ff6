// Whether addresses lead to the same database. Rows of another one are no answer, and its data versions may be the same.
import { Client } from 'pg';
import { z } from 'zod';

export interface DatabaseIdentity {
  /** Of a server and its replicas. A managed PostgreSQL may keep it to itself. */
  readonly system: string | undefined;
  /** The same in all replicas. */
  readonly database: string;
  /** When this one of the servers was started, in epoch seconds. */
  readonly startedAt: string;
}

const identityRows = z.tuple([
  z.object({ database: z.string(), startedAt: z.string(), tellsSystem: z.boolean() }),
]);
const systemRows = z.tuple([z.object({ system: z.string() })]);

/** Asks a server; `ask` gives the rows of a statement. */
export async function identify(ask: (text: string) => Promise<unknown>): Promise<DatabaseIdentity> {
  const [{ tellsSystem, ...found }] = identityRows.parse(
    await ask(`SELECT oid::text AS database, extract(epoch FROM pg_postmaster_start_time())::text AS "startedAt",
                      has_function_privilege('pg_control_system()', 'EXECUTE') AS "tellsSystem"
                 FROM pg_database WHERE datname = current_database()`),
  );
  if (!tellsSystem) return { ...found, system: undefined };
  const [{ system }] = systemRows.parse(
    await ask('SELECT system_identifier::text AS system FROM pg_control_system()'),
  );
  return { ...found, system };
}

const PATIENCE_MS = 5_000;

/** Asks over a connection of its own. */
export async function lookAt(
  connectionString: string,
): Promise<{ readonly isReplica: boolean; readonly identity: DatabaseIdentity }> {
  const patience = { connectionTimeoutMillis: PATIENCE_MS, query_timeout: PATIENCE_MS };
  const client = new Client({ connectionString, ...patience });
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ replica: boolean }>('SELECT pg_is_in_recovery() AS replica');
    const identity = await identify(async (text) => (await client.query(text)).rows);
    return { isReplica: rows[0]?.replica === true, identity };
  } finally {
    // Not `end`, which would wait for the server's word.
    client.connection.stream.destroy();
  }
}

/** Whether one is the other, or a replica of it. */
export const isReplicated = (one: DatabaseIdentity, other: DatabaseIdentity): boolean =>
  one.database === other.database &&
  (one.system === undefined || other.system === undefined || one.system === other.system);

/** Whether both were asked of the same server. */
export const isSameServer = (one: DatabaseIdentity, other: DatabaseIdentity): boolean =>
  isReplicated(one, other) && one.startedAt === other.startedAt;
