// Owns the only statement that a query sends to the database.
// compiled SQL -> rows as arrays; ends at the timeout, and when the client goes away, in the database too.
import type { Knex } from 'knex';
import type { Client } from 'pg';
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
  signal.throwIfAborted();
  const connection = await acquire(context);
  let cancelling: Promise<void> = Promise.resolve();
  let stopListening = () => {};
  try {
    const { pid } = await sessionOf(connection, timeoutSeconds);
    signal.throwIfAborted();
    const cancel = () => {
      cancelling = cancelBackend(database, pid);
      // Awaited below; until then a failure must not count as unhandled.
      cancelling.catch(() => {});
    };
    signal.addEventListener('abort', cancel, { once: true });
    stopListening = () => signal.removeEventListener('abort', cancel);
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
    stopListening();
    // Not before: a late cancel would hit the next query of this connection.
    await cancelling.finally(() => database.client.releaseConnection(connection));
  }
}

/** A connection of the pool, waited for no longer than a query may take, and no longer than somebody wants it. */
async function acquire({ database, timeoutSeconds, signal }: QueryContext): Promise<Client> {
  const connecting: Promise<Client> = database.client.acquireConnection();
  const started = performance.now();
  try {
    return await endedBy(connecting, timeoutSeconds * 1000, signal);
  } catch (error) {
    // What arrives too late goes back to the pool.
    connecting.then(
      (late) => database.client.releaseConnection(late),
      () => {},
    );
    signal.throwIfAborted();
    if (!isWaitOver(error)) throw error;
    throw queryError('E_TIMEOUT', undefined, { seconds: Math.ceil((performance.now() - started) / 1000) });
  }
}

class WaitOver extends Error {}

/** Our own patience, or the pool's. */
const isWaitOver = (error: unknown): boolean =>
  error instanceof WaitOver || (error instanceof Error && error.name === 'KnexTimeoutError');

function endedBy<Result>(promise: Promise<Result>, ms: number, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(new WaitOver());
    const timer = setTimeout(stop, ms);
    signal.addEventListener('abort', stop, { once: true });
    promise.then(resolve, reject).finally(() => {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
    });
  });
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

/** Cancels over a connection of its own: the pool may be full of queries that nobody waits for. */
async function cancelBackend(database: Knex, pid: number): Promise<void> {
  const own: Client = await database.client.acquireRawConnection();
  try {
    await own.query('select pg_cancel_backend($1)', [pid]);
  } finally {
    await database.client.destroyRawConnection(own);
  }
}
