// What only shows on the wire: bodies that nobody waits for, and input that never becomes a request.
import { once } from 'node:events';
import { connect } from 'node:net';
import { basicHeader, startTestHost, type TestHost } from '../support/test-host';
import { createToy } from '../support/toy-extension';

const ECHO = '/wp-json/toy/v1/echo';

let host: TestHost;
beforeAll(async () => {
  host = await startTestHost({
    extensions: [createToy().extension],
    users: [{ login: 'ann', role: 'administrator' }],
  });
});
afterAll(() => host.stop());

const authorization = () => `Authorization: ${basicHeader(host.credentials('ann'))}`;

/** Sends lines as they are and gives what comes until `until` is there, or the connection ends. */
async function talk(lines: readonly string[], until?: RegExp) {
  const socket = connect(Number(new URL(host.url).port), '127.0.0.1');
  let received = '';
  const enough = new Promise<void>((resolve) => {
    socket.on('data', (chunk) => {
      received += String(chunk);
      if (until?.test(received)) resolve();
    });
  });
  socket.write(lines.join('\r\n'));
  await Promise.race([enough, once(socket, 'close')]);
  return { socket, text: () => received };
}

const status = (text: string) => text.split('\r\n')[0];

test('a body that is announced as too large is refused before it is sent', async () => {
  const { socket, text } = await talk(
    [
      `POST ${ECHO} HTTP/1.1`,
      'Host: x',
      authorization(),
      'Expect: 100-continue',
      'Content-Length: 9000000',
      '',
      '',
    ],
    /body-too-large.*\}$/s,
  );
  expect(status(text())).toBe('HTTP/1.1 413 Payload Too Large');
  expect(text()).toMatch(/^Connection: close\r$/im);
  socket.destroy();
});

test('a body that is asked for is sent', async () => {
  const { socket, text } = await talk(
    [
      `POST ${ECHO} HTTP/1.1`,
      'Host: x',
      authorization(),
      'Expect: 100-continue',
      'Content-Length: 2',
      '',
      '',
    ],
    /100 Continue\r\n\r\n$/,
  );
  const answered = once(socket, 'data');
  socket.write('{}');
  await answered;
  expect(text()).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK\r\n/);
  socket.destroy();
});

test('a caller without login is not asked for the body, and the connection closes', async () => {
  const { socket, text } = await talk(
    [`POST ${ECHO} HTTP/1.1`, 'Host: x', 'Expect: 100-continue', 'Content-Length: 20', '', ''],
    /unauthorized.*\}$/s,
  );
  expect(status(text())).toBe('HTTP/1.1 401 Unauthorized');
  expect(text()).toMatch(/^Connection: close\r$/im);
  socket.destroy();
});

test('whoever sends a refused body to its end gets the answer, then the connection closes', async () => {
  const { text } = await talk([
    `POST ${ECHO} HTTP/1.1`,
    'Host: x',
    authorization(),
    'Content-Length: 3000000',
    '',
    'x'.repeat(3_000_000),
  ]);
  expect(status(text())).toBe('HTTP/1.1 413 Payload Too Large');
  expect(text()).toMatch(/body-too-large/);
});

test('an empty Content-Encoding is none', async () => {
  const { socket, text } = await talk(
    [`POST ${ECHO} HTTP/1.1`, 'Host: x', authorization(), 'Content-Encoding:', 'Content-Length: 2', '', '{}'],
    /\r\n\r\n.*\}$/s,
  );
  expect(status(text())).toBe('HTTP/1.1 200 OK');
  socket.destroy();
});

test('a request line may name the whole address; the log has its path alone', async () => {
  const { socket, text } = await talk(
    ['GET http://me:pw@stats.example/wp-json/toy/v1/open HTTP/1.1', 'Host: stats.example', '', ''],
    /\r\n\r\n.*\}$/s,
  );
  expect(status(text())).toBe('HTTP/1.1 200 OK');
  expect(JSON.stringify(host.logged)).not.toContain('me:pw');
  socket.destroy();
});

test.each([
  ['a missing Host', ['GET / HTTP/1.1', '', ''], 400, 'rest_missing_host'],
  [
    'an unknown Expect',
    ['GET / HTTP/1.1', 'Host: x', 'Expect: cake', '', ''],
    417,
    'rest_unknown_expectation',
  ],
] as const)('%s is refused in words', async (_label, lines, code, name) => {
  const { socket, text } = await talk(lines);
  const [head = '', body = ''] = text().split('\r\n\r\n');
  expect(status(head)).toMatch(new RegExp(`^HTTP/1\\.1 ${code} `));
  expect(JSON.parse(body.slice(body.indexOf('{'), body.lastIndexOf('}') + 1))).toMatchObject({
    code: name,
    data: { status: code },
  });
  socket.destroy();
});

test.each([
  ['no HTTP at all', ['hello', '', ''], 400, 'rest_bad_request'],
  [
    'headers without end',
    ['GET / HTTP/1.1', `X-Long: ${'x'.repeat(100_000)}`, '', ''],
    431,
    'rest_headers_too_large',
  ],
] as const)('%s is refused as JSON, under an id that the log has', async (_label, lines, code, name) => {
  const { socket, text } = await talk(lines, /\}\}$/);
  const [head = '', body = ''] = text().split('\r\n\r\n');
  expect(status(head)).toMatch(new RegExp(`^HTTP/1\\.1 ${code} `));
  const requestId = /^X-Request-Id: (.+)$/m.exec(head)?.[1]?.trim();
  expect(JSON.parse(body)).toMatchObject({ code: name, data: { status: code, request_id: requestId } });
  expect(host.logged).toContainEqual(expect.objectContaining({ requestId, status: code }));
  socket.destroy();
});
