// Splits a JSON document of any size into the elements of its list: the document itself, or the list in one of
// its members.
import type { ReadableFormat } from '../../../../manifests/reader/formats';
import { ImportError } from '../import-error';
import { MAX_ELEMENT_LENGTH } from '../limits';
import { NO_STEPS, type TakeRecord, type TextReader } from './read-text';

const QUOTE = 34;
const COMMA = 44;
const COLON = 58;
const BACKSLASH = 92;
const LINE_FEED = 10;

/**
 * `records` names the list; without it, the document itself is the list. Each character is read once, and only an open
 * element stays in memory.
 */
export function elementReader(
  { records: member, without_records }: Pick<ReadableFormat, 'records' | 'without_records'>,
  take: TakeRecord,
): TextReader {
  /** The nesting depth within the list. */
  const listDepth = member === undefined ? 1 : 2;
  const key = member === undefined ? '' : JSON.stringify(member);
  const keyOfEmpty = without_records === undefined ? '' : JSON.stringify(without_records);
  const nameLength = Math.max(key.length, keyOfEmpty.length);
  /** The beginning of an open element. */
  let element = '';
  let line = 1;
  let elementLine = 1;
  let depth = 0;
  let isString = false;
  let isEscaped = false;
  /** The beginning of the last string at the top level of the document: the name of the next member. */
  let name = '';
  let isList = false;
  let isElement = false;
  let found = false;

  const fail = (reason: string): never => {
    throw new ImportError(`is not the expected JSON: ${reason}`, { line });
  };
  const add = (part: string): void => {
    element += part;
    if (element.length > MAX_ELEMENT_LENGTH)
      fail(`an element is longer than ${MAX_ELEMENT_LENGTH} characters`);
  };
  function* endElement(part: string): Generator<void> {
    if (!isElement) return;
    add(part);
    isElement = false;
    const whole = element;
    element = '';
    yield* take(whole, elementLine);
  }
  const begin = (isBracket: boolean): void => {
    depth += 1;
    if (depth === 1 && isBracket !== (member === undefined))
      fail(member === undefined ? 'a list was expected' : `an object with the list ${key} was expected`);
    if (depth !== listDepth || (member !== undefined && !(isBracket && name === key))) return;
    isList = true;
    found = true;
  };

  return {
    *take(text) {
      let from = 0;
      for (let at = 0; at < text.length; at += 1) {
        const code = text.charCodeAt(at);
        if (code === LINE_FEED) line += 1;
        if (isString) {
          if (depth === 1 && !isList && name.length <= nameLength) name += text[at];
          if (isEscaped) isEscaped = false;
          else if (code === BACKSLASH) isEscaped = true;
          else if (code === QUOTE) isString = false;
          continue;
        }
        if (isList && !isElement && code > 32 && code !== COMMA && code !== 93) {
          isElement = true;
          elementLine = line;
          from = at;
        }
        if (code === QUOTE) {
          isString = true;
          if (depth === 1 && !isList) name = '"';
        } else if (code === 123 || code === 91) begin(code === 91);
        else if (code === 125 || code === 93) {
          if (isList && depth === listDepth) {
            yield* endElement(text.slice(from, at));
            isList = false;
          }
          depth -= 1;
          if (depth < 0) fail('a closing bracket has no opening bracket');
        } else if (code === COMMA && isList && depth === listDepth) {
          yield* endElement(text.slice(from, at));
          yield;
        } else if (code === COLON && depth === 1 && name === keyOfEmpty) found = true;
      }
      if (isElement) add(text.slice(from));
    },
    end() {
      if (depth > 0 || isString) fail('the document is cut off');
      if (!found) fail(member === undefined ? 'the file is empty' : `the document has no list ${key}`);
      return NO_STEPS;
    },
  };
}
