// Sorting as other languages write it: `views desc`, `{column, dir}`, `[{...}]`, or in the result.
// What the caller did not say is never certain.
import { SORT_KEYS, SORTS_IN_RESULT } from '../names/foreign-words';
import { isJsonList, isJsonObject, type JsonObject, type JsonValue, valueAt } from '../types/json';
import type { Path } from '../types/path';
import { certainly, probably, type Repair, remove, write } from '../types/repair';
import { certainValue, LONGEST_TEXT, type Rule } from './foreign-form';

type Order = 'asc' | 'desc';

interface LooseSort {
  readonly by?: string;
  readonly order?: Order;
  readonly top?: number;
  /** Whether everything that was written is in it. */
  readonly whole: boolean;
}

const isKey = (keys: readonly string[], key: string): boolean => keys.includes(key);

/** The sort of a view, written anew. */
export const sortRule: Rule = ({ query, path }) => {
  const place = path.slice(0, 3);
  return { repair: sortRepair(looseSort(valueAt(query, place)), place) };
};

export const orderRule: Rule = (place) => certainValue(place.path, orderIn(place.value)) ?? sortRule(place);

export const countRule: Rule = ({ path, value }) => certainValue(path, countIn(value));

/** Keys of the result that sort: the same sort in the view that the result uses. */
export const movedSortRule: Rule = ({ query }) => {
  const { result } = query;
  const use = isJsonObject(result) ? result.use : undefined;
  const view = typeof use === 'string' ? valueAt(query, ['make', use]) : undefined;
  if (!isJsonObject(result) || !isJsonObject(view)) return { given: { hint: 'sort' } };
  const written = Object.entries(result).filter(([key]) => SORTS_IN_RESULT.includes(key));
  const moved = sortRepair(looseSort(Object.fromEntries(written)), ['make', String(use), 'sort']);
  if (moved === undefined) return { given: { hint: 'sort' } };
  const edits = [...written.map(([key]) => remove(['result', key])), ...moved.edits];
  const isCertain = moved.certain && view.sort === undefined;
  return { repair: isCertain ? certainly(...edits) : probably(...edits) };
};

function sortRepair({ by, order, top, whole }: LooseSort, place: Path): Repair | undefined {
  if (by === undefined) return undefined;
  const sort: JsonObject = { by, order: order ?? 'desc', ...(top === undefined ? {} : { top }) };
  return whole && order !== undefined ? certainly(write(place, sort)) : probably(write(place, sort));
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
  const isPart = Object.values(SORT_KEYS).some((keys) => isKey(keys, by));
  if (others.length === 0 && order !== undefined && !isPart) return { by, order, whole: true };
  return entries.map(([key, part]) => sortPart(key, part)).reduce(joined, { whole: true });
}

function sortPart(key: string, part: JsonValue): LooseSort {
  if (isKey(SORT_KEYS.top, key)) {
    const top = countIn(part);
    return top === undefined ? { whole: false } : { top, whole: true };
  }
  return isKey(SORT_KEYS.by, key) || isKey(SORT_KEYS.order, key) ? looseSort(part) : { whole: false };
}

/** Two parts as one; they may not say the same thing differently. */
function joined(a: LooseSort, b: LooseSort): LooseSort {
  const contradicts = (['by', 'order', 'top'] as const).some(
    (key) => a[key] !== undefined && b[key] !== undefined && a[key] !== b[key],
  );
  return { ...b, ...a, whole: a.whole && b.whole && !contradicts };
}

/** `views`, `views desc`, `-views` or `desc`. */
function sortInText(text: string): LooseSort {
  if (text.length > LONGEST_TEXT) return { whole: false };
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

function orderIn(value: JsonValue | undefined): Order | undefined {
  const [, word] = /^\s*(asc|desc)(?:ending)?\s*$/i.exec(typeof value === 'string' ? value : '') ?? [];
  return word === undefined ? undefined : /^a/i.test(word) ? 'asc' : 'desc';
}

function countIn(value: JsonValue | undefined): number | undefined {
  const count = typeof value === 'string' && /^\s*\d{1,9}\s*$/.test(value) ? Number(value) : value;
  return typeof count === 'number' && Number.isSafeInteger(count) && count >= 1 ? count : undefined;
}
