// Raw requests: bodies that are rejected before they are sent, and input that is not a valid request.
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

/** Sends raw lines; `ended` resolves when the connection closes. */
function begin(lines: readonly string[]) {
  const socket = connect(Number(new URL(host.url).port), '127.0.0.1');
  let received = '';
  socket.on('data', (chunk) => {
    received += String(chunk);
  });
  // The server may close the connection while data is still being sent.
  socket.on('error', () => undefined);
  const ended = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  socket.write(lines.join('\r\n'));
  return { socket, ended, text: () => received };
}

/** Sends raw lines and returns the received text once it matches `until` or the connection closes. */
async function talk(lines: readonly string[], until?: RegExp) {
  const { socket, ended, text } = begin(lines);
  const enough = new Promise<void>((resolve) => {
    socket.on('data', () => {
      if (until?.test(text())) resolve();
    });
  });
  await Promise.race([enough, ended]);
  return { socket, text };
}

const status = (text: string) => text.split('\r\n')[0];

test('a body whose Content-Length is too large is rejected before it is sent', async () => {
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

test('a body is sent after 100 Continue', async () => {
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

test('HTTP/1.0 gets no 100 Continue', async () => {
  const lines = [`POST ${ECHO} HTTP/1.0`, authorization(), 'Expect: 100-continue', 'Content-Length: 2', ''];
  const { ended, text } = begin([...lines, '{}']);
  await ended;
  expect(status(text())).toBe('HTTP/1.1 200 OK');
});

test('an anonymous request is rejected before the body is sent, and the connection closes', async () => {
  const { socket, text } = await talk(
    [`POST ${ECHO} HTTP/1.1`, 'Host: x', 'Expect: 100-continue', 'Content-Length: 20', '', ''],
    /unauthorized.*\}$/s,
  );
  expect(status(text())).toBe('HTTP/1.1 401 Unauthorized');
  expect(text()).toMatch(/^Connection: close\r$/im);
  socket.destroy();
});

test('a client that sends all of a rejected body gets the response before the connection closes', async () => {
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

test('an empty Content-Encoding is ignored', async () => {
  const { socket, text } = await talk(
    [`POST ${ECHO} HTTP/1.1`, 'Host: x', authorization(), 'Content-Encoding:', 'Content-Length: 2', '', '{}'],
    /\r\n\r\n.*\}$/s,
  );
  expect(status(text())).toBe('HTTP/1.1 200 OK');
  socket.destroy();
});

test('a request line may contain a whole URL, of which only the path is logged', async () => {
  const { socket, text } = await talk(
    ['GET http://me:pw@stats.example/wp-json/toy/v1/open HTTP/1.1', 'Host: stats.example', '', ''],
    /\r\n\r\n.*\}$/s,
  );
  expect(status(text())).toBe('HTTP/1.1 200 OK');
  expect(JSON.stringify(host.logged)).not.toContain('me:pw');
  socket.destroy();
});

/** The statuses of the responses, one for each request. */
const statuses = (text: string): readonly string[] =>
  [...text.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, code = '']) => code);

// Programs that disagree about the length of a body see different requests in the same bytes.
describe.each([
  ['two lengths', ['Content-Length: 2', 'Content-Length: 3'], '{}'],
  ['the same length twice', ['Content-Length: 2', 'Content-Length: 2'], '{}'],
  ['a list of lengths', ['Content-Length: 2, 2'], '{}'],
  ['a length and chunks', ['Content-Length: 2', 'Transfer-Encoding: chunked'], '2\r\n{}\r\n0\r\n\r\n'],
  ['chunks and a length', ['Transfer-Encoding: chunked', 'Content-Length: 2'], '2\r\n{}\r\n0\r\n\r\n'],
  ['a signed length', ['Content-Length: +2'], '{}'],
  ['a negative length', ['Content-Length: -1'], '{}'],
  ['a length that is too large for a number', [`Content-Length: ${'9'.repeat(40)}`], '{}'],
  ['a space before the colon of the length header', ['Content-Length : 2'], '{}'],
  ['chunks under a different name', ['Transfer-Encoding: xchunked'], '2\r\n{}\r\n0\r\n\r\n'],
  ['chunks that are not the last encoding', ['Transfer-Encoding: chunked, identity'], '2\r\n{}\r\n0\r\n\r\n'],
  ['chunks twice', ['Transfer-Encoding: chunked', 'Transfer-Encoding: chunked'], '2\r\n{}\r\n0\r\n\r\n'],
  ['chunks whose size is not a number', ['Transfer-Encoding: chunked'], 'zz\r\n{}\r\n0\r\n\r\n'],
  ['a chunk that is longer than its size', ['Transfer-Encoding: chunked'], '2\r\n{}{}\r\n0\r\n\r\n'],
  ['chunks that end with a bare line feed', ['Transfer-Encoding: chunked'], '2\n{}\n0\n\n'],
])('a body with %s', (_label, headers, body) => {
  // attack: body-two-lengths-length
  test('is rejected, the connection closes, and no part of it is treated as another request', async () => {
    const lines = [`POST ${ECHO} HTTP/1.1`, 'Host: x', authorization(), ...headers, '', body];
    const { text } = await talk([...lines, 'GET /wp-json/toy/v1/open HTTP/1.1', 'Host: x', '', '']);
    expect(statuses(text())).toEqual(['400']);
    expect(text()).toMatch(/^Connection: close\r$/im);
  });
});

test.each([
  ['its length', ['Content-Length: 50'], '{}'],
  ['its last chunk', ['Transfer-Encoding: chunked'], '2\r\n{}'],
  // attack: body-ends-too-early
])('a body that ends before %s is rejected', async (_label, headers, body) => {
  const lines = [`POST ${ECHO} HTTP/1.1`, 'Host: x', authorization(), ...headers, '', body];
  const { socket, ended, text } = begin(lines);
  socket.end();
  await ended;
  expect(statuses(text())).toEqual(['400']);
});

test.each([
  ['input that is not HTTP', 'hello', '400'],
  ['a tunnel', 'CONNECT evil.example:25 HTTP/1.1', '405'],
  ['an invalid chunk', `POST ${ECHO} HTTP/1.1`, '400'],
])('%s after a request is rejected after the response to that request', async (_label, second, code) => {
  const head = ['Host: x', authorization()];
  const { text } = await talk([
    `POST ${ECHO} HTTP/1.1`,
    ...[...head, 'Content-Length: 2', ''],
    `{}${second}`,
    ...[...head, 'Transfer-Encoding: chunked', '', 'zz', ''],
  ]);
  expect(statuses(text())).toEqual(['200', code]);
});

// attack: endless-chunked-body
test('an endless body gets a response before the connection is closed', async () => {
  const form = 'Content-Type: application/x-www-form-urlencoded';
  const all = [
    ['GET /healthz', [], '200'],
    ['POST /wp-login.php', [form], '413'],
    ['POST /wp-login.php', [], '401'],
    ['POST /wp-admin/profile', [], '303'],
    [`POST ${ECHO}`, [], '401'],
    [`POST ${ECHO}`, [authorization()], '413'],
  ] as const;
  const seen = all.map(async ([line, headers]) => {
    const head = [`${line} HTTP/1.1`, 'Host: x', ...headers, 'Transfer-Encoding: chunked', '', ''];
    const { socket, ended, text } = begin(head);
    const size = 16 * 1024;
    const chunk = `${size.toString(16)}\r\n${' '.repeat(size)}\r\n`;
    const sending = setInterval(() => socket.write(chunk), 5);
    await ended;
    clearInterval(sending);
    return statuses(text());
  });
  expect(await Promise.all(seen)).toEqual(all.map(([, , status]) => [status]));
});

// attack: proxy-s-address-after
test('headers beyond the first two thousand are not ignored', async () => {
  const many = Array.from({ length: 2_100 }, () => 'a:');
  const { text } = await talk([
    `GET ${ECHO} HTTP/1.1`,
    'Host: x',
    ...many,
    authorization(),
    'Connection: close',
    '',
    '',
  ]);
  expect(statuses(text())).toEqual(['200']);
});

test.each([
  ['a missing Host', ['GET / HTTP/1.1', '', ''], 400, 'rest_missing_host'],
  // attack: two-host-headers-no
  ['a second Host', ['GET / HTTP/1.1', 'Host: x', 'Host: y', '', ''], 400, 'rest_several_hosts'],
  ['an invalid URL', ['GET http:// HTTP/1.1', 'Host: x', '', ''], 400, 'rest_invalid_address'],
  [
    'an unknown Expect',
    ['GET / HTTP/1.1', 'Host: x', 'Expect: cake', '', ''],
    417,
    'rest_unknown_expectation',
  ],
] as const)('%s is rejected with a message', async (_label, lines, code, name) => {
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
  ['input that is not HTTP', ['hello', '', ''], 400, 'rest_bad_request'],
  [
    'a tunnel to another host',
    ['CONNECT evil.example:25 HTTP/1.1', 'Host: x', '', ''],
    405,
    'rest_no_tunnel',
  ],
  [
    'endless headers',
    ['GET / HTTP/1.1', `X-Long: ${'x'.repeat(100_000)}`, '', ''],
    431,
    'rest_headers_too_large',
  ],
  // conformance: query.content-type
] as const)('%s is rejected with JSON that contains the request id', async (_label, lines, code, name) => {
  const { socket, text } = await talk(lines, /\}\}$/);
  const [head = '', body = ''] = text().split('\r\n\r\n');
  expect(status(head)).toMatch(new RegExp(`^HTTP/1\\.1 ${code} `));
  const requestId = /^X-Request-Id: (.+)$/m.exec(head)?.[1]?.trim();
  expect(JSON.parse(body)).toMatchObject({ code: name, data: { status: code, request_id: requestId } });
  expect(host.logged).toContainEqual(expect.objectContaining({ requestId, status: code }));
  socket.destroy();
});
