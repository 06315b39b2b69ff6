// Runs a query and records its outcome. A query whose client disconnected is not recorded unless part of its answer was sent.
import { type HostRequest, isUnavailable } from '../../../host-shim/extension-api';
import { WorkerUnavailable } from '../../data/storage/workers';
import { QueryError } from '../../language/errors/query-error';
import type { QueryDocument } from '../../language/parse/read-document';
import type { Contract } from '../../language/types/contract';
import type { EngineChoice } from '../../language/types/engine';
import type { Pieces } from '../../language/types/query-result';
import { type RequestedQuery, requestingPage } from '../../query/query-records/query-records';
import type { Analytics } from '../analytics';
import { measureQuery } from '../metrics';

export interface Ran<Answer> {
  readonly answer: Answer;
  readonly rowCount: number | null;
  readonly answeredBy: EngineChoice;
  readonly cached: boolean;
}

/** An answer whose rows are read while they are sent. */
export interface UnderWay<Answer> extends Pick<Ran<Answer>, 'rowCount' | 'answeredBy'> {
  readonly pieces: Pieces;
  answer(pieces: Pieces): Answer;
}

const FROM_CACHE = {
  engine: 'cache',
  because: 'An identical query over the same data was answered earlier.',
} as const;

type Outcome = Pick<RequestedQuery, 'status' | 'rowCount' | 'answeredBy' | 'error'>;

const failed = (status: number, error: NonNullable<Outcome['error']>): Outcome => ({
  status,
  rowCount: null,
  answeredBy: null,
  error,
});

const plainFailure = (status: number, code: string, message: string): Outcome =>
  failed(status, { code, at: undefined, message });

const LEFT = plainFailure(499, 'client_left', 'The client disconnected before it received the whole answer.');
const FAILED = plainFailure(500, 'E_EXECUTOR_FAILED', 'See the server log.');
const UNAVAILABLE = plainFailure(503, 'E_UNAVAILABLE', 'The database was unavailable.');

function failureOf(error: unknown): Outcome {
  if (error instanceof QueryError) return failed(error.status, error);
  if (error instanceof WorkerUnavailable) return plainFailure(503, 'E_UNAVAILABLE', error.message);
  return isUnavailable(error) ? UNAVAILABLE : FAILED;
}

export async function recorded<Answer>(
  { host, records }: Pick<Analytics, 'host' | 'records'>,
  { id: requestId, user, signal, headers, callerAddress }: HostRequest,
  document: QueryDocument,
  { version }: Contract,
  run: () => Promise<Ran<Answer> | UnderWay<Answer>>,
): Promise<Answer> {
  const requestedAt = host.clock();
  const started = performance.now();
  const record = (outcome: Outcome) => {
    measureQuery(host.telemetry, version, outcome, (performance.now() - started) / 1000);
    // Records for a shared link would displace its owner's own records.
    if (user === null || user.key?.opens !== undefined) return;
    records.add({
      requestedAt,
      user,
      requestId,
      callerAddress,
      version,
      document,
      page: requestingPage(user, headers),
      milliseconds: Math.round(performance.now() - started),
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

/** Records the outcome when the last byte has been read, or when the answer ends early. */
async function* recordedAtEnd(
  pieces: Pieces,
  signal: AbortSignal,
  done: Outcome,
  record: (outcome: Outcome) => void,
): Pieces {
  let outcome = LEFT;
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
