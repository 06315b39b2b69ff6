// Request bodies with wrong, duplicate or missing lengths, which proxies and servers may interpret differently.
import { connect } from 'node:net';
import type { Dice } from '../../../language/interpreter/random/dice';
import type { Sent } from './request';

interface Framed {
  readonly headers: readonly string[];
  readonly body: Buffer;
  /** Sent repeatedly until there is a response, for at most MAX_SENDING_MS. */
  readonly repeated?: Buffer;
}

const CRLF = '\r\n';
const MAX_SENDING_MS = 3_000;
const PIECE_MS = 10;

const chunk = (body: Buffer, size = body.length.toString(16)): Buffer =>
  Buffer.concat([Buffer.from(size + CRLF), body, Buffer.from(CRLF)]);
const LAST = chunk(Buffer.alloc(0));
const length = (bytes: number | string): string => `Content-Length: ${bytes}`;
const CHUNKED = 'Transfer-Encoding: chunked';

const FRAMES: Readonly<Record<string, (body: Buffer) => Framed>> = {
  'endless chunks': (body) => ({
    headers: [CHUNKED],
    body: chunk(body),
    repeated: chunk(Buffer.alloc(16_384, '\n')),
  }),
  'endless tiny chunks': (body) => ({
    headers: [CHUNKED],
    body: chunk(body),
    repeated: chunk(Buffer.from(' ')),
  }),
  'a content length that is too large': (body) => ({ headers: [length(body.length + 100)], body }),
  'a content length that is too small': (body) => ({ headers: [length(Math.max(0, body.length - 3))], body }),
  'two content lengths': (body) => ({ headers: [length(body.length), length(body.length + 1)], body }),
  'the same content length twice': (body) => ({ headers: [length(body.length), length(body.length)], body }),
  'a content length and chunks': (body) => ({
    headers: [length(body.length), CHUNKED],
    body: Buffer.concat([chunk(body), LAST]),
  }),
  'chunks and a content length': (body) => ({
    headers: [CHUNKED, length(4)],
    body: Buffer.concat([chunk(body), LAST]),
  }),
  'a content length that is not a number': (body) => ({ headers: [length('1e3')], body }),
  'a chunk size that is not a number': (body) => ({
    headers: [CHUNKED],
    body: Buffer.concat([chunk(body, 'zz'), LAST]),
  }),
  'a chunk size that is too large': (body) => ({ headers: [CHUNKED], body: chunk(body, 'fffffff0') }),
  'a chunk size that overflows': (body) => ({ headers: [CHUNKED], body: chunk(body, 'f'.repeat(20)) }),
  'a chunk size that is too small': (body) => ({
    headers: [CHUNKED],
    body: Buffer.concat([chunk(body, '1'), LAST]),
  }),
  'an unknown transfer encoding': (body) => ({ headers: ['Transfer-Encoding: x'], body }),
  'no last chunk': (body) => ({ headers: [CHUNKED], body: chunk(body) }),
};
const KINDS = Object.keys(FRAMES);

export const anyFraming = (dice: Dice): string => dice.pick(KINDS);

/**
 * Resolves with all data that was received until the connection closed. `ms` is the time until the first byte, or undefined if
 * the client stopped sending before that. Rejects if the connection does not close within `lateMs`.
 */
export function sendFramed(
  url: string,
  { method, path, headers, body }: Sent,
  framing: string,
  lateMs: number,
): Promise<{ readonly text: string; readonly ms: number | undefined }> {
  const framed = FRAMES[framing]?.(body);
  if (framed === undefined) throw new Error(`Unknown framing: ${framing}.`);
  const { repeated } = framed;
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const head = [
    `${method} ${path} HTTP/1.1`,
    'Host: x',
    'Connection: close',
    ...lines,
    ...framed.headers,
    '',
    '',
  ];
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    const begun = performance.now();
    const pieces: Buffer[] = [];
    let ms: number | undefined;
    let hasGivenUp = false;
    const more = setInterval(() => {
      if (repeated === undefined) return;
      hasGivenUp ||= performance.now() - begun > MAX_SENDING_MS;
      if (hasGivenUp || pieces.length > 0) socket.end();
      else socket.write(repeated);
    }, PIECE_MS);
    const late = setTimeout(
      () => socket.destroy(new Error(`${framing}: not closed within ${lateMs} ms`)),
      lateMs,
    );
    socket.on('data', (piece) => {
      ms ??= performance.now() - begun;
      pieces.push(piece);
    });
    socket.on('error', (error: NodeJS.ErrnoException) => {
      // The server may close the connection before it has read everything.
      if (pieces.length === 0) reject(new Error(`${framing}: ${error.message}`));
    });
    socket.on('close', () => {
      clearInterval(more);
      clearTimeout(late);
      resolve({ text: Buffer.concat(pieces).toString('latin1'), ms: hasGivenUp ? undefined : ms });
    });
    socket.write(Buffer.concat([Buffer.from(head.join(CRLF), 'latin1'), framed.body]));
    if (repeated === undefined) socket.end();
  });
}
