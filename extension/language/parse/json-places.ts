import { type QueryError, queryError } from '../errors/query-error';
import { isJsonList, isJsonObject, type JsonValue, valueAt } from '../types/json';
import { formatPath, type Path } from '../types/path';

export interface Places {
  readonly fault: QueryError | null;
  /** The members of each object and list; incomplete if there is an error. */
  readonly members: WeakMap<object, Members>;
}

interface Members {
  /** The keys in document order; empty for a list. */
  keys(): readonly string[];
  readonly offsets: Pick<ReadonlyMap<string | number, number>, 'get'>;
  readonly end: number;
}

const SCALAR = /[^\s,\]}]+/y;
/** The shortest number beyond the range of doubles is 1e309. */
const SHORTEST_INFINITY = 5;

/**
 * Finds what the result of JSON.parse lacks: the order of keys, the offset of every place, and repeated keys. A tree of tokens
 * would take ten times as long, and a body may have 20,000 keys. Recursion is safe, since the depth was checked before. Removes
 * the prototypes of all objects, so that "constructor" is an ordinary key.
 */
export function placesIn(text: string, value: JsonValue): Places {
  const members = new WeakMap<object, Members>();
  const path: (string | number)[] = [];
  let fault: QueryError | null = null;
  let at = 0;

  /** Skips spaces and returns the next character. */
  const next = (): string | undefined => {
    while (text.charCodeAt(at) <= 0x20) at += 1;
    return text[at];
  };
  const skipText = (): void => {
    do at = text.indexOf('"', at + 1);
    while (isEscaped(text, at));
    at += 1;
  };
  const keyHere = (): string => {
    const from = at;
    skipText();
    const written = text.slice(from, at);
    return written.includes('\\') ? JSON.parse(written) : written.slice(1, -1);
  };
  const scalarHere = (): void => {
    const from = at;
    SCALAR.lastIndex = at;
    SCALAR.test(text);
    at = SCALAR.lastIndex;
    // It would become infinity, which JSON does not have.
    if (at - from >= SHORTEST_INFINITY && Math.abs(Number(text.slice(from, at))) === Number.POSITIVE_INFINITY)
      fault ??= queryError('E_INVALID_JSON number', formatPath(withoutWrapper(path)), {});
  };
  const listHere = (list: JsonValue | undefined): void => {
    const items = isJsonList(list) ? list : [];
    const offsets: number[] = [];
    for (at += 1; next() !== ']'; ) {
      if (text[at] === ',') {
        at += 1;
        next();
      }
      path.push(offsets.length);
      offsets.push(at);
      valueHere(items, offsets.length - 1);
      path.pop();
    }
    at += 1;
    const get = (place: string | number) => offsets[Number(place)];
    members.set(items, { keys: () => [], offsets: { get }, end: at });
  };
  const objectHere = (object: JsonValue | undefined): void => {
    // If a key is repeated, its earlier value may have been of another type.
    const known = isJsonObject(object) ? Object.setPrototypeOf(object, null) : {};
    const offsets = new Map<string | number, number>();
    for (at += 1; next() !== '}'; ) {
      if (text[at] === ',') {
        at += 1;
        next();
      }
      const key = keyHere();
      next();
      at += 1;
      next();
      if (key === '__proto__')
        fault ??= queryError('E_INVALID_JSON reserved-key', formatPath(withoutWrapper(path)), { key });
      path.push(key);
      if (offsets.has(key)) fault ??= repeatedKey([...path]);
      offsets.set(key, at);
      valueHere(known, key);
      path.pop();
    }
    at += 1;
    members.set(known, { keys: () => [...offsets.keys()] as string[], offsets, end: at });
  };
  /** Reads a member of an object or list. It is only looked up if it has members itself. */
  const valueHere = (around: JsonValue, step: string | number): void => {
    const first = next();
    if (first === '{') objectHere(valueAt(around, [step]));
    else if (first === '[') listHere(valueAt(around, [step]));
    else if (first === '"') skipText();
    else scalarHere();
  };
  valueHere([value], 0);
  return { members, fault };
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
