// Reads JSON objects, one from each string that a file is split into.
import { jsonBoundFault } from './json-bounds';
import { NO_STEPS, type RecordSink, type Steps, type TakeRecord } from './read-text';

type JsonObject = Record<string, unknown>;

/** Reads each text as a JSON object; one that is not is rejected. */
export function jsonObjects(
  sink: Pick<RecordSink, 'broken'>,
  take: (row: JsonObject, text: string, line: number) => Steps,
): TakeRecord {
  return (text, line) => {
    // Before it is parsed: creating the error takes a hundred times as long.
    if (text.trim() === '') return NO_STEPS;
    const tooLarge = jsonBoundFault(text);
    const row = tooLarge === undefined ? parseJson(text) : undefined;
    if (isObject(row)) return take(row, text, line);
    const reason =
      row instanceof SyntaxError
        ? `is not JSON (${row.message})`
        : (tooLarge ?? 'is no JSON object; NDJSON has one object on a line');
    sink.broken(text, line, reason);
    return NO_STEPS;
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const plain = withoutHex(text);
    return plain === text ? error : parseJson(plain);
  }
}

/** Without `escape=json`, nginx writes `\xHH` for quotes and for the bytes of what is not ASCII, which is no JSON. */
const withoutHex = (text: string): string =>
  text.replace(/(?:\\x[0-9A-Fa-f]{2})+/g, (run) =>
    JSON.stringify(Buffer.from(run.replaceAll('\\x', ''), 'hex').toString('utf8')).slice(1, -1),
  );

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof SyntaxError);
