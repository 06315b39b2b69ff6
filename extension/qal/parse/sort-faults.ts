// Owns the faults of sorting: in the view's `sort`, and of words that sort in `result`.
// what was written -> the sort that was meant; what the caller did not say is never certain.
import type { Contract } from '../../contracts/contract';
import { type QueryError, queryError } from '../../errors/query-error';
import { isJsonList, isJsonObject, type JsonObject, type JsonValue, valueAt } from '../types/json';
import type { Path } from '../types/path';
import { certainly, probably, type Repair, remove, write } from '../types/repair';
import type { Fault } from './shape-faults';

const LONGEST = 200;

/** Keys that clients write for the parts of a sort. */
const BY = ['by', 'column', 'field', 'key', 'sort', 'sort_by', 'order_by', 'orderBy'];
const ORDER = ['order', 'dir', 'direction', 'sort_order', 'sort_dir'];
const TOP = ['top', 'limit'];

const PARTS: readonly string[] = [...BY, ...ORDER, ...TOP];

/** Keys of `result` that can only be meant to sort. */
const IN_RESULT: readonly string[] = [...BY, ...ORDER, 'top'].filter(
  (key) => !['column', 'field', 'key'].includes(key),
);

interface LooseSort {
  readonly by?: string;
  readonly order?: 'asc' | 'desc';
  readonly top?: number;
  /** Whether everything that was written is in it. */
  readonly whole: boolean;
}

export const sortsInResult = (key: string): boolean => IN_RESULT.includes(key);

/** A fault of the sort of a view, or of one of its keys. */
export const sortFault =
  (problem: 'shape' | 'by' | 'order' | 'top'): ((fault: Fault) => QueryError) =>
  ({ at, path, received, query }) =>
    queryError('E_INVALID_SORT', at, { problem, received }, sortRepair(problem, path, received, query));

/** A key that a sort does not have. */
export function sortKeyFault(path: Path, key: string, at: string | undefined, query: JsonValue): QueryError {
  return queryError('E_INVALID_SORT', at, { problem: 'key', received: key }, wholeSort(path, query));
}

function sortRepair(
  problem: 'shape' | 'by' | 'order' | 'top',
  path: Path,
  received: JsonValue | undefined,
  query: JsonValue,
): Repair | undefined {
  switch (problem) {
    case 'order': {
      const order = orderIn(received);
      return order === undefined ? wholeSort(path, query) : certainly(write(path, order));
    }
    case 'top': {
      const top = countIn(received);
      return top === undefined ? undefined : certainly(write(path, top));
    }
    case 'shape':
    case 'by':
      return wholeSort(path, query);
  }
}

/** The sort of a view, written anew. */
function wholeSort(path: Path, query: JsonValue): Repair | undefined {
  const place = path.slice(0, 3);
  const { by, order, top, whole } = looseSort(valueAt(query, place));
  if (by === undefined) return undefined;
  const edit = write(place, sortOf(by, order ?? 'desc', top));
  return whole && order !== undefined ? certainly(edit) : probably(edit);
}

const sortOf = (by: string, order: 'asc' | 'desc', top: number | undefined): JsonObject => ({
  by,
  order,
  ...(top === undefined ? {} : { top }),
});

/** `sort`, `order_by` or `dir` in result: the same words, in the view that the result uses. */
export function sortInResult(
  key: string,
  at: string | undefined,
  query: JsonValue,
  contract: Contract,
): QueryError {
  const keys = contract.rules.request.result_keys;
  return queryError('E_RESULT_FORBIDDEN_KEY', at, { key, keys, sorts: true }, movedSort(query));
}

function movedSort(query: JsonValue): Repair | undefined {
  const result = valueAt(query, ['result']);
  if (!isJsonObject(result) || typeof result.use !== 'string') return undefined;
  const view = valueAt(query, ['make', result.use]);
  if (!isJsonObject(view)) return undefined;
  const written = Object.entries(result).filter(([key]) => sortsInResult(key));
  const { by, order, top, whole } = looseSort(Object.fromEntries(written));
  if (by === undefined) return undefined;
  const sort = sortOf(by, order ?? 'desc', top);
  const edits = [
    ...written.map(([key]) => remove(['result', key])),
    write(['make', result.use, 'sort'], sort),
  ];
  return whole && order !== undefined && view.sort === undefined ? certainly(...edits) : probably(...edits);
}

/** The parts of a sort in whatever was written; nothing is cut that the caller did not cut. */
function looseSort(value: JsonValue | undefined): LooseSort {
  if (typeof value === 'string') return sortInText(value);
  if (isJsonList(value)) {
    const first = looseSort(value[0]);
    return { ...first, whole: first.whole && value.length === 1 };
  }
  if (!isJsonObject(value)) return { whole: false };
  const entries = Object.entries(value);
  const [[by, direction] = ['', null], ...others] = entries;
  const order = orderIn(direction);
  if (others.length === 0 && order !== undefined && !PARTS.includes(by)) return { by, order, whole: true };
  return entries.map(([key, part]) => sortPart(key, part)).reduce(joined, { whole: true });
}

function sortPart(key: string, part: JsonValue): LooseSort {
  if (TOP.includes(key)) {
    const top = countIn(part);
    return top === undefined ? { whole: false } : { top, whole: true };
  }
  return [...BY, ...ORDER].includes(key) ? looseSort(part) : { whole: false };
}

/** Two parts as one; they may not say the same thing differently. */
function joined(a: LooseSort, b: LooseSort): LooseSort {
  const contradicts = (key: 'by' | 'order' | 'top'): boolean =>
    a[key] !== undefined && b[key] !== undefined && a[key] !== b[key];
  const whole = a.whole && b.whole && !contradicts('by') && !contradicts('order') && !contradicts('top');
  return { ...b, ...a, whole };
}

/** `views`, `views desc` or `desc`. */
function sortInText(text: string): LooseSort {
  if (text.length > LONGEST) return { whole: false };
  const order = orderIn(text);
  if (order !== undefined) return { order, whole: true };
  const [, sign, signed] = /^\s*([+-])\s*([\w.]+)\s*$/.exec(text) ?? [];
  // A usual sign for a direction, but not ours.
  if (signed !== undefined) return { by: signed, order: sign === '-' ? 'desc' : 'asc', whole: false };
  const [by = '', second, ...more] = text.trim().split(/\s+/);
  const direction = orderIn(second);
  if (by === '') return { whole: false };
  const whole = more.length === 0 && (second === undefined || direction !== undefined);
  return { by, ...(direction === undefined ? {} : { order: direction }), whole };
}

function orderIn(value: JsonValue | undefined): 'asc' | 'desc' | undefined {
  if (typeof value !== 'string') return undefined;
  const [word] = /^\s*(asc|desc)(ending)?\s*$/i.exec(value)?.slice(1) ?? [];
  return word === undefined ? undefined : /^a/i.test(word) ? 'asc' : 'desc';
}

function countIn(value: JsonValue | undefined): number | undefined {
  const count = typeof value === 'string' && /^\s*\d{1,9}\s*$/.test(value) ? Number(value) : value;
  return typeof count === 'number' && Number.isSafeInteger(count) && count >= 1 ? count : undefined;
}
