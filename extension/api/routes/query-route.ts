// POST /query: runs a QAL query, and returns its table.
import type { HostRequest, HostResponse, HostUser, RouteDefinition } from '../../../host-shim/extension-api';
import type { PrefetchedSite } from '../../data/storage/sites/site-states';
import { featureError } from '../../language/errors/feature-error';
import { queryError } from '../../language/errors/query-error';
import { documentSteps, type QueryDocument } from '../../language/parse/read-document';
import { type Contract, isEnabled } from '../../language/types/contract';
import type { AnsweredResult, HeldRows } from '../../language/types/query-result';
import { checkQuery } from '../../query/check-query';
import { inTurns } from '../../query/in-turns';
import { NO_QUEUE, type QueryContext, type UserQueue } from '../../query/query-context';
import { runQuery, streamQuery } from '../../query/run-query';
import { type Analytics, hintFailures, manifestFor } from '../analytics';
import { answerHeaders } from '../answer-formats/answer-headers';
import { formatAnswer } from '../answer-formats/format-answer';
import type { StreamedFormat } from '../answer-formats/format-names';
import { type Envelope, envelopeSchema, type InstalledContract } from '../contracts/contract';
import { CHECK_FEATURE } from '../contracts/query-check';
import { forStreaming, withSwitches } from '../contracts/with-switches';
import { outputOf, QUERY } from '../schemas/api-routes';
import { answerUnswitched } from './answer';
import { aheadReader } from './read-ahead';
import { type Ran, recorded, type UnderWay } from './recorded';
import { type RequestedFormat, requestedFormat } from './requested-format';
import { tableBody } from './table-body';

/** Viewers may only open dashboards. */
export const mayRead = ({ capabilities }: HostUser): boolean => capabilities.includes('read');

export function queryRoute(analytics: Analytics): RouteDefinition {
  const { ahead, read } = aheadReader(analytics.host.database.read);
  return {
    ...QUERY,
    // In a Citus cluster, recently queried sites may be on a machine that is down.
    ...(!analytics.isDivided && { ahead }),
    checkedBy: 'route',
    output: outputOf(analytics.contracts, ({ answers }) => Object.values(answers)),
    permission: mayRead,
    rateLimit: 'per-user',
    isExpensive: true,
    handle: (request) =>
      answerUnswitched(analytics, request, async (chosen) => {
        const document = await inTurns(documentSteps(request.body, analytics.host.clock()));
        const { switchedOff, prefetchedSite } = await read(request, document);
        const contract = withSwitches(chosen, switchedOff);
        if (isCheck(request, contract)) {
          // The format decides how many rows the query may request.
          const { format } = requestedFormat(request, contract);
          const limited = format === 'json' ? contract : forStreaming(contract);
          const context = await queryContext(analytics, limited, request);
          const check = await checkQuery(document, { ...context, prefetchedSite });
          return { status: 200, body: contract.format.check?.(check) };
        }
        return recorded(analytics, request, document, contract, async () => {
          const sent = { request, document, contract, prefetchedSite };
          const { format, forSpreadsheet } = requestedFormat(request, contract);
          return format === 'json'
            ? jsonAnswer(analytics, sent)
            : streamedAnswer(analytics, sent, { format, forSpreadsheet });
        });
      }),
  };
}

interface SentQuery {
  readonly request: HostRequest;
  readonly document: QueryDocument;
  readonly contract: InstalledContract;
  readonly prefetchedSite: PrefetchedSite | undefined;
}

async function jsonAnswer(
  analytics: Analytics,
  { request, document, contract, prefetchedSite }: SentQuery,
): Promise<Ran<HostResponse>> {
  const started = performance.now();
  const envelope = envelopeOf(request, analytics);
  const context = await queryContext(analytics, contract, request, envelope);
  const answer = await runQuery(document, { ...context, prefetchedSite }, analytics.results);
  request.onClose(() => answer.rows.release());
  const milliseconds = Math.round(performance.now() - started);
  const { count, rowCount, answeredBy, cached } = answer;
  const body = tableBody(contract, answer, envelope, { milliseconds, maxBytes: context.maxAnswerBytes });
  return {
    answer: { status: 200, body, hasLists: true },
    rowCount: count === null ? rowCount : null,
    answeredBy,
    cached,
  };
}

export async function streamedAnswer(
  analytics: Analytics,
  { request, document, contract, prefetchedSite }: SentQuery,
  { format, forSpreadsheet }: RequestedFormat & { readonly format: StreamedFormat },
): Promise<UnderWay<HostResponse>> {
  const context = await queryContext(analytics, forStreaming(contract), request);
  const result = await streamQuery(document, { ...context, prefetchedSite });
  return {
    pieces: await formatAnswer(result, format, { signal: request.signal, forSpreadsheet }),
    answer: (pieces) => ({ status: 200, headers: answerHeaders(result, format), body: null, pieces }),
    rowCount: result.rowCount,
    answeredBy: result.answeredBy,
  };
}

function envelopeOf({ query }: HostRequest, { settings }: Pick<Analytics, 'settings'>): Envelope {
  const { envelope = settings.responseEnvelope } = query;
  const { data } = envelopeSchema.safeParse(envelope);
  if (data !== undefined) return data;
  throw queryError('E_INVALID_RESULT envelope', 'envelope', { received: envelope });
}

function isCheck({ query: { check } }: HostRequest, contract: Contract): boolean {
  if (check === undefined || check === '0') return false;
  if (!isEnabled(contract, CHECK_FEATURE)) throw featureError(contract, CHECK_FEATURE, 'check');
  if (check === '1') return true;
  throw queryError('E_INVALID_PARAMETER check', 'check', { received: check });
}

function userQueue(
  { queue, host: { telemetry } }: Pick<Analytics, 'queue' | 'host'>,
  { id, key: password }: HostUser,
): UserQueue {
  // Queries through a shared link are queued separately from those of the user who shared it.
  const user = password?.opens === undefined ? id : password.uuid;
  return {
    enter: (signal) => telemetry.inSpan('wait', () => queue.enter({ user, signal })),
    async share(key, signal, work) {
      // The work starts here, after the wait, so that its spans belong to the request that starts it.
      let begin = () => {};
      const startLater = (ending: AbortSignal) =>
        new Promise<AnsweredResult<HeldRows>>((resolve) => {
          begin = () => resolve(work(ending));
        });
      const { result } = await telemetry.inSpan('wait', () => queue.join(key, { user, signal }, startLater));
      begin();
      return result;
    },
  };
}

/** An anonymous user has no sites. Answers in the `data` envelope include the total, so their rows are always counted. */
export async function queryContext(
  analytics: Analytics,
  contract: Contract,
  { user, signal }: Pick<HostRequest, 'user' | 'signal'>,
  envelope: Envelope = 'result',
): Promise<QueryContext> {
  const { host, isDivided, workers, settings, columns } = analytics;
  return {
    contract,
    manifest: manifestFor(analytics, user),
    sites: user?.sites ?? [],
    database: host.database.read,
    isDivided,
    workers,
    replicas: host.database.replicas,
    columns: columns(),
    zones: await analytics.zones(),
    timeoutSeconds: settings.queryTimeoutSeconds,
    queue: user === null ? NO_QUEUE : userQueue(analytics, user),
    inSpan: host.telemetry.inSpan,
    signal,
    alwaysCount: envelope === 'data',
    ...hintFailures(analytics),
    store: analytics.store,
    shadow: analytics.shadow,
    maxAnswerBytes: settings.maxAnswerBytes || Number.POSITIVE_INFINITY,
  };
}
