// Jobs that run on only one server at a time. The database records each job's last run.
import type { Knex } from 'knex';
import { HOST_LOCKS } from '../../db/advisory-locks';
import { type Clock, messageOf } from '../extension-api';

export interface JobRun {
  readonly begunAt: Date;
  readonly endedAt: Date | null;
  readonly succeededAt: Date | null;
  readonly fault: string | null;
}

export interface JobTools {
  readonly write: Knex;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/**
 * Runs `work` and records its outcome, unless another process is running the job or `isDue` returns false. A failure is rethrown,
 * and recorded unless the program was stopped.
 */
export function runJob<T>(
  { write, clock, signal }: JobTools,
  name: string,
  isDue: (last: JobRun | undefined) => boolean,
  work: () => Promise<T>,
): Promise<T | undefined> {
  return runAlone(write, name, async () => {
    if (!isDue((await readJobs(write)).get(name))) return undefined;
    await write
      .into('host.job')
      .insert({ name, begun_at: clock(), ended_at: null })
      .onConflict('name')
      .merge();
    try {
      const result = await work();
      await record({ succeeded_at: clock(), fault: null });
      return result;
    } catch (error) {
      // If this fails too, the database is the problem, which other checks report.
      if (!signal.aborted) await record({ fault: messageOf(error) }).catch(() => {});
      throw error;
    }
  });

  function record(outcome: object) {
    return write
      .from('host.job')
      .where({ name })
      .update({ ended_at: clock(), ...outcome });
  }
}

/** Runs `work` unless another process is running the job. Records nothing. */
export function runAlone<T>(write: Knex, name: string, work: () => Promise<T>): Promise<T | undefined> {
  // The transaction holds the lock, and ends with this process. Everything else uses other connections.
  return write.transaction(async (transaction) => {
    const { rows } = await transaction.raw<{ rows: { got: boolean }[] }>(
      'SELECT pg_try_advisory_xact_lock(?, hashtext(?)) AS got',
      [HOST_LOCKS.job, name],
    );
    if (rows[0]?.got !== true) return undefined;
    // The lock must be held as long as the work takes, regardless of the database's settings.
    await transaction.raw('SET LOCAL idle_in_transaction_session_timeout = 0');
    return work();
  });
}

export async function readJobs(write: Knex): Promise<ReadonlyMap<string, JobRun>> {
  const rows: (JobRun & { name: string })[] = await write.from('host.job').select('name', {
    begunAt: 'begun_at',
    endedAt: 'ended_at',
    succeededAt: 'succeeded_at',
    fault: 'fault',
  });
  return new Map(rows.map(({ name, ...run }) => [name, run]));
}
