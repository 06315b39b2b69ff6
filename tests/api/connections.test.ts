// Clients that disconnect, a server that stops, a port in use, and an unreachable database.
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import express from 'express';
import { listen } from '../../host-shim/server/http-server';
import { basicHeader, startTestHost } from '../support/test-host';
import { createToy } from '../support/toy-extension';

async function startSlow() {
  const toy = createToy();
  const host = await startTestHost({
    extensions: [toy.extension],
    users: [{ login: 'ann', role: 'administrator' }],
  });
  const headers = { Authorization: basicHeader(host.credentials('ann')) };
  const request = httpRequest(`${host.url}/wp-json/toy/v1/slow`, { headers });
  request.end();
  await toy.slowBegun;
  return { toy, host, request };
}

// conformance: host.client-goes-away
test("if a client disconnects, its request's signal is aborted", async () => {
  const { toy, host, request } = await startSlow();
  const signal = toy.calls[0]?.signal;
  expect(signal?.aborted).toBe(false);
  request.on('error', () => undefined);
  const aborted = new Promise((resolve) => signal?.addEventListener('abort', resolve));
  request.destroy();
  await aborted;
  toy.release();
  await host.stop();
  expect(host.logged.filter(({ level }) => Number(level) >= 50)).toEqual([]);
});

test('an in-flight request finishes while the server is stopping, and no new one is accepted', async () => {
  const { toy, host, request } = await startSlow();
  const answered = once(request, 'response');
  const stopped = host.stop();
  await expect(fetch(`${host.url}/healthz`)).rejects.toThrow();
  toy.release();
  const [response] = await answered;
  response.resume();
  await once(response, 'end');
  expect(response.statusCode).toBe(200);
  await stopped;
});

// conformance: answer.client-does-not
test('a client that does not read its response is disconnected', async () => {
  const app = express();
  const cutOff = new Promise((resolve) => {
    app.get('/', (_request, response) => {
      response.once('close', resolve);
      response.end(Buffer.alloc(64 * 1024 * 1024));
    });
  });
  const server = await listen(app, { host: '127.0.0.1', port: 0, unreadMs: 1000 });
  const client = connect(Number(new URL(server.url).port), '127.0.0.1');
  client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  client.on('error', () => undefined);
  let received = 0;
  client.on('data', (chunk) => {
    received += chunk.length;
  });
  client.pause();
  await cutOff;
  // Not `once`, which rejects if the connection is reset.
  const ended = new Promise((resolve) => client.once('close', resolve));
  client.resume();
  await ended;
  expect(received).toBeLessThan(64 * 1024 * 1024);
  await server.stop(0);
});

test('a slow reader still receives an entire large response while the server is stopping', async () => {
  const size = 32 * 1024 * 1024;
  const app = express();
  let answer = () => {};
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  app.get('/', (_request, response) => {
    response.end(Buffer.alloc(size));
    answer();
  });
  const server = await listen(app, { host: '127.0.0.1', port: 0 });
  const client = connect(Number(new URL(server.url).port), '127.0.0.1');
  client.pause();
  client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  await answered;
  const stopped = server.stop(20_000);
  let received = 0;
  client.on('data', (chunk) => {
    received += chunk.length;
  });
  client.resume();
  await once(client, 'close');
  await stopped;
  expect(received).toBeGreaterThan(size);
});

test('a response sent while the server is stopping closes its connection', async () => {
  const { toy, host, request } = await startSlow();
  const answered = once(request, 'response');
  const stopped = host.stop();
  toy.release();
  const [response] = await answered;
  response.resume();
  expect(response.headers.connection).toBe('close');
  await stopped;
});

test('a request that never ends is aborted after the grace period', async () => {
  const app = express();
  let begin = () => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  app.get('/', () => begin());
  const server = await listen(app, { host: '127.0.0.1', port: 0 });
  const request = httpRequest(server.url);
  const broken = once(request, 'error');
  request.end();
  await begun;
  await server.stop(20);
  await broken;
});

test("keep-alive connections last longer than a proxy's, and do not delay shutdown", async () => {
  const app = express();
  app.get('/', (_request, response) => void response.send('x'));
  const server = await listen(app, { host: '127.0.0.1', port: 0 });
  const answer = await fetch(server.url);
  expect(answer.headers.get('keep-alive')).toBe('timeout=75');
  await answer.text();
  await server.stop(10_000);
});

// On other systems, several sockets cannot share a port.
(process.platform === 'linux' ? test : test.skip)(
  'of connections that arrive together, several are accepted in each turn of the event loop',
  async () => {
    const server = await listen(express(), { host: '127.0.0.1', port: 0 });
    let accepted = 0;
    const onAccepted = () => {
      accepted += 1;
    };
    subscribe('net.server.socket', onAccepted);
    const clients = Array.from({ length: 100 }, () => connect(Number(new URL(server.url).port), '127.0.0.1'));
    let turns = 0;
    for (; accepted < clients.length; turns += 1) await nextTurn();
    unsubscribe('net.server.socket', onAccepted);
    expect(turns).toBeLessThan(50);
    for (const client of clients) client.destroy();
    await server.stop(0);
  },
);

test('a port in use is reported in a single sentence', async () => {
  const first = await listen(express(), { host: '127.0.0.1', port: 0 });
  const port = Number(new URL(first.url).port);
  await expect(listen(express(), { host: '127.0.0.1', port })).rejects.toThrow(
    `127.0.0.1 port ${port} is in use: stop the other program, or choose another port with PORT.`,
  );
  await first.stop(0);
});

test('/readyz fails while the database is unreachable, and /healthz does not', async () => {
  const host = await startTestHost({ extensions: [] });
  await host.database.write.destroy();
  const ready = await host.request('GET', '/readyz');
  const brief = 'failing, the database does not respond';
  expect([ready.status, ready.text]).toEqual([503, `Database: ${brief}\nMigrations: ${brief}\n`]);
  expect((await host.request('GET', '/healthz')).status).toBe(200);
  await host.stop();
});
