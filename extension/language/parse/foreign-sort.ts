// Sorts in the syntax of other languages: `views desc, url`, `{column, dir}`, `[{...}]`, or in the result.
// A repair that adds something is never certain.
import { SORT_KEYS, SORTS_IN_RESULT } from '../names/foreign-keys';
import { type Contract, isEnabled } from '../types/contract';
import {
  isJsonList,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  scalarText,
  valueAt,
} from '../types/json';
import type { Path } from '../types/path';
import { certainly, probably, type Repair, remove, write } from '../types/repair';
import { certainValue, LONGEST_TEXT, type Rule } from './foreign-form';

type Order = 'asc' | 'desc';

interface LooseKey {
  readonly by?: string;
  readonly order?: Order;
}

interface LooseSort extends LooseKey {
  readonly top?: number;
  readonly next?: readonly LooseKey[];
  readonly per?: readonly string[];
  /** False if something was dropped. */
  readonly whole: boolean;
}

const FURTHER_KEYS = 'sort_then';

const isKey = (keys: readonly string[], key: string): boolean => keys.includes(key);

export const sortRule: Rule = ({ query, path, contract }) => {
  const isOff = contract.rules.features.has(FURTHER_KEYS) && !isEnabled(contract, FURTHER_KEYS);
  if (isOff && path.length === 4 && ['then', 'per'].includes(scalarText(path[3])))
    return { feature: FURTHER_KEYS };
  const place = path.slice(0, 3);
  return { repair: sortRepair(looseSort(valueAt(query, place)), place, contract) };
};

export const orderRule: Rule = (place) => certainValue(place.path, orderIn(place.value)) ?? sortRule(place);

export const countRule: Rule = ({ path, value }) => certainValue(path, countIn(value));

/** Moves a sort from the result into the view that the result uses. */
export const movedSortRule: Rule = ({ query, contract }) => {
  const { result } = query;
  const use = isJsonObject(result) ? result.use : undefined;
  const view = typeof use === 'string' ? valueAt(query, ['make', use]) : undefined;
  if (!isJsonObject(result) || !isJsonObject(view) || typeof use !== 'string')
    return { given: { hint: 'sort' } };
  const written = Object.entries(result).filter(([key]) => SORTS_IN_RESULT.includes(key));
  const place = ['make', use, 'sort'];
  const moved = sortRepair(looseSort(Object.fromEntries(written)), place, contract);
  if (moved === undefined) return { given: { hint: 'sort' } };
  const edits = [...written.map(([key]) => remove(['result', key])), ...moved.edits];
  const isCertain = moved.certain && view.sort === undefined;
  return { repair: isCertain ? certainly(...edits) : probably(...edits) };
};

function sortRepair(
  { by, order, top, next = [], per = [], whole }: LooseSort,
  place: Path,
  contract: Contract,
): Repair | undefined {
  if (by === undefined) return undefined;
  const takesMore = isEnabled(contract, FURTHER_KEYS);
  const further = takesMore ? next : [];
  const values = takesMore ? per : [];
  const sort: JsonObject = {
    ...{ by, order: order ?? 'desc' },
    ...(further.length === 0 ? {} : inThen(further)),
    ...(top === undefined ? {} : { top }),
    ...(values.length === 0 ? {} : { per: values }),
  };
  const isAllThere = further.length === next.length && values.length === per.length;
  const isOrdered = [{ order }, ...next].every((key) => key.order !== undefined);
  return whole && isAllThere && isOrdered ? certainly(write(place, sort)) : probably(write(place, sort));
}

const inThen = (keys: readonly LooseKey[]): JsonObject => ({
  // biome-ignore lint/suspicious/noThenProperty: `then` is a key of the language.
  then: keys.map(({ by = '', order = 'asc' }) => ({ by, order })),
});

/** More than a view can have columns. */
const MOST_KEYS = 256;

