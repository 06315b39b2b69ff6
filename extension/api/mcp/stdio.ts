// MCP over standard input and output, for clients that start a program.
import { type Readable, Writable } from 'node:stream';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import {
  CancelledNotificationSchema,
  isJSONRPCRequest,
  type RequestId,
} from '@modelcontextprotocol/sdk/types.js';
import { JobFailed } from '../../../host-shim/extension-api';
import type { McpCaller } from './caller';
import { mcpServer } from './server';

/** A query of the most bytes that a body may have (256 KiB), with room for escapes. */
const LONGEST_LINE_BYTES = 2 ** 20;

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
  await done.finally(() => server.close());
}

/** A transport, and a promise of the end of all that is asked. It rejects with a JobFailed at a line that is too long. */
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
  const transport = new StdioServerTransport(stdin, stdout, { maxBufferSize: LONGEST_LINE_BYTES });
  /** The ids of what is asked and not answered; a client may give one to two calls. */
  const open: RequestId[] = [];
  const close = (id: RequestId) => {
    const place = open.indexOf(id);
    if (place >= 0) open.splice(place, 1);
  };
  let hasEnded = false;
  const { promise: done, resolve: finish, reject: fail } = Promise.withResolvers<void>();
  // Before everything is done, only a line beyond its bound closes it.
  transport.onclose = () =>
    fail(new JobFailed(`A line on standard input is longer than ${LONGEST_LINE_BYTES} bytes.`));
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
