// Knows every connection of an HTTP server and the answers that are still on their way on it.
// A connection is only ever ended behind its last byte: Node counts an answer as done before it is sent.
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export interface OpenAnswers {
  /** Whether an answer has begun to travel on this connection. */
  begunOn(socket: Socket): boolean;
  /** Ends each connection as soon as nothing is left to send on it; answers to come say that it closes. */
  closeEach(): void;
}

export function trackAnswers(server: Server): OpenAnswers {
  const open = new Map<Socket, Set<ServerResponse>>();
  let closing = false;

  server.on('connection', (socket: Socket) => {
    open.set(socket, new Set());
    socket.once('close', () => open.delete(socket));
  });
  server.prependListener('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    const answers = open.get(socket);
    answers?.add(response);
    if (closing) response.setHeader('Connection', 'close');
    // Comes after the last byte was handed to the system, or when the client has gone.
    response.once('close', () => {
      answers?.delete(response);
      if (closing && answers?.size === 0) socket.end();
    });
  });

  return {
    begunOn: (socket) => [...(open.get(socket) ?? [])].some(({ headersSent }) => headersSent),
    closeEach() {
      closing = true;
      for (const [socket, answers] of open) {
        if (answers.size === 0) socket.destroySoon();
        for (const answer of answers) if (!answer.headersSent) answer.setHeader('Connection', 'close');
      }
    },
  };
}