/** The parts of a sort in any syntax. */
function looseSort(value: JsonValue | undefined): LooseSort {
  if (typeof value === 'string')
    return inOrder(
      value
        .slice(0, LONGEST_TEXT + 1)
        .split(',')
        .map(sortInText),
    );
  if (isJsonList(value)) return value.length > MOST_KEYS ? { whole: false } : inOrder(value.map(looseSort));
  if (!isJsonObject(value)) return { whole: false };
  const entries = Object.entries(value);
  const isPart = (key: string): boolean => Object.values(SORT_KEYS).some((keys) => isKey(keys, key));
  const columns = entries.map(([by, direction]): LooseSort => {
    const order = orderIn(direction);
    return { ...(order === undefined || isPart(by) ? {} : { by, order }), whole: order !== undefined };
  });
  if (columns.every(({ by }) => by !== undefined)) return inOrder(columns);
  return entries.map(([key, part]) => sortPart(key, part)).reduce(joined, { whole: true });
}

/** A list of keys, of which only the first may have other parts such as `top`. */
function inOrder([first = { whole: false }, ...others]: readonly LooseSort[]): LooseSort {
  if (others.length === 0) return first;
  const isKeys = others.every(({ by, top, next, per }) => by !== undefined && !(top || next || per));
  if (first.by === undefined || first.next !== undefined || !isKeys) return { ...first, whole: false };
  return {
    ...first,
    next: others.map(({ by, order }) => ({ ...(by && { by }), ...(order && { order }) })),
    whole: [first, ...others].every(({ whole }) => whole),
  };
}

function sortPart(key: string, part: JsonValue): LooseSort {
  if (isKey(SORT_KEYS.top, key)) {
    const top = countIn(part);
    return top === undefined ? { whole: false } : { top, whole: true };
  }
  if (isKey(SORT_KEYS.then, key)) {
    if (isJsonList(part) && part.length === 0) return { whole: true };
    const { by, order, next = [], top, per, whole } = looseSort(part);
    if (by === undefined || top !== undefined || per !== undefined) return { whole: false };
    return { next: [{ by, ...(order && { order }) }, ...next], whole };
  }
  if (isKey(SORT_KEYS.per, key)) {
    const names = isJsonList(part) ? part : typeof part === 'string' ? part.split(',') : [];
    const per = names.flatMap((name) => (typeof name === 'string' ? [name.trim()] : []));
    return { per, whole: per.length > 0 && per.length === names.length };
  }
  return isKey(SORT_KEYS.by, key) || isKey(SORT_KEYS.order, key) ? looseSort(part) : { whole: false };
}

/** Merges two parts. */
function joined(a: LooseSort, b: LooseSort): LooseSort {
  const contradicts = (['by', 'order', 'top', 'next', 'per'] as const).some(
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
  // Other languages use a sign for the direction.
  if (signed !== undefined) return { by: signed, order: sign === '-' ? 'desc' : 'asc', whole: false };
  const [by = '', second, ...more] = text.trim().split(/\s+/);
  const direction = orderIn(second);
  if (by === '') return { whole: false };
  const whole = more.length === 0 && (second === undefined || direction !== undefined);
  return { by, ...(direction === undefined ? {} : { order: direction }), whole };
}

function orderIn(value: JsonValue | undefined): Order | undefined {
  if (value === -1 || value === 1) return value === 1 ? 'asc' : 'desc';
  const [, word] = /^\s*(asc|desc)(?:ending)?\s*$/i.exec(typeof value === 'string' ? value : '') ?? [];
  return word === undefined ? undefined : /^a/i.test(word) ? 'asc' : 'desc';
}

function countIn(value: JsonValue | undefined): number | undefined {
  const count = typeof value === 'string' && /^\s*\d{1,9}\s*$/.test(value) ? Number(value) : value;
  return typeof count === 'number' && Number.isSafeInteger(count) && count >= 1 ? count : undefined;
}
