// Reads JSON objects, one from each string that a file is split into.
import { MAX_COLUMNS, MAX_LEVELS, MAX_VALUES } from '../limits';
import { NO_STEPS, type RecordSink, type Steps, type TakeRecord } from './read-text';

type JsonObject = Record<string, unknown>;

/** Reads each string as a JSON object; anything else is rejected. `parse` parses JSON, and throws a SyntaxError if the text is not JSON. */
export function jsonObjects(
  sink: Pick<RecordSink, 'broken'>,
  take: (row: JsonObject, text: string, line: number) => Steps,
  parse: (text: string) => unknown = JSON.parse,
): TakeRecord {
  return (text, line) => {
    // Checked before parsing, because creating the error takes a hundred times as long.
    if (text.trim() === '') return NO_STEPS;
    const tooLarge = jsonBoundFault(text);
    const row = tooLarge === undefined ? parseJson(text, parse) : undefined;
    if (isObject(row)) return take(row, text, line);
    const reason =
      row instanceof SyntaxError
        ? `is not JSON (${row.message})`
        : (tooLarge ?? 'is not a JSON object; NDJSON has one object per line');
    sink.broken(text, line, reason);
    return NO_STEPS;
  };
}

function parseJson(text: string, parse: (text: string) => unknown): unknown {
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const plain = withoutHex(text);
    return plain === text ? error : parseJson(plain, parse);
  }
}

/** Without `escape=json`, nginx writes `\xHH` for quotes and non-ASCII bytes, which is not JSON. */
const withoutHex = (text: string): string =>
  text.replace(/(?:\\x[0-9A-Fa-f]{2})+/g, (run) =>
    JSON.stringify(Buffer.from(run.replaceAll('\\x', ''), 'hex').toString('utf8')).slice(1, -1),
  );

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof SyntaxError);

const [QUOTE, COMMA, COLON, LIST, BACKSLASH, OBJECT] = [34, 44, 58, 91, 92, 123];

/** The reason not to parse a JSON record, judging by its text alone; undefined if there is none. */
function jsonBoundFault(text: string): string | undefined {
  // A value has at least one character and a separator; a level has an opening and a closing bracket.
  if (text.length < 2 * MAX_LEVELS) return undefined;
  let values = 0;
  let isInText = false;
  /** The keys of each open object; a list has none. */
  const keys: number[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) isInText = !isInText;
    else if (isInText) at += code === BACKSLASH ? 1 : 0;
    else if (code === COMMA || code === LIST || code === OBJECT) {
      values += 1;
      if (values > MAX_VALUES) return `has more than ${MAX_VALUES} values`;
      if (code !== COMMA && keys.push(0) > MAX_LEVELS) return `is nested more than ${MAX_LEVELS} levels deep`;
    } else if (code === COLON) {
      const count = (keys.pop() ?? 0) + 1;
      if (count > MAX_COLUMNS) return `has an object with more than ${MAX_COLUMNS} keys`;
      keys.push(count);
    } else if (code === LIST + 2 || code === OBJECT + 2) keys.pop();
  }
  return undefined;
}
