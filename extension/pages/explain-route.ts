// POST explain: how a query is interpreted, and how long the database takes to run it. The query is run and recorded like any
// other. SQL, bindings and most stages are shown only to users who manage sites.
import { Readable } from 'node:stream';
import { z } from 'zod';
import type { HostRequest, HostResponse, HostUser } from '../../host-shim/extension-api';
import { type Analytics, asSwitched } from '../api/analytics';
import { answerUnswitched } from '../api/routes/answer';
import { queryContext } from '../api/routes/query-route';
import { type Ran, recorded } from '../api/routes/recorded';
import { queryInput } from '../api/schemas/api-routes';
import { documentSteps, type QueryDocument } from '../language/parse/read-document';
import type { RowBatches } from '../language/types/compiled-query';
import type { Contract } from '../language/types/contract';
import { explained, explainedPasses, jsonInSteps } from '../query/explained';
import { inTurns } from '../query/in-turns';
import type { QueryContext } from '../query/query-context';
import { readFromEngine } from '../query/run/read-from-engine';
import { prepareQuery } from '../query/run-query';
import type { PageRoute } from './page-route';

export function explainRoute(analytics: Analytics): PageRoute {
  return {
    path: '/explain',
    methods: ['POST'],
    summary: 'Explains how a query is understood and run.',
    input: z.object(queryInput),
    capability: 'read',
    isExpensive: true,
    handle: (request, user) =>
      answerUnswitched(analytics, request, async (contract) =>
        explain(analytics, request, user, await asSwitched(analytics, contract)),
      ),
  };
}

/** Runs work in a slot of the query queue. */
async function inSlot<Result>(
  { queue, signal }: Pick<QueryContext, 'queue' | 'signal'>,
  work: () => Promise<Result>,
): Promise<Result> {
  const release = await queue.enter(signal);
  try {
    return await work();
  } finally {
    release();
  }
}

/** Converts epoch seconds to ISO 8601. Years in queries have four digits, so extended years do not occur. */
const instant = (seconds: number): string => new Date(seconds * 1000).toISOString();

async function explain(
  analytics: Analytics,
  request: HostRequest,
  user: HostUser,
  contract: Contract,
): Promise<HostResponse> {
  const document = await inTurns(documentSteps(request.body, analytics.host.clock()));
  const { signal } = request;
  return recorded(analytics, request, document, contract, async () =>
    explainIn(await queryContext(analytics, contract, { user, signal }), document, user),
  );
}

async function explainIn(
  context: QueryContext,
  document: QueryDocument,
  user: HostUser,
): Promise<Ran<HostResponse>> {
  const started = performance.now();
  const query = await prepareQuery(document, context);
  const prepared = performance.now();
  const { plan, sql, taken, answeredBy } = await inSlot(context, () =>
    readFromEngine(query, query.resolved, context, countRead),
  );
  const { stages, range, views } = explained({ ...query, plan, sql });
  const ended = performance.now();
  const seesAll = user.capabilities.includes('manage_sites');
  const body = {
    version: context.contract.version,
    bounds: { start: instant(range.start), end: instant(range.end), tz: range.zone },
    views: views.map(({ name, range: { start, end } }) => ({
      name,
      start: instant(start),
      end: instant(end),
    })),
    ...(seesAll && { sql: sql.text, bindings: sql.bindings }),
    engine: answeredBy,
    rows: taken,
    milliseconds: { prepare: rounded(prepared - started), database: rounded(ended - prepared) },
    passes: await explainedPasses(query, { ...context, engine: answeredBy.engine }),
    stages: seesAll ? stages : { plan },
  };
  const pieces = await inTurns(jsonInSteps(body, seesAll ? undefined : SITE_ID_KEYS));
  return {
    answer: { status: 200, headers: JSON_HEADERS, body: null, pieces: Readable.from(pieces) },
    rowCount: plan.output.kind === 'count' ? null : Math.min(taken, plan.output.limit),
    answeredBy,
    cached: false,
  };
}

/** Internal site ids would reveal how many other sites there are. */
const SITE_ID_KEYS = new Set(['siteId', 'siteIds']);
const JSON_HEADERS = { 'Content-Type': 'application/json; charset=UTF-8' };

async function countRead(rows: RowBatches): Promise<number> {
  let count = 0;
  for await (const batch of rows) count += batch.length;
  return count;
}

const rounded = (milliseconds: number): number => Math.round(milliseconds * 10) / 10;
