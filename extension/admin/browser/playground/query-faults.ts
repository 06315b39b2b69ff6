// Faults of the text with their places: syntax is read here, everything else is what the server says.
import { printParseErrorCode } from 'jsonc-parser';
import type { RestError } from '../shared/rest-answer';
import { MOST_LEVELS, rangeAt, readQueryText, type TextRange } from './query-text';

export interface Fault extends TextRange {
  readonly message: string;
  /** The corrected query, where the server knows one. */
  readonly repaired?: unknown;
}

const MESSAGES: Readonly<Record<string, string>> = {
  InvalidSymbol: 'This is not a JSON value. Text needs double quotes.',
  InvalidNumberFormat: 'This is not a number.',
  PropertyNameExpected: 'Expected a key in double quotes.',
  ValueExpected: 'Expected a value.',
  ColonExpected: 'Expected a colon.',
  CommaExpected: 'Expected a comma.',
  CloseBraceExpected: 'Expected a closing }.',
  CloseBracketExpected: 'Expected a closing ].',
  EndOfFileExpected: 'Expected the end of the query.',
  InvalidCommentToken: 'JSON has no comments.',
  UnexpectedEndOfComment: 'JSON has no comments.',
  UnexpectedEndOfString: 'Expected a closing quote.',
  UnexpectedEndOfNumber: 'The number is incomplete.',
  InvalidUnicode: 'The \\u escape is incomplete.',
  InvalidEscapeCharacter: 'This escape does not exist.',
  InvalidCharacter: 'This character must be escaped.',
};

/** What keeps the text from being JSON that the server reads. */
export function syntaxFaults(text: string): readonly Fault[] {
  if (text.trim() === '') return [{ from: 0, to: 0, message: 'The query is empty.' }];
  const { errors, tooDeep } = readQueryText(text);
  if (tooDeep !== undefined) {
    const message = `The query is nested too deeply: the limit is ${MOST_LEVELS} levels.`;
    return [{ from: tooDeep, to: tooDeep + 1, message }];
  }
  return errors.map(({ error, offset, length }) => {
    const code = printParseErrorCode(error);
    const from = Math.min(offset, text.length);
    const to = Math.min(from + Math.max(length, 1), text.length);
    return { from, to, message: MESSAGES[code] ?? `This is not JSON (${code}).` };
  });
}

/** Where an error of the server lies in the text; undefined where its place is not part of it. */
export function placeOf(text: string, { at }: RestError): TextRange | undefined {
  return at === undefined ? undefined : rangeAt(readQueryText(text), at);
}

/** An error of the server as a fault; at the first character where it has no other place. */
export function faultOf(text: string, error: RestError): Fault {
  const { message, hint, repaired } = error;
  return {
    ...(placeOf(text, error) ?? { from: 0, to: Math.min(1, text.length) }),
    message: hint === undefined ? message : `${message} ${hint}`,
    ...(repaired === undefined ? {} : { repaired }),
  };
}
