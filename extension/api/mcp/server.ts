// The MCP server of one caller: four tools that only read.
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv';
import type { McpCaller } from './caller';
import { registerCheckQuery } from './check-query';
import { registerDescribeDataset } from './describe-dataset';
import { registerExecuteQuery } from './execute-query';
import { registerGetGuide } from './get-guide';

const INSTRUCTIONS = [
  'Read-only questions about the visitors of web sites: page views, clicks, goals, events, searches.',
  'Call qa_get_guide first; where it speaks of GET guide and POST query, use these tools.',
  'qa_describe_dataset shows columns with sample values; qa_check_query finds all mistakes of a query without running it;',
  'qa_execute_query runs it. After an error send the corrected query, or change only what its hint says.',
].join(' ');

/** Shared: creating one costs more than a call. */
const jsonSchemaValidator = new AjvJsonSchemaValidator();

/** Connect a transport with `connect`. */
export function mcpServer(caller: McpCaller): McpServer {
  const { version } = caller.analytics;
  const about = { name: 'qal-analytics', title: 'QAL analytics', version };
  const server = new McpServer(about, { instructions: INSTRUCTIONS, jsonSchemaValidator });
  for (const register of [
    registerGetGuide,
    registerDescribeDataset,
    registerCheckQuery,
    registerExecuteQuery,
  ])
    register(server, caller);
  return server;
}
