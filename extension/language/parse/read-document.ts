import { visit } from 'jsonc-parser';
import { type QueryError, queryError } from '../errors/query-error';
import { isJsonObject, type JsonObject, type JsonValue, parsedJson, valueAt } from '../types/json';
import type { Path } from '../types/path';
import { finish, type Steps } from '../types/steps';
import { type Places, placeSteps } from './json-places';

/** A request body, with the details of its JSON that plain objects do not preserve. */
export interface QueryDocument {
  readonly text: string;
  /** In epoch seconds, if known. */
  readonly receivedAt?: number | undefined;
  /** The error in the JSON itself. */
  readonly fault: QueryError | null;
  /** The whole body; null if it is not JSON. */
  readonly value: JsonValue;
  /** The query without its wrapper `{"qal": ...}`; null if it is not an object. */
  readonly query: JsonObject | null;
  /** The keys of an object in document order. JavaScript moves "2026" before "a". */
  keysOf(object: object): readonly string[];
  /** The offset in the text where a position in the query begins; for a missing key, where its object ends. */
  offsetOf(path: Path): number;
}

const MAX_DEPTH = 32;
const MAX_MEMBERS = 20_000;
const STRICT = { disallowComments: true, allowTrailingComma: false, allowEmptyContent: false } as const;

export const readDocument = (text: string, receivedAt?: Date): QueryDocument =>
  finish(documentSteps(text, receivedAt));

/** Reads a body as strict JSON. Possible errors are E_INVALID_JSON, E_DUPLICATE_VIEW and E_QUERY_TOO_LARGE. */
export function* documentSteps(text: string, receivedAt?: Date): Steps<QueryDocument> {
  const tooLarge = sizeFault(text);
  yield;
  if (tooLarge !== null) return unreadable(text, tooLarge);
  const value = parsedJson(text);
  yield;
  if (value === undefined) return unreadable(text, syntaxError(text));
  const places = yield* placeSteps(text, value);
  yield;
  const wrapped = isJsonObject(value) ? value.qal : undefined;
  const query = wrapped ?? value;
  return {
    text,
    ...(receivedAt && { receivedAt: receivedAt.getTime() / 1000 }),
    fault: places.fault,
    value,
    query: isJsonObject(query) ? query : null,
    keysOf: (object) => places.members.get(object)?.keys() ?? Object.keys(object),
    offsetOf: (path) => offsetOf(value, wrapped === undefined ? path : ['qal', ...path], places),
  };
}

const unreadable = (text: string, fault: QueryError): QueryDocument => ({
  text,
  fault,
  value: null,
  query: null,
  keysOf: Object.keys,
  offsetOf: () => 0,
});

/** Runs first: deep nesting would overflow the stack, and each key takes time in every phase. */
function sizeFault(text: string): QueryError | null {
  let depth = 0;
  let deepest = 0;
  let members = 0;
  let inString = false;
  for (let i = 0; i < text.length; i++) {
    const char = text[i];
    if (inString) {
      if (char === '\\') i++;
      else if (char === '"') inString = false;
    } else if (char === '"') inString = true;
    else if (char === '{' || char === '[') {
      deepest = Math.max(deepest, ++depth);
      members++;
    } else if (char === '}' || char === ']') depth--;
    else if (char === ':') members++;
  }
  if (deepest > MAX_DEPTH)
    return queryError('E_QUERY_TOO_LARGE levels', undefined, { count: deepest, max: MAX_DEPTH });
  const given = { count: members, max: MAX_MEMBERS };
  return members > MAX_MEMBERS ? queryError('E_QUERY_TOO_LARGE members', undefined, given) : null;
}

function syntaxError(text: string): QueryError {
  const before = text.slice(0, offsetOfFault(text)).split('\n');
  return queryError('E_INVALID_JSON syntax', undefined, {
    line: before.length,
    column: (before.at(-1)?.length ?? 0) + 1,
    hint: text.trim() === '' ? 'empty' : /^\s*(?:select|with)\s/i.test(text) ? 'sql' : undefined,
  });
}

/** The offset of the first error. The parser could find 100,000 more, and only an exception stops it. */
function offsetOfFault(text: string): number {
  const end = new Error('The first error was found.');
  let offset = 0;
  const onError = (_code: number, at: number): never => {
    offset = at;
    throw end;
  };
  try {
    visit(text, { onError }, STRICT);
  } catch (error) {
    if (error !== end) throw error;
  }
  return offset;
}

function offsetOf(root: JsonValue, path: Path, { members }: Places): number {
  let value: JsonValue | undefined = root;
  let offset = 0;
  for (const step of path) {
    const known = value !== null && typeof value === 'object' ? members.get(value) : undefined;
    if (known === undefined) return offset;
    const next = known.offsets.get(step);
    if (next === undefined) return known.end;
    offset = next;
    value = valueAt(value ?? null, [step]);
  }
  return offset;
}

/** The document for a value that did not come in a request body. */
export const documentOf = (query: JsonObject): QueryDocument => readDocument(JSON.stringify(query));
