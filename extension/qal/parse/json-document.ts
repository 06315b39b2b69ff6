// Owns the reading of the body: strict JSON that keeps what plain objects lose.
// text -> value, the order of keys as written (JavaScript moves "2026" before "a"), offset of every place; no key twice.
import { type Node, type ParseError, parseTree } from 'jsonc-parser';
import type { ErrorParameters } from '../../errors/error-table';
import { type QueryError, queryError } from '../../errors/query-error';
import { type JsonValue, valueAt } from '../types/json';
import { formatPath, type Path } from '../types/path';

export interface JsonDocument {
  readonly value: JsonValue;
  /** The keys of an object of this document in the order in which they were written. */
  keysOf(object: object): readonly string[];
  /** Where in the text a place stands; of an absent key: where its object ends. */
  offsetOf(path: Path): number;
}

const MAX_DEPTH = 32;
const STRICT = { disallowComments: true, allowTrailingComma: false, allowEmptyContent: false } as const;

/** Parses a body; throws E_INVALID_JSON, E_DUPLICATE_VIEW or E_QUERY_TOO_LARGE. */
export function readJson(text: string): JsonDocument {
  refuseDepth(text);
  const faults: ParseError[] = [];
  const root = parseTree(text, faults, STRICT);
  if (root === undefined || faults.length > 0 || !isStrict(text))
    throw syntaxError(text, faults[0]?.offset ?? 0);
  const places: Places = new WeakMap();
  const value = toValue(root, [], places);
  return {
    value,
    keysOf: (object) => places.get(object)?.keys ?? Object.keys(object),
    offsetOf: (path) => offsetOf(value, root, path, places),
  };
}

/** Of each object and list: the keys as written, where each member begins, and where it ends itself. */
type Places = WeakMap<
  object,
  {
    readonly keys: readonly string[];
    readonly offsets: ReadonlyMap<string | number, number>;
    readonly end: number;
  }
>;

/** Deep nesting would overflow every recursive reader, so it is counted before any of them runs. */
function refuseDepth(text: string): void {
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
  if (deepest > MAX_DEPTH) {
    throw queryError('E_QUERY_TOO_LARGE', undefined, { what: 'levels', count: deepest, max: MAX_DEPTH });
  }
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
  const problem: ErrorParameters<'E_INVALID_JSON'> = {
    problem: 'syntax',
    line: before.length,
    column: (before.at(-1)?.length ?? 0) + 1,
    empty: text.trim() === '',
  };
  return queryError('E_INVALID_JSON', undefined, problem);
}

function toValue(node: Node, path: Path, places: Places): JsonValue {
  const children = node.children ?? [];
  const end = node.offset + node.length;
  if (node.type === 'array') {
    const list = children.map((child, index) => toValue(child, [...path, index], places));
    const offsets = new Map(children.map((child, index) => [index, child.offset]));
    places.set(list, { keys: [], offsets, end });
    return list;
  }
  if (node.type !== 'object') return scalarOf(node, path);
  // Without a prototype, so that a key such as "constructor" is a key like any other.
  const object: Record<string, JsonValue> = Object.create(null);
  const offsets = new Map<string, number>();
  for (const { children: pair } of children) {
    const [keyNode, valueNode] = pair ?? [];
    if (keyNode === undefined || valueNode === undefined) continue;
    const key: string = keyNode.value;
    if (key === '__proto__')
      throw queryError('E_INVALID_JSON', formatPath(withoutWrapper(path)), { problem: 'reserved-key', key });
    if (key in object) throw repeatedKey([...path, key]);
    offsets.set(key, valueNode.offset);
    object[key] = toValue(valueNode, [...path, key], places);
  }
  places.set(object, { keys: [...offsets.keys()], offsets, end });
  return object;
}

/** A number beyond all doubles would be read as infinite, which is no value of JSON. */
function scalarOf({ value }: Node, path: Path): JsonValue {
  if (typeof value !== 'number' || Number.isFinite(value)) return value;
  throw queryError('E_INVALID_JSON', formatPath(withoutWrapper(path)), { problem: 'number' });
}

const withoutWrapper = (path: Path): Path => (path[0] === 'qal' && path.length > 1 ? path.slice(1) : path);

function repeatedKey(path: Path): QueryError {
  const key = String(path.at(-1));
  const inQuery = withoutWrapper(path);
  const isView = inQuery.length === 2 && inQuery[0] === 'make';
  return isView
    ? queryError('E_DUPLICATE_VIEW', formatPath(inQuery), { name: key })
    : queryError('E_INVALID_JSON', formatPath(inQuery), { problem: 'repeated-key', key });
}

function offsetOf(root: JsonValue, rootNode: Node, path: Path, places: Places): number {
  let value: JsonValue | undefined = root;
  let offset = rootNode.offset;
  for (const step of path) {
    const members: ReturnType<Places['get']> =
      value !== null && typeof value === 'object' ? places.get(value) : undefined;
    if (members === undefined) return offset;
    const next = members.offsets.get(step);
    if (next === undefined) return members.end;
    offset = next;
    value = valueAt(value ?? null, [step]);
  }
  return offset;
}
