// Sending a response in pieces, which are read only as fast as the client receives them, and only while it is connected.
import { once } from 'node:events';
import { get, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import express from 'express';
import { sendPieces } from '../../host-shim/rest/send-pieces';
import { until } from '../support/until';

const PIECE = Buffer.alloc(2 ** 20);
const PIECES = 100;

let server: Server;
let sent: Promise<void>;
let read: number;
let isEnded: boolean;

async function* pieces() {
  read = 0;
  isEnded = false;
  try {
    for (; read < PIECES; read += 1) yield PIECE;
  } finally {
    isEnded = true;
  }
}

beforeAll(async () => {
  const app = express().get('/', (_request, response) => {
    const gone = new AbortController();
    response.on('close', () => gone.abort());
    sent = sendPieces(response, pieces(), gone.signal);
  });
  server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => server.close());

/** A client that reads nothing yet, once the connection's buffers are full. */
async function stalled(): Promise<IncomingMessage> {
  const { port } = server.address() as AddressInfo;
  const [answer]: IncomingMessage[] = await once(get({ port, host: '127.0.0.1', agent: false }), 'response');
  if (answer === undefined) throw new Error('There is no response.');
  let before = -1;
  await until(async () => {
    const isFull = before === read;
    before = read;
    await pause(100);
    return isFull;
  });
  return answer;
}

test('the next piece is read when the client has made room for it', async () => {
  const answer = await stalled();
  expect(read).toBeLessThan(PIECES / 2);
  let bytes = 0;
  for await (const chunk of answer) bytes += chunk.length;
  expect(bytes).toBe(PIECES * PIECE.length);
  await sent;
});

test('no more pieces are read after a stalled client disconnects', async () => {
  const answer = await stalled();
  answer.destroy();
  await sent;
  expect([isEnded, read < PIECES / 2]).toEqual([true, true]);
});
