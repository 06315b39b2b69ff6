// One MCP message -> the answer of the server.
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import type { HostRequest, HostResponse, HostUser } from '../../../host-shim/extension-api';
import type { Analytics } from '../analytics';
import { recorded } from '../routes/recorded';
import { mcpServer } from './server';

const PASSED_ON = ['accept', 'content-type', 'mcp-protocol-version'];

/** Runs one message on a separate server, which ends with its answer or the signal. */
export async function answerMcpMessage(
  { method }: { readonly method?: string | undefined },
  request: HostRequest,
  { analytics, user, signal }: { analytics: Analytics; user: HostUser; signal: AbortSignal },
): Promise<HostResponse> {
  const server = mcpServer({
    ...{ analytics, user, signal, requestId: request.id },
    record: (document, contract, run) => recorded(analytics, request, document, contract, run),
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
  const passed = PASSED_ON.flatMap((name): [string, string][] => {
    const value = headers[name];
    return value === undefined ? [] : [[name, value]];
  });
  // A call in process has no origin.
  return new Request(new URL(restRoot, 'http://localhost'), { method: 'POST', headers: passed, body });
}
