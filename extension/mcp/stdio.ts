// MCP over standard input and output, for clients that start a program: this installation, or one elsewhere over HTTP.
import { type Readable, Writable } from 'node:stream';
import { isNativeError } from 'node:util/types';
import {
  StreamableHTTPClientTransport,
  StreamableHTTPError,
} from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import {
  CancelledNotificationSchema,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  type RequestId,
} from '@modelcontextprotocol/sdk/types.js';
import type { McpCaller } from './caller';
import { mcpServer } from './server';

export interface Streams {
  readonly stdin: Readable;
  /** Writes to standard output. */
  out(text: string): void;
  /** Ends everything. */
  readonly signal: AbortSignal;
}

/** Serves until the input has ended and everything asked is answered, or the signal is aborted. */
export async function serveOnStdio(caller: McpCaller, streams: Streams): Promise<void> {
  const { transport, done } = openStdio(streams);
  const server = mcpServer(caller);
  await server.connect(transport);
  await done;
  await server.close();
}

/** Passes messages on to the MCP address of another installation, and its answers back. */
export async function relayOnStdio(url: URL, authorization: string, streams: Streams): Promise<void> {
  const { transport, done } = openStdio(streams);
  const remote = new StreamableHTTPClientTransport(url, {
    requestInit: { headers: { Authorization: authorization } },
  });
  let initialize: RequestId | undefined;
  const noted = transport.onmessage;
  transport.onmessage = (message) => {
    noted?.(message);
    if (isJSONRPCRequest(message) && message.method === 'initialize') initialize = message.id;
    remote.send(message).catch((error: unknown) => {
      if (isJSONRPCRequest(message)) transport.send(failed(message.id, error, url));
    });
  };
  remote.onmessage = (message) => {
    // A server asks a client for files and for answers of its model; this one has nothing to ask.
    if (isJSONRPCRequest(message)) return;
    if (isJSONRPCResultResponse(message) && message.id === initialize)
      remote.setProtocolVersion(String(message.result.protocolVersion));
    transport.send(message);
  };
  await remote.start();
  await transport.start();
  await done;
  await remote.close();
  await transport.close();
}

/** In words for a person, all of them ours: a client shows them. */
function failed(id: RequestId, error: unknown, { origin }: URL): JSONRPCMessage {
  return { jsonrpc: '2.0', id, error: { code: -32_000, message: `${origin} ${whatFailed(error)}` } };
}

const NO_MCP = 'answered with something else than MCP.';

function whatFailed(error: unknown): string {
  if (!(error instanceof StreamableHTTPError))
    return isNativeError(error) && error.name === 'TypeError' ? 'cannot be reached.' : NO_MCP;
  if (error.code === 401) return 'refuses this user and application password.';
  const isStatus = error.code !== undefined && error.code >= 100;
  return isStatus ? `answered with status ${error.code}.` : NO_MCP;
}

/** A transport, and a promise of the end of all that is asked. */
function openStdio({ stdin, out, signal }: Streams): {
  transport: StdioServerTransport;
  done: Promise<void>;
} {
  const stdout = new Writable({
    decodeStrings: false,
    write(text, _encoding, written) {
      out(text);
      written();
    },
  });
  const transport = new StdioServerTransport(stdin, stdout);
  /** The ids of what is asked and not answered; a client may give one to two calls. */
  const open: RequestId[] = [];
  const close = (id: RequestId) => {
    const place = open.indexOf(id);
    if (place >= 0) open.splice(place, 1);
  };
  let hasEnded = false;
  let finish = () => {};
  const done = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const finishIfIdle = () => {
    if (hasEnded && open.length === 0) finish();
  };
  transport.onmessage = (message) => {
    if (isJSONRPCRequest(message)) open.push(message.id);
    // What is cancelled gets no answer.
    const cancelled = CancelledNotificationSchema.safeParse(message).data?.params.requestId;
    if (cancelled !== undefined) close(cancelled);
    finishIfIdle();
  };
  const send = transport.send.bind(transport);
  transport.send = async (message) => {
    await send(message);
    if ('id' in message && message.id !== undefined && !isJSONRPCRequest(message)) close(message.id);
    finishIfIdle();
  };
  stdin.once('end', () => {
    hasEnded = true;
    finishIfIdle();
  });
  signal.addEventListener('abort', () => finish(), { once: true });
  return { transport, done };
}
