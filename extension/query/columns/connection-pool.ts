// The connections to a column file. After a checked read, a connection keeps its snapshot until the next commit, so that later reads
// need not check it again.
import type { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import type { SnapshotCheck } from './row-stream';
import {
  type DuckDB,
  interruptible,
  type PreparingConnection,
  preparingConnection,
  runPrepared,
} from './run-prepared';

export interface KeyedCheck {
  /** A snapshot also passes this check if it has passed others that together have all of these keys. */
  readonly keys: readonly string[];
  readonly check: SnapshotCheck;
}

interface Snapshot {
  /** How many commits there had been when it began. */
  readonly commits: number;
  /** The keys of the checks that did not throw. */
  readonly passed: Set<string>;
}

/** Reads open other connections while a commit ends the snapshots of all idle ones. Streams need additional ones too. */
const MAX_IDLE = 8;

type Work<T> = (borrowed: PreparingConnection) => Promise<T>;

export function connectionPool(duckdb: DuckDB, instance: DuckDBInstance, first: DuckDBConnection) {
  const idle: PreparingConnection[] = [preparingConnection(first)];
  const snapshots = new WeakMap<PreparingConnection, Snapshot>();
  let commits = 0;
  let isCommitting = false;
  let isClosed = false;

  const run = (borrowed: PreparingConnection, text: 'BEGIN' | 'COMMIT' | 'ROLLBACK') =>
    runPrepared(duckdb, borrowed, { text, isKept: true });
  const take = async () => idle.pop() ?? preparingConnection(await instance.connect());

  /** Closing a connection also rolls back its transaction. */
  function giveBack(borrowed: PreparingConnection, isUsable: boolean): void {
    if (isUsable && !isClosed && idle.length < MAX_IDLE) idle.push(borrowed);
    else borrowed.connection.closeSync();
  }

  async function lent<T>(borrowed: PreparingConnection, work: Work<T>): Promise<T> {
    let isUsable = false;
    try {
      const result = await work(borrowed);
      isUsable = true;
      return result;
    } finally {
      giveBack(borrowed, isUsable);
    }
  }

  async function endSnapshot(borrowed: PreparingConnection): Promise<void> {
    if (snapshots.delete(borrowed)) await run(borrowed, 'ROLLBACK');
  }

  async function currentSnapshot(borrowed: PreparingConnection): Promise<Snapshot> {
    const known = snapshots.get(borrowed);
    if (known?.commits === commits) return known;
    await endSnapshot(borrowed);
    const snapshot = { commits, passed: new Set<string>() };
    await run(borrowed, 'BEGIN');
    snapshots.set(borrowed, snapshot);
    return snapshot;
  }

  async function withTaken<T>(signal: AbortSignal, work: Work<T>): Promise<T> {
    signal.throwIfAborted();
    return lent(await take(), (borrowed) => interruptible(borrowed.connection, signal, () => work(borrowed)));
  }

  return {
    async borrow(): Promise<PreparingConnection> {
      const borrowed = await take();
      await endSnapshot(borrowed).catch((error) => {
        giveBack(borrowed, false);
        throw error;
      });
      return borrowed;
    },
    giveBack,
    withConnection: <T>(signal: AbortSignal, work: Work<T>): Promise<T> =>
      withTaken(signal, async (borrowed) => {
        await endSnapshot(borrowed);
        return work(borrowed);
      }),
    /** Runs the work in a snapshot for which the check does not throw. */
    withChecked: <T>(signal: AbortSignal, { keys, check }: KeyedCheck, work: Work<T>): Promise<T> =>
      withTaken(signal, async (borrowed) => {
        const snapshot = await currentSnapshot(borrowed);
        if (!keys.every((key) => snapshot.passed.has(key))) {
          await check((statement) => runPrepared(duckdb, borrowed, statement));
          for (const key of keys) snapshot.passed.add(key);
        }
        const result = await work(borrowed);
        if (isCommitting || snapshot.commits !== commits) await endSnapshot(borrowed);
        return result;
      }),
    /** Runs the work in a transaction. */
    inTransaction: <T>(signal: AbortSignal, work: Work<T>): Promise<T> =>
      withTaken(signal, async (borrowed) => {
        await endSnapshot(borrowed);
        await run(borrowed, 'BEGIN');
        const result = await work(borrowed);
        // An idle connection's old snapshot would keep deleted rows in the file, so reads that end during a commit do not keep theirs.
        isCommitting = true;
        try {
          await Promise.all(idle.splice(0).map((one) => lent(one, endSnapshot)));
          signal.throwIfAborted();
          await run(borrowed, 'COMMIT');
        } finally {
          commits += 1;
          isCommitting = false;
        }
        return result;
      }),
    close(): void {
      isClosed = true;
      // An open connection keeps the file open, and writes to it when it is garbage-collected.
      for (const { connection } of idle.splice(0)) connection.closeSync();
    },
  };
}
