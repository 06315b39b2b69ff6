// Runs a query and records what became of it, whichever route it came by; a query that nobody waits for leaves no record.
import type { HostRequest } from '../../host-shim/extension-api';
import type { Analytics } from '../analytics';
import { QueryError } from '../errors/query-error';
import type { QueryDocument } from '../qal/parse/read-document';
import type { Contract } from '../qal/types/contract';
import type { EngineChoice } from '../qal/types/query-context';
import { type AskedQuery, askingPage } from '../query-records/query-records';

export interface Ran<Answer> {
  readonly answer: Answer;
  /** null for a count. */
  readonly rowCount: number | null;
  readonly answeredBy: EngineChoice;
  /** Whether it is the result of an earlier query. */
  readonly cached: boolean;
}

const FROM_CACHE = {
  engine: 'cache',
  because: 'An equal query over the same data was answered before.',
} as const;

/** Runs a query, and leaves a record of it and a line in the log. */
export async function recorded<Answer>(
  { host, records }: Analytics,
  { id: requestId, user, signal, headers }: HostRequest,
  document: QueryDocument,
  { version }: Contract,
  run: () => Promise<Ran<Answer>>,
): Promise<Answer> {
  const askedAt = host.clock();
  const started = performance.now();
  const record = (outcome: Pick<AskedQuery, 'status' | 'rowCount' | 'answeredBy' | 'error'>) => {
    if (user === null || signal.aborted) return;
    const milliseconds = Math.round(performance.now() - started);
    const page = askingPage(user, headers);
    records.add({ askedAt, user, page, version, document, milliseconds, ...outcome });
  };
  try {
    const { answer, rowCount, answeredBy: choice, cached } = await run();
    const answeredBy = cached ? FROM_CACHE : choice;
    host.log.debug({ requestId, ...answeredBy }, 'A query was answered.');
    record({ status: 200, rowCount, answeredBy, error: null });
    return answer;
  } catch (error) {
    const outcome =
      error instanceof QueryError
        ? error
        : { status: 500, code: 'E_EXECUTOR_FAILED', at: undefined, message: 'See the log of the server.' };
    record({ status: outcome.status, rowCount: null, answeredBy: null, error: outcome });
    throw error;
  }
}
