// Runs a query and records its outcome, for all routes. A query whose client left is not recorded, unless a part of its answer
// was sent.
import { type HostRequest, isUnavailable } from '../../../host-shim/extension-api';
import { QueryError } from '../../language/errors/query-error';
import type { QueryDocument } from '../../language/parse/read-document';
import type { Contract } from '../../language/types/contract';
import type { EngineChoice } from '../../language/types/engine';
import type { Pieces } from '../../language/types/query-result';
import { type AskedQuery, askingPage } from '../../query/query-records/query-records';
import type { Analytics } from '../analytics';
import { measureQuery } from '../metrics';

export interface Ran<Answer> {
  readonly answer: Answer;
  /** null for a count. */
  readonly rowCount: number | null;
  readonly answeredBy: EngineChoice;
  /** Whether it is the result of an earlier query. */
  readonly cached: boolean;
}

/** An answer whose rows are read while they are sent. */
export interface UnderWay<Answer> extends Pick<Ran<Answer>, 'rowCount' | 'answeredBy'> {
  readonly pieces: Pieces;
  /** The answer with these pieces. */
  answer(pieces: Pieces): Answer;
}

const FROM_CACHE = {
  engine: 'cache',
  because: 'An equal query over the same data was answered before.',
} as const;

const LEFT = {
  status: 499,
  code: 'client_left',
  at: undefined,
  message: 'The client left before it had the whole answer.',
} as const;

const FAILED = {
  status: 500,
  code: 'E_EXECUTOR_FAILED',
  at: undefined,
  message: 'See the log of the server.',
} as const;

const AWAY = {
  status: 503,
  code: 'E_UNAVAILABLE',
  at: undefined,
  message: 'The database did not answer.',
} as const;

type Outcome = Pick<AskedQuery, 'status' | 'rowCount' | 'answeredBy' | 'error'>;

const failed = (error: NonNullable<Outcome['error']> & Pick<Outcome, 'status'>): Outcome => ({
  ...{ status: error.status, rowCount: null, answeredBy: null, error },
});

function failureOf(error: unknown): Outcome {
  if (error instanceof QueryError) return failed(error);
  return failed(isUnavailable(error) ? AWAY : FAILED);
}

/** Runs a query, and writes a record of it and a line in the log. */
export async function recorded<Answer>(
  { host, records }: Pick<Analytics, 'host' | 'records'>,
  { id: requestId, user, signal, headers, callerAddress }: HostRequest,
  document: QueryDocument,
  { version }: Contract,
  run: () => Promise<Ran<Answer> | UnderWay<Answer>>,
): Promise<Answer> {
  const askedAt = host.clock();
  const started = performance.now();
  const record = (outcome: Outcome) => {
    measureQuery(host.telemetry, version, outcome, (performance.now() - started) / 1000);
    // The records of a link would drive out those of its owner's programs.
    if (user === null || user.key?.opens !== undefined) return;
    const milliseconds = Math.round(performance.now() - started);
    const page = askingPage(user, headers);
    records.add({
      askedAt,
      user,
      requestId,
      callerAddress,
      page,
      version,
      document,
      milliseconds,
      ...outcome,
    });
  };
  try {
    const ran = await run();
    const answeredBy = 'cached' in ran && ran.cached ? FROM_CACHE : ran.answeredBy;
    const done = { status: 200, rowCount: ran.rowCount, answeredBy, error: null };
    host.log.debug({ requestId, ...answeredBy }, 'A query was answered.');
    if ('pieces' in ran) return ran.answer(recordedAtEnd(ran.pieces, signal, done, record));
    if (!signal.aborted) record(done);
    return ran.answer;
  } catch (error) {
    if (!signal.aborted) record(failureOf(error));
    throw error;
  }
}

/** Records the answer when its last byte is taken, or when it breaks off. */
async function* recordedAtEnd(
  pieces: Pieces,
  signal: AbortSignal,
  done: Outcome,
  record: (outcome: Outcome) => void,
): Pieces {
  let outcome = failed(LEFT);
  try {
    yield* pieces;
    outcome = done;
  } catch (error) {
    if (!signal.aborted) outcome = failureOf(error);
    throw error;
  } finally {
    record(outcome);
  }
}
