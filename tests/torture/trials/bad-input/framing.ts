// Bodies whose end is announced wrongly, twice or never: what proxies and servers may read differently.
import { connect } from 'node:net';
import type { Dice } from '../../../language/interpreter/random/dice';
import type { Sent } from './request';

interface Framed {
  readonly headers: readonly string[];
  readonly body: Buffer;
  /** More of it follows until there is an answer, or for so long. */
  readonly goesOn?: Buffer;
}

const CRLF = '\r\n';
const LONGEST_MS = 3_000;
const PIECE_MS = 10;

const chunk = (body: Buffer, size = body.length.toString(16)): Buffer =>
  Buffer.concat([Buffer.from(size + CRLF), body, Buffer.from(CRLF)]);
const LAST = chunk(Buffer.alloc(0));
const length = (bytes: number | string): string => `Content-Length: ${bytes}`;
const CHUNKED = 'Transfer-Encoding: chunked';

const FRAMES: Readonly<Record<string, (body: Buffer) => Framed>> = {
  'chunks without end': (body) => ({
    headers: [CHUNKED],
    body: chunk(body),
    goesOn: chunk(Buffer.alloc(16_384, '\n')),
  }),
  'tiny chunks without end': (body) => ({
    headers: [CHUNKED],
    body: chunk(body),
    goesOn: chunk(Buffer.from(' ')),
  }),
  'a length that is too large': (body) => ({ headers: [length(body.length + 100)], body }),
  'a length that is too small': (body) => ({ headers: [length(Math.max(0, body.length - 3))], body }),
  'two lengths': (body) => ({ headers: [length(body.length), length(body.length + 1)], body }),
  'the same length twice': (body) => ({ headers: [length(body.length), length(body.length)], body }),
  'a length and chunks': (body) => ({
    headers: [length(body.length), CHUNKED],
    body: Buffer.concat([chunk(body), LAST]),
  }),
  'chunks and a length': (body) => ({
    headers: [CHUNKED, length(4)],
    body: Buffer.concat([chunk(body), LAST]),
  }),
  'a length that is no number': (body) => ({ headers: [length('1e3')], body }),
  'a size that is no number': (body) => ({
    headers: [CHUNKED],
    body: Buffer.concat([chunk(body, 'zz'), LAST]),
  }),
  'a size that is too large': (body) => ({ headers: [CHUNKED], body: chunk(body, 'fffffff0') }),
  'a size beyond all numbers': (body) => ({ headers: [CHUNKED], body: chunk(body, 'f'.repeat(20)) }),
  'a size that is too small': (body) => ({
    headers: [CHUNKED],
    body: Buffer.concat([chunk(body, '1'), LAST]),
  }),
  'an unknown encoding': (body) => ({ headers: ['Transfer-Encoding: x'], body }),
  'no last chunk': (body) => ({ headers: [CHUNKED], body: chunk(body) }),
};
const KINDS = Object.keys(FRAMES);

export const anyFraming = (dice: Dice): string => dice.pick(KINDS);

/**
 * Everything that comes back until the connection ends; `ms` until the first of it, undefined for a body that had to be
 * broken off first. The client closes its side behind the body. Rejects where the connection does not end.
 */
export function sendFramed(
  url: string,
  { method, path, headers, body }: Sent,
  framing: string,
  lateMs: number,
): Promise<{ readonly text: string; readonly ms: number | undefined }> {
  const framed = FRAMES[framing]?.(body);
  if (framed === undefined) throw new Error(`There is no framing ${framing}.`);
  const { goesOn } = framed;
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
    let isBrokenOff = false;
    const more = setInterval(() => {
      if (goesOn === undefined) return;
      isBrokenOff ||= performance.now() - begun > LONGEST_MS;
      if (isBrokenOff || pieces.length > 0) socket.end();
      else socket.write(goesOn);
    }, PIECE_MS);
    const late = setTimeout(
      () => socket.destroy(new Error(`${framing}: no end within ${lateMs} ms`)),
      lateMs,
    );
    socket.on('data', (piece) => {
      ms ??= performance.now() - begun;
      pieces.push(piece);
    });
    socket.on('error', (error: NodeJS.ErrnoException) => {
      // The server may close while more is on its way to it.
      if (pieces.length === 0) reject(new Error(`${framing}: ${error.message}`));
    });
    socket.on('close', () => {
      clearInterval(more);
      clearTimeout(late);
      resolve({ text: Buffer.concat(pieces).toString('latin1'), ms: isBrokenOff ? undefined : ms });
    });
    socket.write(Buffer.concat([Buffer.from(head.join(CRLF), 'latin1'), framed.body]));
    if (goesOn === undefined) socket.end();
  });
}
