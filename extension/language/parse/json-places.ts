// Reads JSON with what plain objects lose: the order of keys, the offset of every place, and repeated keys.
import { type QueryError, queryError } from '../errors/query-error';
import type { JsonValue } from '../types/json';
import { formatPath, type Path } from '../types/path';

export interface Places {
  readonly value: JsonValue;
  readonly fault: QueryError | null;
  /** For each object and list: the keys as written, the offset of each member, and the end. */
  readonly members: WeakMap<object, Members>;
}

interface Members {
  readonly keys: readonly string[];
  readonly offsets: Pick<ReadonlyMap<string | number, number>, 'get'>;
  readonly end: number;
}

const SCALAR = /[^\s,\]}]+/y;

/**
 * Reads text that JSON.parse accepts in one pass: a tree of tokens would take ten times as long, and a body may have 20,000
 * keys. Recursion is safe, since the depth was checked before.
 */
export function placesIn(text: string): Places {
  const members = new WeakMap<object, Members>();
  const path: (string | number)[] = [];
  let fault: QueryError | null = null;
  let at = 0;

  /** Skips spaces and returns the next character. */
  const next = (): string | undefined => {
    while (text.charCodeAt(at) <= 0x20) at += 1;
    return text[at];
  };
  const textHere = (): string => {
    const from = at;
    do at = text.indexOf('"', at + 1);
    while (isEscaped(text, at));
    at += 1;
    const written = text.slice(from, at);
    return written.includes('\\') ? JSON.parse(written) : written.slice(1, -1);
  };
  const scalar = (): JsonValue => {
    SCALAR.lastIndex = at;
    const [written = ''] = SCALAR.exec(text) ?? [];
    at += written.length;
    const value: JsonValue = JSON.parse(written);
    // A number beyond the range of doubles would become infinity, which is not JSON.
    if (typeof value !== 'number' || Number.isFinite(value)) return value;
    fault ??= queryError('E_INVALID_JSON number', formatPath(withoutWrapper(path)), {});
    return null;
  };
  const member = (step: string | number): JsonValue => {
    path.push(step);
    const value = valueHere();
    path.pop();
    return value;
  };
  const listHere = (): JsonValue => {
    const list: JsonValue[] = [];
    const offsets: number[] = [];
    for (at += 1; next() !== ']'; ) {
      if (text[at] === ',') {
        at += 1;
        next();
      }
      offsets.push(at);
      list.push(member(list.length));
    }
    at += 1;
    const get = (place: string | number) => offsets[Number(place)];
    members.set(list, { keys: [], offsets: { get }, end: at });
    return list;
  };
  const objectHere = (): JsonValue => {
    // Without a prototype, so that "constructor" is a key like any other.
    const object: Record<string, JsonValue> = Object.create(null);
    const offsets = new Map<string | number, number>();
    const keys: string[] = [];
    for (at += 1; next() !== '}'; ) {
      if (text[at] === ',') {
        at += 1;
        next();
      }
      const key = textHere();
      next();
      at += 1;
      next();
      const place = at;
      if (key === '__proto__') {
        fault ??= queryError('E_INVALID_JSON reserved-key', formatPath(withoutWrapper(path)), { key });
        member(key);
        continue;
      }
      if (offsets.has(key)) fault ??= repeatedKey([...path, key]);
      else keys.push(key);
      offsets.set(key, place);
      object[key] = member(key);
    }
    at += 1;
    members.set(object, { keys, offsets, end: at });
    return object;
  };
  const valueHere = (): JsonValue => {
    const first = next();
    if (first === '{') return objectHere();
    if (first === '[') return listHere();
    return first === '"' ? textHere() : scalar();
  };
  return { value: valueHere(), members, fault };
}

/** Whether the quote at a place is escaped. */
function isEscaped(text: string, place: number): boolean {
  let before = place - 1;
  while (text[before] === '\\') before -= 1;
  return (place - before) % 2 === 0;
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
