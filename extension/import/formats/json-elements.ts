// Cuts one JSON document of any size into the elements of its list: the document itself, or the list in one of its members.
import { ImportError } from '../import-error';
import { type LineSink, LONGEST_ELEMENT } from './read-lines';

const QUOTE = 34;
const BACKSLASH = 92;
const LINE_FEED = 10;

/** Calls `take` with the text of each element and the line where it begins. `member` names the list; without it, the document is one. */
export async function readJsonElements(
  pieces: AsyncIterable<Buffer>,
  member: string | undefined,
  sink: Pick<LineSink, 'full' | 'drain'>,
  take: (text: string, line: number) => void,
): Promise<void> {
  /** How deep the list is open. */
  const listDepth = member === undefined ? 1 : 2;
  const key = member === undefined ? undefined : JSON.stringify(member);
  let text = '';
  let at = 0;
  let line = 1;
  let depth = 0;
  let isString = false;
  let isEscaped = false;
  let stringFrom = 0;
  /** The last text at the top of the document: the name of the member that follows. */
  let name = '';
  let isList = false;
  let found = false;
  let from = -1;
  let fromLine = 1;

  const fail = (reason: string): never => {
    throw new ImportError(`is not the expected JSON: ${reason}`, { line });
  };
  const endElement = (to: number): void => {
    if (from >= 0 && text.slice(from, to).trim() !== '') take(text.slice(from, to), fromLine);
    from = -1;
  };
  const begin = (code: number): void => {
    depth += 1;
    if (depth === 1 && (code === 91) !== (member === undefined))
      fail(member === undefined ? 'a list was expected' : `an object with the list ${key} was expected`);
    if (depth !== listDepth || (member !== undefined && (code !== 91 || name !== key))) return;
    isList = true;
    found = true;
  };

  for await (const piece of pieces) {
    // What is still needed of the text before: the element, or the string, that is open.
    const keep = from >= 0 ? from : isString ? stringFrom : at;
    text = text.slice(keep) + piece.toString('utf8');
    at -= keep;
    from -= from >= 0 ? keep : 0;
    stringFrom -= keep;
    if (from >= 0 && text.length > LONGEST_ELEMENT + piece.length)
      fail(`an element is longer than ${LONGEST_ELEMENT} characters`);
    for (; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (code === LINE_FEED) line += 1;
      if (isString) {
        if (isEscaped) isEscaped = false;
        else if (code === BACKSLASH) isEscaped = true;
        else if (code === QUOTE) {
          isString = false;
          if (depth === 1 && !isList) name = text.slice(stringFrom, at + 1);
        }
        continue;
      }
      if (isList && from < 0 && code > 32 && code !== 44 && code !== 93) {
        from = at;
        fromLine = line;
      }
      if (code === QUOTE) {
        isString = true;
        stringFrom = at;
      } else if (code === 123 || code === 91) begin(code);
      else if (code === 125 || code === 93) {
        if (isList && depth === listDepth) {
          endElement(at);
          isList = false;
        }
        depth -= 1;
        if (depth < 0) fail('a bracket is closed that was not opened');
      } else if (code === 44 && isList && depth === listDepth) {
        endElement(at);
        if (sink.full()) await sink.drain();
      }
    }
  }
  if (depth > 0 || isString) fail('the document is cut off');
  if (!found) fail(member === undefined ? 'the file is empty' : `the document has no list ${key}`);
}
