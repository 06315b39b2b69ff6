// Owns the reading of the body: strict JSON that keeps what plain objects lose.
// text -> value, the order of keys as written (JavaScript moves "2026" before "a"), offset of every place; no key twice.
import { type Node, type ParseError, parseTree } from 'jsonc-parser';
import type { ErrorParameters } from '../../errors/error-table';
import { type QueryError, queryError } from '../../errors/query-error';
import type { JsonValue } from '../types/json';
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
  const order = new WeakMap<object, readonly string[]>();
  return {
    value: toValue(root, [], order),
    keysOf: (object) => order.get(object) ?? Object.keys(object),
    offsetOf: (path) => offsetOf(root, path),
  };
}

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
    hint: text.trim() === '' ? 'The body is empty: send the query as JSON.' : undefined,
  };
  return queryError('E_INVALID_JSON', undefined, problem);
}

function toValue(node: Node, path: Path, order: WeakMap<object, readonly string[]>): JsonValue {
  const children = node.children ?? [];
  if (node.type === 'array') return children.map((child, index) => toValue(child, [...path, index], order));
  if (node.type !== 'object') return node.value;
  // Without a prototype, so that a key such as "constructor" is a key like any other.
  const object: Record<string, JsonValue> = Object.create(null);
  const keys: string[] = [];
  for (const { children: pair } of children) {
    const [keyNode, valueNode] = pair ?? [];
    if (keyNode === undefined || valueNode === undefined) continue;
    const key: string = keyNode.value;
    if (key === '__proto__')
      throw queryError('E_INVALID_JSON', formatPath(path), { problem: 'reserved-key', key });
    if (key in object) throw repeatedKey([...path, key]);
    keys.push(key);
    object[key] = toValue(valueNode, [...path, key], order);
  }
  order.set(object, keys);
  return object;
}

function repeatedKey(path: Path): QueryError {
  const key = String(path.at(-1));
  const inQuery = path[0] === 'qal' ? path.slice(1) : path;
  const isView = inQuery.length === 2 && inQuery[0] === 'make';
  return isView
    ? queryError('E_DUPLICATE_VIEW', formatPath(inQuery), { name: key })
    : queryError('E_INVALID_JSON', formatPath(inQuery), { problem: 'repeated-key', key });
}

function offsetOf(root: Node, path: Path): number {
  let node = root;
  for (const step of path) {
    const next =
      node.type === 'object'
        ? node.children?.find((property) => property.children?.[0]?.value === step)?.children?.[1]
        : node.children?.[Number(step)];
    if (next === undefined) return node.offset + node.length;
    node = next;
  }
  return node.offset;
}
