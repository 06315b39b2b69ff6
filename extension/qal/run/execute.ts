// Owns the only statement that a query sends to the database.
// compiled SQL -> rows as arrays; ends at the timeout, and when the client goes away, in the database too.
import type { Client } from 'pg';
import { acquireWithin, cancelOnAbort, WaitOver } from '../../../db/patient-connection';
import { queryError } from '../../errors/query-error';
import type { CompiledQuery, Row } from '../types/compiled-query';
import { formatPath } from '../types/path';
import type { QueryContext } from '../types/query-context';
import { keepStatements } from './kept-statements';
import { DATA_CHANGED_STATE, DataChanged } from './while-current';

/** The protocol counts them in 16 bits. */
const MOST_BINDINGS = 65_535;

const QUERY_CANCELED = '57014';
const OUT_OF_RANGE = '22003';

const kept = keepStatements();

interface Session {
  readonly pid: number;
  readonly timeoutSeconds: number;
}

/** Set up once per connection, not once per query. */
const sessions = new WeakMap<Client, Session>();

/**
 * Runs the statement of a view on a read-only connection; throws E_QUERY_TOO_LARGE, E_TIMEOUT, DataChanged, and the
 * signal's reason when it is aborted.
 */
export async function execute(
  query: CompiledQuery,
  view: string,
  context: QueryContext,
): Promise<readonly Row[]> {
  const at = formatPath(['make', view]);
  const count = query.bindings.length;
  if (count > MOST_BINDINGS)
    throw queryError('E_QUERY_TOO_LARGE', at, { what: 'bindings', count, max: MOST_BINDINGS });
  const { database, timeoutSeconds, signal } = context;
  const connection = await acquire(context);
  let stopListening = () => Promise.resolve();
  try {
    const { pid } = await sessionOf(connection, timeoutSeconds);
    stopListening = cancelOnAbort(database, pid, signal);
    const { rows } = await connection.query<(string | number | null)[]>({
      // One plan for all values would be a bad one for most ranges: those are planned each time.
      name: query.byKeys === true ? kept.nameOf(query.text) : undefined,
      text: query.text,
      values: [...query.bindings],
      rowMode: 'array',
    });
    return rows;
  } catch (error) {
    signal.throwIfAborted();
    if (codeOf(error) === DATA_CHANGED_STATE)
      throw new DataChanged('The data of a site changed after the query was planned.', { cause: error });
    // The driver refuses to round whole numbers, the database doubles that are none.
    if (error instanceof RangeError || codeOf(error) === OUT_OF_RANGE)
      throw queryError('E_CALC_INVALID_EXPRESSION', at, { problem: 'too-large' });
    if (codeOf(error) === QUERY_CANCELED)
      throw queryError('E_TIMEOUT', undefined, { seconds: timeoutSeconds });
    throw error;
  } finally {
    await stopListening().finally(() => database.client.releaseConnection(connection));
  }
}

/** A connection of the pool, waited for no longer than a query may take, and no longer than somebody wants it. */
async function acquire({ database, timeoutSeconds, signal }: QueryContext): Promise<Client> {
  const started = performance.now();
  try {
    return await acquireWithin(database, timeoutSeconds * 1000, signal);
  } catch (error) {
    if (!(error instanceof WaitOver)) throw error;
    throw queryError('E_TIMEOUT', undefined, { seconds: Math.ceil((performance.now() - started) / 1000) });
  }
}

const codeOf = (error: unknown): unknown =>
  error instanceof Error && 'code' in error ? error.code : undefined;

async function sessionOf(connection: Client, timeoutSeconds: number): Promise<Session> {
  const known = sessions.get(connection);
  if (known?.timeoutSeconds === timeoutSeconds) return known;
  const { rows } = await connection.query<{ readonly pid: number }>(
    "select pg_backend_pid() as pid, set_config('statement_timeout', $1, false)",
    [String(timeoutSeconds * 1000)],
  );
  const session = { pid: rows[0]?.pid ?? 0, timeoutSeconds };
  sessions.set(connection, session);
  return session;
}
