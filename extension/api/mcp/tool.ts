// Shared by the MCP tools: their caller, the contract that they run under, and the form of their answers and errors.
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js';
import type { CallToolResult, ServerNotification, ServerRequest } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { type HostUser, isUnavailable, UNAVAILABLE } from '../../../host-shim/extension-api';
import { WorkerUnavailable } from '../../data/storage/workers';
import { QueryError, queryError } from '../../language/errors/query-error';
import { documentSteps, type QueryDocument } from '../../language/parse/read-document';
import type { Contract } from '../../language/types/contract';
import { inTurns } from '../../query/in-turns';
import type { QueryContext } from '../../query/query-context';
import { type Analytics, contractOf } from '../analytics';
import type { InstalledContract } from '../contracts/contract';
import { workerError } from '../routes/answer';
import { queryContext } from '../routes/query-route';
import type { Ran } from '../routes/recorded';

export interface McpCaller {
  readonly analytics: Analytics;
  readonly user: HostUser;
  /** Identifies an internal error in the log. */
  readonly requestId: string;
  /** How a person can get all rows of a query. */
  readonly allRowsAt: string;
  /** Aborted when the client is no longer waiting for an answer. */
  readonly signal: AbortSignal;
  record<Answer>(
    document: QueryDocument,
    contract: Contract,
    run: () => Promise<Ran<Answer>>,
  ): Promise<Answer>;
}

export const READ_ONLY = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
} as const;

export const QUERY_ARGUMENT = {
  query: z
    .union([z.record(z.string(), z.unknown()), z.string()], {
      error: 'The argument "query" takes the whole query, as an object or its JSON text,',
    })
    .describe(
      'The query as the guide describes it: {"tracking_id": ..., "materials": [{"name": ...}], "time": {"start": ..., "end": ..., "tz": ...}, "make": {...}, "result": {"use": ...}}; or its JSON text.',
    ),
};

export const documentOfArgument = (
  query: string | Record<string, unknown>,
  { host }: Pick<Analytics, 'host'>,
): Promise<QueryDocument> =>
  inTurns(documentSteps(typeof query === 'string' ? query : JSON.stringify(query), host.clock()));

export type Call = RequestHandlerExtra<ServerRequest, ServerNotification>;

/**
 * Runs a tool under the newest contract with the current feature switches. Every error becomes a result that the model can
 * read; the details of internal errors are only logged.
 */
export async function runTool(
  { analytics, user, requestId, signal: disconnected }: McpCaller,
  { signal: cancelled }: Call,
  work: (contract: InstalledContract, context: QueryContext) => Promise<CallToolResult>,
): Promise<CallToolResult> {
  const signal = AbortSignal.any([disconnected, cancelled]);
  try {
    const contract = await contractOf(analytics, 'latest');
    return await work(contract, await queryContext(analytics, contract, { user, signal }));
  } catch (error) {
    if (error instanceof QueryError) return errorResult(error);
    if (signal.aborted) return { isError: true, content: [{ type: 'text', text: 'The call was canceled.' }] };
    if (error instanceof WorkerUnavailable) return errorResult(workerError());
    if (isUnavailable(error)) {
      analytics.host.log.warn({ err: error, requestId }, 'The database was unavailable during a tool call.');
      return errorResult(queryError('E_UNAVAILABLE database', undefined, UNAVAILABLE));
    }
    analytics.host.log.error({ err: error, requestId }, 'A tool failed with an internal error.');
    return errorResult(queryError('E_EXECUTOR_FAILED', undefined, { requestId }));
  }
}

export const textResult = (text: string): CallToolResult => ({ content: [{ type: 'text', text }] });

/** Text for the model, and the same content as data for programs. */
export const dataResult = (text: string, data: Record<string, unknown>): CallToolResult => ({
  ...textResult(text),
  structuredContent: data,
});

export const repairText = (repaired: unknown): readonly string[] =>
  repaired === undefined ? [] : [`Corrected query to send instead: ${JSON.stringify(repaired)}`];

export function faultText({ code, at, message, hint, details = {} }: QueryError): string {
  const { repaired, ...others } = details;
  return [
    `${code}${at === undefined ? '' : ` at ${at}`}: ${message}`,
    ...(hint === undefined ? [] : [hint]),
    ...repairText(repaired),
    ...(Object.keys(others).length === 0 ? [] : [`Details: ${JSON.stringify(others)}`]),
  ].join('\n');
}

const errorResult = (error: QueryError): CallToolResult => ({
  ...textResult(faultText(error)),
  isError: true,
});
