// Compiled SQL -> rows in batches: the only statement that a query sends to the database. It ends at the timeout, and when the
// client goes away.
import type { Queryable, ReadPool, Replicas, StreamRows } from '../../../host-shim/extension-api';
import { hasStates } from '../../data/storage/sites/site-states';
import { queryError } from '../../language/errors/query-error';
import type { CompiledQuery, Row, RowBatches, TakeRows } from '../../language/types/compiled-query';
import { formatPath } from '../../language/types/path';
import type { SiteState } from '../../language/types/resolved-query';

export interface RowReader {
  readonly database: ReadPool;
  /** Asked for rows instead of `database`, where they have the sites in exactly the versions of the query. */
  readonly replicas?: Replicas | undefined;
  readonly timeoutSeconds: number;
  /** Of the time limit: used by an engine that gave up. */
  readonly secondsSpent?: number | undefined;
  readonly signal: AbortSignal;
}

/** The protocol counts them in 16 bits. */
const MOST_BINDINGS = 65_535;

const QUERY_CANCELED = '57014';
const OUT_OF_RANGE = '22003';
/** temp_file_limit. */
const TOO_MUCH_DISK = '53400';

/**
 * Runs the statement of a view on a read-only connection, which `take` reads to its end; throws what `take` throws,
 * E_QUERY_TOO_LARGE, E_TIMEOUT, E_CALC_INVALID_EXPRESSION, and the signal's reason when it is aborted. With `states`, a replica
 * may answer that has these sites in exactly these versions; where one fails, `take` is called again.
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
    const replied =
      states &&
      (await replicas?.read(
        { seconds: secondsLeft(context), signal },
        (connection) => hasStates(connection, states),
        reading,
      ));
    if (replied !== undefined) return replied.result;
    const seconds = secondsLeft(context, performance.now() - started);
    return await database.withConnection({ seconds, signal }, reading);
  } catch (error) {
    signal.throwIfAborted();
    throw faultOf(error, view, context.timeoutSeconds);
  }
}

/** Of the time limit; at least one, if the limit is not shorter. */
const secondsLeft = (
  { timeoutSeconds, secondsSpent = 0 }: Pick<RowReader, 'timeoutSeconds' | 'secondsSpent'>,
  spentMs = 0,
): number =>
  Math.max(Math.min(1, timeoutSeconds), timeoutSeconds - secondsSpent - Math.floor(spentMs / 1000));

/**
 * The same while they are sent, always from the primary, since a replica ends long statements that hold up what it replays.
 * The time limit holds for the whole iteration, however long its reader takes.
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
    const patience = { seconds, signal: AbortSignal.any([signal, timeUp]) };
    yield* database.batches<Row[number][]>(patience, { text, values: bindings });
  } catch (error) {
    signal.throwIfAborted();
    throw error === timeUp.reason
      ? queryError('E_TIMEOUT', undefined, { seconds: timeoutSeconds })
      : faultOf(error, view, timeoutSeconds);
  }
}

function checkBindings({ length: count }: CompiledQuery['bindings'], view: string): void {
  if (count > MOST_BINDINGS)
    throw queryError('E_QUERY_TOO_LARGE bindings', formatPath(['make', view]), { count, max: MOST_BINDINGS });
}

/** The caller's fault in an error of the database, or the error itself. */
function faultOf(error: unknown, view: string, seconds: number): unknown {
  const code = codeOf(error);
  // The driver refuses to round whole numbers; the database refuses doubles that are out of range.
  if (error instanceof RangeError || code === OUT_OF_RANGE)
    return queryError('E_CALC_INVALID_EXPRESSION too-large', formatPath(['make', view]), {});
  if (code === TOO_MUCH_DISK) return queryError('E_QUERY_TOO_LARGE disk', formatPath(['make', view]), {});
  if (code === QUERY_CANCELED) return queryError('E_TIMEOUT', undefined, { seconds });
  return error;
}

const codeOf = (error: unknown): unknown =>
  error instanceof Error && 'code' in error ? error.code : undefined;
