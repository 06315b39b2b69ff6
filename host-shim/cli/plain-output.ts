// All text that commands write to a terminal: characters that would control the terminal are escaped.

import { Writable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';

/** Control characters, and marks that change the direction of text; not tabs and line ends. */
const STEERING = /(?!\t|\r?\n)[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu;

/** As JSON escapes them, so that JSON stays valid. */
const escaped = (character: string): string =>
  `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`;

/** Text of any number of lines. */
export const plainText = (text: string): string => text.replace(STEERING, escaped);

/** Text that stays in its line and its cell. */
export const plainCell = (text: string): string => plainText(text).replace(/[\t\r\n]/g, escaped);

/** A stream of this process: text for people, and through `data` the bytes of results. */
export interface PlainOutput {
  write(text: string): void;
  /** Bytes as they are, except on a terminal, where they are text like any other. */
  readonly data: Writable;
  /** For output that moves the cursor; its text must be plain already. */
  readonly raw: Writable;
}

const isTerminal = (stream: object): boolean => 'isTTY' in stream && stream.isTTY === true;

export const plainOutput = (stream: Writable): PlainOutput => ({
  write: (text) => void stream.write(plainText(text)),
  data: isTerminal(stream) ? plainBytes(stream) : stream,
  raw: stream,
});

function plainBytes(stream: Writable): Writable {
  const decoder = new StringDecoder('utf8');
  return new Writable({
    write: (piece: Buffer, _encoding, done) => void stream.write(plainText(decoder.write(piece)), done),
  });
}
