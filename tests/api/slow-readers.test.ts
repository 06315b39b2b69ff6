// Clients that stop reading their responses are disconnected, and other clients are not.
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import express from 'express';
import { createOutbox } from '../../host-shim/rest/outbox';
import { listen } from '../../host-shim/server/http-server';

/** More than a connection's buffers can hold. */
const LARGE = Buffer.alloc(32 * 2 ** 20, 'x');

/** Sends a request from a client that does not read the response. */
function sendWithoutReading(port: number, path = '/'): Socket {
  const client = connect(port, '127.0.0.1');
  client.on('error', () => undefined);
  client.pause();
  client.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
  return client;
}

const portOf = (url: string) => Number(new URL(url).port);

// conformance: host.silent-database-client
// attack: client-does-not-read
test('a stalled client is disconnected, and a client that waits for a slow response is not', async () => {
  const app = express();
  const arrived = (path: string) =>
    new Promise<ServerResponse>((resolve) => app.get(path, (_request, response) => resolve(response)));
  const slow = arrived('/slow');
  const large = arrived('/large');
  // A connection whose request has not been parsed yet is considered idle, so a shorter timeout would close it on a busy machine.
  const server = await listen(app, { host: '127.0.0.1', port: 0, unreadMs: 1000 });
  const waiting = fetch(`${server.url}/slow`);
  const slowResponse = await slow;
  const client = sendWithoutReading(portOf(server.url), '/large');
  // Created early, because the connection may already be closed when this is awaited.
  const closed = new Promise((resolve) => client.once('close', resolve));
  const answer = await large;
  answer.end(LARGE);
  await once(answer, 'close');
  slowResponse.end('at last');
  expect(await (await waiting).text()).toBe('at last');
  client.resume();
  await closed;
  expect(client.bytesRead).toBeLessThan(LARGE.length);
  await server.stop(0);
});

describe('large responses', () => {
  /** A server that responds to every request with LARGE. `responses` lists them in order. */
  async function sendLarge(maxBytes: number) {
    const send = createOutbox({ maxBytes, stalledMs: 0 });
    const responses: ServerResponse[] = [];
    const server = createServer((_request, response) => {
      responses.push(response);
      send(response, LARGE);
      server.emit('answered');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    return { server, port, responses };
  }

  test('arrive completely', async () => {
    const { server, port } = await sendLarge(LARGE.length);
    const answer = await fetch(`http://127.0.0.1:${port}`);
    expect(LARGE.equals(Buffer.from(await answer.arrayBuffer()))).toBe(true);
    server.closeAllConnections();
    server.close();
  });

  test('are buffered up to a limit; beyond it, the client that stalled first is disconnected', async () => {
    const { server, port, responses } = await sendLarge(2 * LARGE.length);
    const clients: Socket[] = [];
    for (let count = 0; count < 3; count++) {
      const answered = once(server, 'answered');
      clients.push(sendWithoutReading(port));
      await answered;
    }
    expect(responses.map(({ destroyed }) => destroyed)).toEqual([true, false, false]);
    for (const client of clients) client.destroy();
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
});
