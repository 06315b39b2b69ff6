// Escapes characters in output that could control the terminal.
import { Writable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';

/** Includes bidirectional controls, but not tabs and line breaks. */
const CONTROL_CHARACTERS = /(?!\t|\r?\n)[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu;

/** A JSON escape, so that escaped JSON remains valid. */
const escaped = (character: string): string =>
  `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`;

export const plainText = (text: string): string => text.replace(CONTROL_CHARACTERS, escaped);

/** Escapes text that must stay on one line and in one table cell. */
export const plainCell = (text: string): string => plainText(text).replace(/[\t\r\n]/g, escaped);

export interface PlainOutput {
  write(text: string): void;
  /** Writes bytes unchanged, except on a terminal, where they are escaped as text. */
  readonly data: Writable;
  /** For output that moves the cursor. Its text must already be escaped. */
  readonly raw: Writable;
}

export const isTerminal = (stream: object): boolean => 'isTTY' in stream && stream.isTTY === true;

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
