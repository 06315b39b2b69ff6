// The SDK's client, connected to our MCP server.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { z } from 'zod';
import { basicHeader, type TestHost } from '../support/test-host';

const resultSchema = z.object({
  content: z.array(z.object({ type: z.literal('text'), text: z.string() })).length(1),
  structuredContent: z.record(z.string(), z.unknown()).optional(),
  isError: z.boolean().optional(),
});

/** Returns a connected client, which is added to `clients`, and a function that calls a tool. */
export async function connectMcp(
  transport: StreamableHTTPClientTransport | StdioClientTransport,
  clients: Client[],
) {
  const client = new Client({ name: 'test', version: '1' });
  clients.push(client);
  await client.connect(transport);
  // The client validates structured content only for tools that it has listed.
  const { tools } = await client.listTools();
  const call = async (name: string, args: Record<string, unknown> = {}, options = {}) => {
    const result = resultSchema.parse(await client.callTool({ name, arguments: args }, undefined, options));
    return {
      text: result.content[0]?.text ?? '',
      data: result.structuredContent,
      isError: result.isError ?? false,
    };
  };
  return { client, tools, call };
}

export const connectOverHttp = (host: TestHost, login: string, clients: Client[]) =>
  connectMcp(
    new StreamableHTTPClientTransport(new URL('/wp-json/qa-platform/mcp', host.url), {
      requestInit: { headers: { Authorization: basicHeader(host.credentials(login)) } },
    }),
    clients,
  );
