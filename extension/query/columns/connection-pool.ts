// The connections to a column file. After a checked read, a connection keeps its snapshot until the next commit, so that later reads
// need not check it again.
import type { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import type { Row } from '../../language/types/compiled-query';
import {
  type DuckDB,
  interruptible,
  type PreparingConnection,
  preparingConnection,
  type ReadStatement,
  runPrepared,
} from './run-prepared';

export interface SnapshotCheck {
  /** A snapshot also passes this check if it has passed others that together have all of these keys. */
  readonly keys: readonly string[];
  /** Runs before a statement in the same snapshot, and may throw to cancel it. */
  check(run: (statement: ReadStatement) => Promise<readonly Row[]>): Promise<void>;
}

interface Snapshot {
  /** The number of commits before the snapshot began. */
  readonly commits: number;
  /** The keys of the checks that did not throw. */
  readonly passed: Set<string>;
}

/** Reads open other connections while a commit ends the snapshots of all idle connections. Streams also need connections. */
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

  async function endSnapshot(borrowed: PreparingConnection): Promise<void> {
    if (snapshots.delete(borrowed)) await run(borrowed, 'ROLLBACK');
  }

  /** Closing a connection also rolls back its transaction. */
  async function giveBack(borrowed: PreparingConnection, isUsable: boolean): Promise<void> {
    const snapshot = snapshots.get(borrowed);
    const isOld = snapshot !== undefined && (isCommitting || snapshot.commits !== commits);
    let isKept = false;
    try {
      if (isUsable && isOld) await endSnapshot(borrowed);
      isKept = isUsable && !isClosed && idle.length < MAX_IDLE;
    } finally {
      if (isKept) idle.push(borrowed);
      else borrowed.connection.closeSync();
    }
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

  /** Must be called before the first statement. With a check, the statements run in a snapshot for which it does not throw. */
  async function begin(borrowed: PreparingConnection, checked: SnapshotCheck | undefined): Promise<void> {
    if (checked === undefined) return endSnapshot(borrowed);
    const { passed } = await currentSnapshot(borrowed);
    if (checked.keys.every((key) => passed.has(key))) return;
    await checked.check((statement) => runPrepared(duckdb, borrowed, statement));
    for (const key of checked.keys) passed.add(key);
  }

  async function withConnection<T>(
    signal: AbortSignal,
    checked: SnapshotCheck | undefined,
    work: Work<T>,
  ): Promise<T> {
    signal.throwIfAborted();
    const borrowed = await take();
    let isUsable = false;
    try {
      const result = await interruptible(borrowed.connection, signal, async () => {
        await begin(borrowed, checked);
        return work(borrowed);
      });
      isUsable = true;
      return result;
    } finally {
      await giveBack(borrowed, isUsable);
    }
  }

  return {
    take,
    begin,
    giveBack,
    withConnection,
    /** Runs the work in a transaction. */
    inTransaction: <T>(signal: AbortSignal, work: Work<T>): Promise<T> =>
      withConnection(signal, undefined, async (borrowed) => {
        await run(borrowed, 'BEGIN');
        const result = await work(borrowed);
        // An idle connection's old snapshot would keep deleted rows in the file, so reads that end during a commit do not keep a snapshot.
        isCommitting = true;
        try {
          await Promise.all(idle.splice(0).map((one) => giveBack(one, true)));
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

export type ConnectionPool = ReturnType<typeof connectionPool>;
