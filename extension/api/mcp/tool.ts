// What the tools have in common: the contract they run under, and how their answers and errors look.
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js';
import type { CallToolResult, ServerNotification, ServerRequest } from '@modelcontextprotocol/sdk/types.js';
import { isUnavailable, UNAVAILABLE } from '../../../host-shim/extension-api';
import { QueryError, queryError } from '../../language/errors/query-error';
import { type QueryDocument, readDocument } from '../../language/parse/read-document';
import { contractOf } from '../analytics';
import type { InstalledContract } from '../contracts/contract';
import type { McpCaller } from './caller';

/** No tool changes anything, and equal calls have equal effects. */
export const READS_ONLY = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
} as const;

export type Call = RequestHandlerExtra<ServerRequest, ServerNotification>;

/** The present contract, and a signal that is aborted when the client cancels the call or goes away. */
export interface ToolContext {
  readonly contract: InstalledContract;
  readonly signal: AbortSignal;
}

/** Runs a tool. Every error becomes a result that the model can read; internal errors are only logged. */
export async function runTool(
  { analytics, requestId, signal: left }: McpCaller,
  { signal: cancelled }: Call,
  work: (context: ToolContext) => Promise<CallToolResult>,
): Promise<CallToolResult> {
  const signal = AbortSignal.any([left, cancelled]);
  try {
    return await work({ contract: await contractOf(analytics, 'latest'), signal });
  } catch (error) {
    if (error instanceof QueryError) return errorResult(error);
    if (signal.aborted)
      return { isError: true, content: [{ type: 'text', text: 'The call was cancelled.' }] };
    if (isUnavailable(error)) {
      analytics.host.log.warn({ err: error, requestId }, 'The database did not answer a tool.');
      return errorResult(queryError('E_UNAVAILABLE database', undefined, UNAVAILABLE));
    }
    analytics.host.log.error({ err: error, requestId }, 'A tool failed here.');
    return errorResult(queryError('E_EXECUTOR_FAILED', undefined, { requestId }));
  }
}

export const textResult = (text: string): CallToolResult => ({ content: [{ type: 'text', text }] });

/** A text for the model, and the same as data for programs. */
export const dataResult = (text: string, data: Record<string, unknown>): CallToolResult => ({
  ...textResult(text),
  structuredContent: data,
});

/** Code, place, message and hint; then what else is known, such as the corrected query. */
export function faultText({ code, at, message, hint, details = {} }: QueryError): string {
  const { repaired, ...others } = details;
  return [
    `${code}${at === undefined ? '' : ` at ${at}`}: ${message}`,
    ...(hint === undefined ? [] : [hint]),
    ...(repaired === undefined
      ? []
      : [`The corrected query, to be sent instead: ${JSON.stringify(repaired)}`]),
    ...(Object.keys(others).length === 0 ? [] : [`Details: ${JSON.stringify(others)}`]),
  ].join('\n');
}

const errorResult = (error: QueryError): CallToolResult => ({
  ...textResult(faultText(error)),
  isError: true,
});

/** A query as an object or as its JSON text. */
export const documentOfArgument = (query: string | Record<string, unknown>): QueryDocument =>
  readDocument(typeof query === 'string' ? query : JSON.stringify(query));
