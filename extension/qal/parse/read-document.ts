// Reads a request body, once: strict JSON that keeps what plain objects lose.
// text -> value, key order as written, offset of every place, and the first fault. Never throws.
import { type Node, type ParseError, parseTree } from 'jsonc-parser';
import { type QueryError, queryError } from '../../errors/query-error';
import { isJsonObject, type JsonObject, type JsonValue, valueAt } from '../types/json';
import { formatPath, type Path } from '../types/path';

/** A body that has been read: everything after works on this. */
export interface QueryDocument {
  readonly text: string;
  /** What is wrong with the body as JSON. */
  readonly fault: QueryError | null;
  /** The whole body; null where it is not JSON. */
  readonly value: JsonValue;
  /** The query without its wrapper `{"qal": ...}`; null where there is none. */
  readonly query: JsonObject | null;
  /** The keys of an object of this document as they were written: JavaScript moves "2026" before "a". */
  keysOf(object: object): readonly string[];
  /** Where in the text a place of the query begins; for an absent key, where its object ends. */
  offsetOf(path: Path): number;
}

const MAX_DEPTH = 32;
const STRICT = { disallowComments: true, allowTrailingComma: false, allowEmptyContent: false } as const;

/** Reads a body; its fault is E_INVALID_JSON, E_DUPLICATE_VIEW or E_QUERY_TOO_LARGE. */
export function readDocument(text: string): QueryDocument {
  const tooDeep = depthFault(text);
  if (tooDeep !== null) return unreadable(text, tooDeep);
  const syntaxFaults: ParseError[] = [];
  const root = parseTree(text, syntaxFaults, STRICT);
  if (root === undefined || syntaxFaults.length > 0 || !isStrict(text))
    return unreadable(text, syntaxError(text, syntaxFaults[0]?.offset ?? 0));
  const places: Places = { members: new WeakMap(), faults: [] };
  const value = toValue(root, [], places);
  const wrapped = isJsonObject(value) ? value.qal : undefined;
  const query = wrapped ?? value;
  return {
    text,
    fault: places.faults[0] ?? null,
    value,
    query: isJsonObject(query) ? query : null,
    keysOf: (object) => places.members.get(object)?.keys ?? Object.keys(object),
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

interface Places {
  /** Of each object and list: the keys as written, where each member begins, and where it ends itself. */
  readonly members: WeakMap<
    object,
    {
      readonly keys: readonly string[];
      readonly offsets: ReadonlyMap<string | number, number>;
      readonly end: number;
    }
  >;
  readonly faults: QueryError[];
}

/** Deep nesting would overflow every recursive reader, so it is counted before any of them runs. */
function depthFault(text: string): QueryError | null {
  let depth = 0;
  let deepest = 0;
  let inText = false;
  for (let i = 0; i < text.length; i++) {
    const char = text[i];
    if (inText) {
      if (char === '\\') i++;
      else if (char === '"') inText = false;
    } else if (char === '"') inText = true;
    else if (char === '{' || char === '[') deepest = Math.max(deepest, ++depth);
    else if (char === '}' || char === ']') depth--;
  }
  const given = { count: deepest, max: MAX_DEPTH };
  return deepest > MAX_DEPTH ? queryError('E_QUERY_TOO_LARGE levels', undefined, given) : null;
}

/** The tree reader forgives some faults (such as 01 or raw control characters) that JSON does not allow. */
function isStrict(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function syntaxError(text: string, offset: number): QueryError {
  const before = text.slice(0, offset).split('\n');
  return queryError('E_INVALID_JSON syntax', undefined, {
    line: before.length,
    column: (before.at(-1)?.length ?? 0) + 1,
    hint: text.trim() === '' ? 'empty' : /^\s*(?:select|with)\s/i.test(text) ? 'sql' : undefined,
  });
}

function toValue(node: Node, path: Path, places: Places): JsonValue {
  const children = node.children ?? [];
  const end = node.offset + node.length;
  if (node.type === 'array') {
    const list = children.map((child, index) => toValue(child, [...path, index], places));
    const offsets = new Map(children.map((child, index) => [index, child.offset]));
    places.members.set(list, { keys: [], offsets, end });
    return list;
  }
  if (node.type !== 'object') return scalarOf(node, path, places);
  // Without a prototype, so that a key such as "constructor" is a key like any other.
  const object: Record<string, JsonValue> = Object.create(null);
  const offsets = new Map<string, number>();
  for (const { children: pair } of children) {
    const [keyNode, valueNode] = pair ?? [];
    if (keyNode === undefined || valueNode === undefined) continue;
    const key: string = keyNode.value;
    if (key === '__proto__') {
      places.faults.push(
        queryError('E_INVALID_JSON reserved-key', formatPath(withoutWrapper(path)), { key }),
      );
      continue;
    }
    if (key in object) places.faults.push(repeatedKey([...path, key]));
    offsets.set(key, valueNode.offset);
    object[key] = toValue(valueNode, [...path, key], places);
  }
  places.members.set(object, { keys: [...offsets.keys()], offsets, end });
  return object;
}

/** A number beyond all doubles would be read as infinite, which is no value of JSON. */
function scalarOf({ value }: Node, path: Path, places: Places): JsonValue {
  if (typeof value !== 'number' || Number.isFinite(value)) return value;
  places.faults.push(queryError('E_INVALID_JSON number', formatPath(withoutWrapper(path)), {}));
  return null;
}

const withoutWrapper = (path: Path): Path => (path[0] === 'qal' && path.length > 1 ? path.slice(1) : path);

function repeatedKey(path: Path): QueryError {
  const key = path.at(-1);
  const inQuery = withoutWrapper(path);
  const isView = inQuery.length === 2 && inQuery[0] === 'make';
  return queryError(isView ? 'E_DUPLICATE_VIEW' : 'E_INVALID_JSON repeated-key', formatPath(inQuery), {
    key,
  });
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

/** A document of a value: as if it had been sent like this. */
export const documentOf = (query: JsonObject): QueryDocument => readDocument(JSON.stringify(query));
