// The MCP server for one caller, with four read-only tools.
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv';
import type { HostRequest, HostResponse } from '../../../host-shim/extension-api';
import { recorded } from '../routes/recorded';
import { registerCheckQuery } from './check-query';
import { registerDescribeDataset } from './describe-dataset';
import { registerExecuteQuery } from './execute-query';
import { registerGetGuide } from './get-guide';
import type { McpCaller } from './tool';

const INSTRUCTIONS = [
  'Read-only queries about website visitors: page views, clicks, goals, events, searches.',
  'Call qa_get_guide first; where it mentions GET guide and POST query, use these tools.',
  'qa_describe_dataset shows columns with sample values; qa_check_query finds all mistakes in a query without running it;',
  'qa_execute_query runs it. After an error, send the corrected query, or change only what the hint suggests.',
].join(' ');

/** Shared, because creating one takes longer than a call. */
const jsonSchemaValidator = new AjvJsonSchemaValidator();

export function mcpServer(caller: McpCaller): McpServer {
  const { version } = caller.analytics;
  const about = { name: 'qal-analytics', title: 'QAL analytics', version };
  const server = new McpServer(about, { instructions: INSTRUCTIONS, jsonSchemaValidator });
  registerGetGuide(server, caller);
  registerDescribeDataset(server, caller);
  registerCheckQuery(server, caller);
  registerExecuteQuery(server, caller);
  return server;
}

/** Node loads the implementation of Request on first access, which takes 50 ms. */
const WebRequest = Request;

const FORWARDED_HEADERS = ['accept', 'content-type', 'mcp-protocol-version'];

/** Answers one message over HTTP, using a server created for it. */
export async function answerMcpMessage(
  { method }: { readonly method?: string | undefined },
  request: HostRequest,
  caller: Pick<McpCaller, 'analytics' | 'user' | 'signal'>,
): Promise<HostResponse> {
  const server = mcpServer({
    ...caller,
    requestId: request.id,
    // The tools use the newest contract, which need not be the default one.
    allRowsAt: `POST ${request.restRoot}${caller.analytics.settings.namespace}/query?version=latest&format=csv`,
    record: (document, contract, run) => recorded(caller.analytics, request, document, contract, run),
  });
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  try {
    const response = await transport.handleRequest(webRequest(request));
    const text = await response.text();
    return {
      status: response.status,
      headers: method === 'initialize' ? { 'Mcp-Session-Id': request.id } : {},
      body: text === '' ? undefined : JSON.parse(text),
    };
  } finally {
    await server.close();
  }
}

function webRequest({ restRoot, headers, body }: HostRequest): Request {
  const forwarded = FORWARDED_HEADERS.flatMap((name): [string, string][] => {
    const value = headers[name];
    return value === undefined ? [] : [[name, value]];
  });
  // A request inside the process has no origin, so localhost is a placeholder.
  return new WebRequest(new URL(restRoot, 'http://localhost'), { method: 'POST', headers: forwarded, body });
}
