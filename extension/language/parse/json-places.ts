import { type QueryError, queryError } from '../errors/query-error';
import { isJsonList, isJsonObject, type JsonObject, type JsonValue, valueAt } from '../types/json';
import { formatPath, type Path } from '../types/path';
import type { Steps } from '../types/steps';

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

/** An object or list whose members are being read. */
type Open =
  | {
      readonly kind: 'object';
      readonly value: JsonObject;
      readonly offsets: Map<string | number, number>;
      step: string;
    }
  | { readonly kind: 'list'; readonly value: readonly JsonValue[]; readonly offsets: number[]; step: number };

/** The number of values read per step. */
const VALUES_PER_STEP = 5_000;

/**
 * Records what JSON.parse discards: the order of keys, the offset of every value, and repeated keys. A token tree would take ten
 * times as long, and a body may have 20,000 keys. Also removes the prototypes of all objects, so that "constructor" is an
 * ordinary key.
 */
export function* placeSteps(text: string, root: JsonValue): Steps<Places> {
  const members = new WeakMap<object, Members>();
  /** Innermost last. */
  const open: Open[] = [];
  let fault: QueryError | null = null;
  let at = 0;

  const path = (): Path => open.map(({ step }) => step);
  /** Skips whitespace and returns the next character. */
  const next = (): string | undefined => {
    while (text.charCodeAt(at) <= 0x20) at += 1;
    return text[at];
  };
  const skipText = (): void => {
    do at = text.indexOf('"', at + 1);
    while (isEscaped(text, at));
    at += 1;
  };
  const readKey = (): string => {
    const from = at;
    skipText();
    const written = text.slice(from, at);
    return written.includes('\\') ? JSON.parse(written) : written.slice(1, -1);
  };
  const readScalar = (): void => {
    const from = at;
    SCALAR.lastIndex = at;
    SCALAR.test(text);
    at = SCALAR.lastIndex;
    // The number would become infinity, which JSON does not have.
    if (at - from >= SHORTEST_INFINITY && Math.abs(Number(text.slice(from, at))) === Number.POSITIVE_INFINITY)
      fault ??= queryError('E_INVALID_JSON number', formatPath(withoutWrapper(path())), {});
  };
  const openContainer = (parent: Open | undefined): void => {
    const value = parent === undefined ? root : valueAt(parent.value, [parent.step]);
    if (text[at] === '[')
      open.push({ kind: 'list', value: isJsonList(value) ? value : [], offsets: [], step: -1 });
    else {
      // If a key is repeated, its earlier value may have been of a different type.
      const known = isJsonObject(value) ? Object.setPrototypeOf(value, null) : {};
      open.push({ kind: 'object', value: known, offsets: new Map(), step: '' });
    }
    at += 1;
  };
  /** Reads a scalar, or the beginning of an object or list. */
  const readValue = (parent: Open | undefined): void => {
    const first = text[at];
    if (first === '{' || first === '[') openContainer(parent);
    else if (first === '"') skipText();
    else readScalar();
  };
  const readMember = (inside: Open): void => {
    if (inside.kind === 'list') {
      inside.step += 1;
      inside.offsets.push(at);
      return;
    }
    const key = readKey();
    next();
    at += 1;
    next();
    if (key === '__proto__')
      fault ??= queryError('E_INVALID_JSON reserved-key', formatPath(withoutWrapper(path().slice(0, -1))), {
        key,
      });
    inside.step = key;
    if (inside.offsets.has(key)) fault ??= repeatedKey(path());
    inside.offsets.set(key, at);
  };
  const closeContainer = (closed: Open): void => {
    at += 1;
    open.pop();
    if (closed.kind === 'list') {
      const get = (place: string | number) => closed.offsets[Number(place)];
      members.set(closed.value, { keys: () => [], offsets: { get }, end: at });
    } else {
      const { value, offsets } = closed;
      members.set(value, { keys: () => [...offsets.keys()] as string[], offsets, end: at });
    }
  };

  next();
  readValue(undefined);
  for (let read = 1; ; read += 1) {
    const inside = open.at(-1);
    if (inside === undefined) return { members, fault };
    const char = next();
    if (char === '}' || char === ']') closeContainer(inside);
    else {
      if (char === ',') {
        at += 1;
        next();
      }
      readMember(inside);
      readValue(inside);
    }
    if (read % VALUES_PER_STEP === 0) yield;
  }
}

/** Whether the quote at an index is escaped. */
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
