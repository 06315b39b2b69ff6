// Runs a query's statement on PostgreSQL. It is canceled at the timeout and when the client disconnects.
import {
  codeOf,
  type Queryable,
  type ReadPool,
  type Replicas,
  type StreamRows,
} from '../../../host-shim/extension-api';
import { hasStates } from '../../data/storage/sites/site-states';
import { queryError } from '../../language/errors/query-error';
import { MAX_FILLED } from '../../language/resolve/resolve-fill-periods';
import { TOO_MANY_CELLS } from '../../language/sql/fill-sql';
import type { CompiledQuery, Row, RowBatches, TakeRows } from '../../language/types/compiled-query';
import { formatPath } from '../../language/types/path';
import type { SiteState } from '../../language/types/resolved-query';

export interface RowReader {
  readonly database: ReadPool;
  /** A replica is used instead of `database` if it has exactly the site versions that the query requires. */
  readonly replicas?: Replicas | undefined;
  readonly timeoutSeconds: number;
  /** The part of the time limit that another engine has already used. */
  readonly secondsSpent?: number | undefined;
  readonly signal: AbortSignal;
}

const MAX_BINDINGS = 65_535;

const QUERY_CANCELED = '57014';
const OUT_OF_RANGE = '22003';
const TOO_MUCH_DISK = '53400';
const INVALID_TEXT = '22P02';
const FILLED = new RegExp(`${TOO_MANY_CELLS}: (\\w+) (\\d+)`);

/**
 * `take` must read the rows to the end. Throws what `take` throws, E_QUERY_TOO_LARGE, E_TIMEOUT, E_CALC_INVALID_EXPRESSION, and
 * the signal's reason if the signal is aborted. With `states`, a replica that has exactly these versions may answer; if it
 * fails, `take` is called again.
 */
export async function readRows<Taken>(
  { text, bindings }: CompiledQuery,
  view: string,
  context: RowReader,
  take: TakeRows<Taken>,
  states?: readonly SiteState[],
): Promise<Taken> {
  const { database, replicas, signal } = context;
  checkBindings(bindings, view);
  const reading = (_: Queryable, stream: StreamRows) =>
    take(stream<Row[number][]>({ text, values: bindings }));
  try {
    const started = performance.now();
    const fromReplica =
      states &&
      (await replicas?.read(
        { seconds: secondsLeft(context), signal },
        (connection) => hasStates(connection, states),
        reading,
      ));
    if (fromReplica !== undefined) return fromReplica.result;
    const seconds = secondsLeft(context, performance.now() - started);
    const read = () => database.withConnection({ seconds, signal }, reading);
    return await read().catch((error: unknown) => (isMovedShard(error) ? read() : Promise.reject(error)));
  } catch (error) {
    signal.throwIfAborted();
    throw faultOf(error, view, context.timeoutSeconds);
  }
}

/** In Citus, a statement fails if its site's rows have moved to another node since it was planned. */
const isMovedShard = (error: unknown): boolean =>
  error instanceof Error && error.message.startsWith('could not find valid entry for shard');

/** At least one second, unless the limit is shorter. */
export const secondsLeft = (
  { timeoutSeconds, secondsSpent = 0 }: Pick<RowReader, 'timeoutSeconds' | 'secondsSpent'>,
  spentMs = 0,
): number =>
  Math.max(Math.min(1, timeoutSeconds), timeoutSeconds - secondsSpent - Math.floor(spentMs / 1000));

/**
 * Like `readRows`, for rows that are sent while they are being read. Uses the primary, because a replica cancels long statements
 * that delay its replay. The time limit includes the consumer's time.
 */
export async function* readRowBatches(
  { text, bindings }: CompiledQuery,
  view: string,
  context: RowReader,
): RowBatches {
  checkBindings(bindings, view);
  const { database, timeoutSeconds, signal } = context;
  const seconds = secondsLeft(context);
  const timeUp = AbortSignal.timeout(seconds * 1000);
  try {
    const limits = { seconds, signal: AbortSignal.any([signal, timeUp]) };
    yield* database.batches<Row[number][]>(limits, { text, values: bindings });
  } catch (error) {
    signal.throwIfAborted();
    throw error === timeUp.reason
      ? queryError('E_TIMEOUT', undefined, { seconds: timeoutSeconds })
      : faultOf(error, view, timeoutSeconds);
  }
}

function checkBindings({ length: count }: CompiledQuery['bindings'], view: string): void {
  if (count > MAX_BINDINGS)
    throw queryError('E_QUERY_TOO_LARGE bindings', formatPath(['make', view]), { count, max: MAX_BINDINGS });
}

/** The QueryError for a database error that the caller caused, or else the error itself. */
function faultOf(error: unknown, view: string, seconds: number): unknown {
  const code = codeOf(error);
  // The driver refuses to round integers, and the database rejects doubles that are out of range.
  if (error instanceof RangeError || code === OUT_OF_RANGE)
    return queryError('E_CALC_INVALID_EXPRESSION too-large', formatPath(['make', view]), {});
  if (code === TOO_MUCH_DISK) return queryError('E_QUERY_TOO_LARGE disk', formatPath(['make', view]), {});
  const [, filled, count] =
    (error instanceof Error && code === INVALID_TEXT && FILLED.exec(error.message)) || [];
  if (filled !== undefined)
    return queryError('E_QUERY_TOO_LARGE cells', formatPath(['make', filled, 'fill_periods']), {
      count: Number(count),
      max: MAX_FILLED,
    });
  if (code === QUERY_CANCELED) return queryError('E_TIMEOUT', undefined, { seconds });
  return error;
}
