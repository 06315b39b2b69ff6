// MCP over standard input and output, for clients that start the server as a child process.
import { type Readable, Writable } from 'node:stream';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import {
  CancelledNotificationSchema,
  isJSONRPCRequest,
  type RequestId,
} from '@modelcontextprotocol/sdk/types.js';
import { JobFailed } from '../../../host-shim/extension-api';
import { mcpServer } from './server';
import type { McpCaller } from './tool';

/** Long enough for the largest query body (256 KiB) with escapes. */
const MAX_LINE_BYTES = 2 ** 20;

export interface Streams {
  readonly stdin: Readable;
  out(text: string): void;
  /** Aborting it stops the server. */
  readonly signal: AbortSignal;
}

/** Serves until the input ends and all requests are answered, or until the signal is aborted. */
export async function serveOnStdio(caller: McpCaller, streams: Streams): Promise<void> {
  const { transport, done } = openStdio(streams);
  const server = mcpServer(caller);
  await server.connect(transport);
  await done.finally(() => server.close());
}

/** `done` resolves when all requests are answered, and rejects with a JobFailed if a line is too long. */
export function openStdio({ stdin, out, signal }: Streams): {
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
  const transport = new StdioServerTransport(stdin, stdout, { maxBufferSize: MAX_LINE_BYTES });
  /** The ids of unanswered requests; a client may use the same id twice. */
  const open: RequestId[] = [];
  const close = (id: RequestId) => {
    const index = open.indexOf(id);
    if (index >= 0) open.splice(index, 1);
  };
  let hasEnded = false;
  const { promise: done, resolve: finish, reject: fail } = Promise.withResolvers<void>();
  // The transport closes on its own only if a line is too long.
  transport.onclose = () =>
    fail(new JobFailed(`A line on standard input is longer than ${MAX_LINE_BYTES} bytes.`));
  const finishIfIdle = () => {
    if (hasEnded && open.length === 0) finish();
  };
  transport.onmessage = (message) => {
    if (isJSONRPCRequest(message)) open.push(message.id);
    // Canceled requests get no answer.
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
