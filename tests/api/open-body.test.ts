// Streamed request bodies: how slow a client may be, and which compression is supported.
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { RestError } from '../../host-shim/rest/host-error';
import { openBody, PATIENCE, type Patience } from '../../host-shim/rest/open-body';
import { ClientGone } from '../../host-shim/rest/read-body';

type Outcome = { readonly text: string } | { readonly error: unknown };

let patience: Patience = PATIENCE;
let report = (_outcome: Outcome): void => {};
const server = createServer((incoming: IncomingMessage, response: ServerResponse) => {
  const read = async () => text(openBody(incoming, response, patience));
  read()
    .then((read) => report({ text: read }))
    .catch((error: unknown) => report({ error }))
    .finally(() => response.end());
});
let port = 0;
beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  port = typeof address === 'object' && address !== null ? address.port : 0;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  patience = PATIENCE;
});

/** Opens a request. `outcome` resolves to the text that the server read, or to its error. */
function open(headers: Readonly<Record<string, string>> = {}) {
  const outcome = new Promise<Outcome>((resolve) => {
    report = resolve;
  });
  const sending = request({ port, host: '127.0.0.1', method: 'POST', headers, agent: false });
  sending.on('error', () => undefined);
  sending.on('response', (answer) => answer.resume());
  return { sending, outcome };
}

test.each([
  ['plain', {}, Buffer.from('one\ntwo\n')],
  ['gzip', { 'Content-Encoding': 'gzip' }, gzipSync('one\ntwo\n')],
  [
    'gzip in several parts',
    { 'Content-Encoding': 'x-gzip' },
    Buffer.concat([gzipSync('one\n'), gzipSync('two\n')]),
  ],
])('%s is read', async (_label, headers, body) => {
  const { sending, outcome } = open(headers);
  sending.end(body);
  expect(await outcome).toEqual({ text: 'one\ntwo\n' });
});

test.each([
  ['a body that is not gzip', Buffer.from('plain')],
  ['half a gzip body', gzipSync('one\ntwo\n').subarray(0, 12)],
])('%s with the header for gzip is rejected', async (_label, body) => {
  const { sending, outcome } = open({ 'Content-Encoding': 'gzip' });
  sending.end(body);
  expect(await outcome).toMatchObject({
    error: new RestError({
      status: 400,
      body: {
        code: 'rest_invalid_gzip',
        message: 'The body is not complete, valid gzip, although its Content-Encoding is gzip.',
        data: { status: 400 },
      },
    }),
  });
});

test('the error for an unsupported compression method includes its name', async () => {
  const { sending, outcome } = open({ 'Content-Encoding': 'br' });
  sending.end('x');
  expect(await outcome).toMatchObject({
    error: { answer: { status: 415 }, message: expect.stringContaining('br') },
  });
});

test.each([
  ['stalls', { stallMs: 20, graceMs: 60_000, minBytesPerSecond: 1 }],
  ['is too slow overall', { stallMs: 60_000, graceMs: 20, minBytesPerSecond: 1_000_000 }],
  // conformance: beyond.imports-over-http
  // attack: client-sends-too-slowly
])('a client that %s is disconnected', async (_label, limits) => {
  patience = limits;
  const { sending, outcome } = open();
  sending.write('one\n');
  expect(await outcome).toMatchObject({
    error: { answer: { status: 408, body: { code: 'rest_body_too_slow' } } },
  });
  sending.destroy();
});

test('a client that disconnects ends the stream with an error', async () => {
  const { sending, outcome } = open();
  sending.write('one\n', () => sending.destroy());
  expect(await outcome).toMatchObject({ error: expect.any(ClientGone) });
});
