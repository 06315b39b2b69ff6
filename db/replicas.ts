// Read replicas serve queries if they have the required data. A replica that fails is excluded until it responds again.
import { DatabaseError } from 'pg';
import { NoConnection, type Queryable } from './connection-pool';
import { messageOf } from './embedded/errors';
import { poll } from './poll';
import type { PoolOptions } from './pool-options';
import { placeOf } from './read-addresses';
import { openReadPool, type Patience, type ReadPool, type StreamRows } from './read-pool';
import { type DatabaseIdentity, identify, isReplicated } from './same-database';
import { isUnavailable } from './unavailable';

export interface Replicas {
  /**
   * Runs `work` on a replica for which `isNewEnough` is true; returns undefined if there is none. Rethrows errors from `work`
   * unless the replica caused them. Throws the signal's reason if the signal is aborted.
   */
  read<Result>(
    patience: Patience,
    isNewEnough: (connection: Queryable) => Promise<boolean>,
    work: (connection: Queryable, stream: StreamRows) => Promise<Result>,
  ): Promise<{ readonly result: Result } | undefined>;
  states(): readonly ReplicaState[];
  end(): Promise<void>;
}

interface ReplicaState {
  readonly place: string;
  /** Why the replica is excluded; undefined if it is in use. */
  readonly fault: string | undefined;
  readonly answered: number;
  /** The number of reads that other servers answered because this replica lacked data or failed. */
  readonly left: number;
}

interface ReplicaOptions extends Omit<PoolOptions, 'connection' | 'silenceSeconds'> {
  readonly primary: DatabaseIdentity;
  /** Called with a sentence about a replica that was excluded or included again. */
  onChange(sentence: string): void;
}

interface Replica extends ReplicaState {
  readonly pool: ReadPool;
  fault: string | undefined;
  answered: number;
  left: number;
}

const SILENCE_SECONDS = 3;
const CHECK_MS = 1_000;
/** SQLSTATE classes: conflict with recovery, outdated tables, disk failure, damaged files. */
const REPLICA_ERRORS = /^(40|42|58|XX)...$/;

export function openReplicas(
  addresses: readonly string[],
  { primary, onChange, ...options }: ReplicaOptions,
): Replicas {
  const replicas = addresses.map((connectionString): Replica => {
    const connection = { connectionString };
    const pool = openReadPool({ ...options, connection, silenceSeconds: SILENCE_SECONDS });
    return { place: placeOf(connectionString), pool, fault: undefined, answered: 0, left: 0 };
  });
  const ending = new AbortController();
  /** Connections that have been verified to reach a replica of the primary. */
  const verified = new WeakSet<Queryable>();
  let turn = 0;

  const withConnection = <Result>(
    { pool }: Replica,
    patience: Patience,
    work: (connection: Queryable, stream: StreamRows) => Promise<Result>,
  ): Promise<Result> =>
    pool.withConnection(patience, async (connection, stream) => {
      if (!verified.has(connection)) {
        const found = await identify(async (text) => (await connection.query(text)).rows);
        if (!isReplicated(found, primary))
          throw new Error('it does not replicate the database at DATABASE_URL');
        verified.add(connection);
      }
      return work(connection, stream);
    });

  async function check(replica: Replica): Promise<void> {
    const patience = { seconds: SILENCE_SECONDS, signal: ending.signal };
    try {
      await withConnection(replica, patience, (connection) => connection.query('SELECT 1'));
      if (replica.fault !== undefined) onChange(`The read replica ${replica.place} is responding again.`);
      replica.fault = undefined;
    } catch (error) {
      exclude(replica, error);
    }
  }

  function exclude(replica: Replica, error: unknown): void {
    // A replica with no free connection is not at fault.
    if (error instanceof NoConnection || ending.signal.aborted) return;
    const reason = messageOf(error);
    if (replica.fault === undefined) onChange(`The read replica ${replica.place} is excluded: ${reason}`);
    replica.fault = reason;
  }

  const stops = replicas.map((replica) => poll(() => check(replica), CHECK_MS));

  return {
    async read(patience, isNewEnough, work) {
      const available = replicas.filter(({ fault }) => fault === undefined);
      turn += 1;
      for (let count = 0; count < available.length; count++) {
        const replica = available[(turn + count) % available.length];
        if (replica === undefined) break;
        let hasBegun = false;
        try {
          const done = await withConnection(replica, patience, async (connection, stream) => {
            if (!(await isNewEnough(connection))) return undefined;
            patience.signal.throwIfAborted();
            hasBegun = true;
            return { result: await work(connection, stream) };
          });
          if (done !== undefined) {
            replica.answered += 1;
            return done;
          }
        } catch (error) {
          patience.signal.throwIfAborted();
          const isReplicaError = error instanceof DatabaseError && REPLICA_ERRORS.test(error.code ?? '');
          if (hasBegun && !isReplicaError && !isUnavailable(error)) throw error;
          if (!isReplicaError) exclude(replica, error);
        }
        replica.left += 1;
      }
      return undefined;
    },
    states: () => replicas.map(({ place, fault, answered, left }) => ({ place, fault, answered, left })),
    async end() {
      ending.abort();
      for (const stop of stops) stop();
      await Promise.all(replicas.map(({ pool }) => pool.end()));
    },
  };
}
