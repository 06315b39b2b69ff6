// Compiled SQL -> rows: the only statement that a query sends to the database. It ends at the timeout, and when the client
// goes away.
import { NoConnection, type Queryable } from '../../../host-shim/extension-api';
import { queryError } from '../../errors/query-error';
import type { CompiledQuery, Row } from '../types/compiled-query';
import { formatPath } from '../types/path';
import type { QueryContext } from '../types/query-context';

/** The protocol counts them in 16 bits. */
const MOST_BINDINGS = 65_535;

const QUERY_CANCELED = '57014';
const OUT_OF_RANGE = '22003';

/**
 * Runs the statement of a view on a read-only connection; throws E_QUERY_TOO_LARGE, E_TIMEOUT,
 * E_CALC_INVALID_EXPRESSION, and the signal's reason when it is aborted.
 */
export async function readRows(
  { text, bindings }: CompiledQuery,
  view: string,
  { database, timeoutSeconds, signal }: QueryContext,
): Promise<readonly Row[]> {
  const at = formatPath(['make', view]);
  const count = bindings.length;
  if (count > MOST_BINDINGS)
    throw queryError('E_QUERY_TOO_LARGE bindings', at, { count, max: MOST_BINDINGS });
  try {
    return await database.withConnection({ seconds: timeoutSeconds, signal }, async (connection) => {
      await limitTime(connection, timeoutSeconds);
      const { rows } = await connection.query<(string | number | null)[]>({
        ...{ text, values: [...bindings], rowMode: 'array' },
      });
      return rows;
    });
  } catch (error) {
    signal.throwIfAborted();
    const code = codeOf(error);
    // The driver refuses to round whole numbers, the database doubles that are none.
    if (error instanceof RangeError || code === OUT_OF_RANGE)
      throw queryError('E_CALC_INVALID_EXPRESSION too-large', at, {});
    if (code === QUERY_CANCELED || error instanceof NoConnection)
      throw queryError('E_TIMEOUT', undefined, { seconds: timeoutSeconds });
    throw error;
  }
}

const codeOf = (error: unknown): unknown =>
  error instanceof Error && 'code' in error ? error.code : undefined;

/** The time limit of each connection, in seconds: set once, not once per query. */
const limits = new WeakMap<Queryable, number>();

async function limitTime(connection: Queryable, seconds: number): Promise<void> {
  if (limits.get(connection) === seconds) return;
  await connection.query("SELECT set_config('statement_timeout', $1, false)", [String(seconds * 1000)]);
  limits.set(connection, seconds);
}
