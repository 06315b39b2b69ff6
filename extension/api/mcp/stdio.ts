// MCP over standard input and output, for clients that start a program.
import { type Readable, Writable } from 'node:stream';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import {
  CancelledNotificationSchema,
  isJSONRPCRequest,
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

/** A transport, and a promise of the end of all that is asked. */
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
