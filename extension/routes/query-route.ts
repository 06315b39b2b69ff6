// POST /query: one QAL query in, its table out.
import type { HostRequest, HostUser, RouteDefinition } from '../../host-shim/extension-api';
import type { Analytics } from '../analytics';
import { checkQuery } from '../check-query';
import { answerOf, type Envelope, envelopeSchema } from '../contracts/contract';
import { withSwitches } from '../contracts/with-switches';
import { featureError } from '../errors/feature-error';
import { queryError } from '../errors/query-error';
import { readDocument } from '../qal/parse/read-document';
import { type Contract, isEnabled } from '../qal/types/contract';
import type { QueryContext } from '../qal/types/query-context';
import { runQuery } from '../run-query';
import { outputOf, QUERY } from '../schemas/api-routes';
import { answerUnswitched } from './answer';
import { aheadReader } from './read-ahead';
import { recorded } from './recorded';

/** The route that runs queries. */
export function queryRoute(analytics: Analytics): RouteDefinition {
  const { ahead, read } = aheadReader(analytics);
  return {
    ...QUERY,
    ahead,
    checkedBy: 'route',
    output: outputOf(analytics.contracts, ({ answers }) => Object.values(answers)),
    permission: 'logged-in',
    rateLimit: 'per-user',
    handle: (request) =>
      answerUnswitched(analytics, request, async (chosen) => {
        const document = readDocument(request.body);
        const { switchedOff, siteAhead } = await read(request, document);
        const contract = withSwitches(chosen, switchedOff);
        if (isCheck(request, contract)) {
          const context = queryContext(analytics, contract, request.user, request.signal, 'result');
          return contract.format.check?.(await checkQuery(document, { ...context, siteAhead }));
        }
        const started = performance.now();
        const { envelope, result } = await recorded(analytics, request, document, contract, async () => {
          const envelope = envelopeOf(request, analytics);
          const context = queryContext(analytics, contract, request.user, request.signal, envelope);
          const result = await runQuery(document, { ...context, siteAhead }, analytics.results);
          return {
            answer: { envelope, result },
            rowCount: result.count === null ? result.rows.length : null,
            answeredBy: result.answeredBy,
            cached: result.cached,
          };
        });
        return answerOf(contract, result, envelope, Math.round(performance.now() - started));
      }),
  };
}

function envelopeOf({ query }: HostRequest, { settings }: Analytics): Envelope {
  const { envelope = settings.responseEnvelope } = query;
  const { data } = envelopeSchema.safeParse(envelope);
  if (data !== undefined) return data;
  throw queryError('E_INVALID_RESULT envelope', 'envelope', { received: envelope });
}

const CHECK = 'query_check';

function isCheck({ query: { check } }: HostRequest, contract: Contract): boolean {
  if (check === undefined || check === '0') return false;
  if (!isEnabled(contract, CHECK)) throw featureError(contract, CHECK, 'check');
  if (check === '1') return true;
  throw queryError('E_INVALID_PARAMETER check', 'check', { received: check });
}

/** What a query of this user is run with; without a user no site exists. The data envelope promises its total. */
export function queryContext(
  { host, manifest, zones, settings, columns }: Analytics,
  contract: Contract,
  user: HostUser | null,
  signal: AbortSignal,
  envelope: Envelope,
): QueryContext {
  return {
    contract,
    manifest,
    sites: user?.sites ?? [],
    database: host.database.read,
    columns: columns(),
    zones,
    timeoutSeconds: settings.queryTimeoutSeconds,
    signal,
    alwaysCount: envelope === 'data',
  };
}
