// Sorts in the style of SQL or of the QAL reference's examples: `views desc, url asc`, `[{...}]`, or a sort in the result.
// A repair that adds an order is never certain.
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
import { certainValue, MAX_TEXT_LENGTH, type Rule } from './foreign-form';

interface LooseKey {
  readonly by: string;
  readonly order?: string | undefined;
}

const FURTHER_KEYS = 'sort_then';

/** More than the number of columns that a view can have. */
const MAX_KEYS = 256;

/** Keys of `result` that mean a sort. */
export const SORTS_IN_RESULT: readonly string[] = ['sort', 'order_by', 'orderBy'];

export const sortRule: Rule = ({ query, path, contract }) => {
  const isOff = contract.rules.features.has(FURTHER_KEYS) && !isEnabled(contract, FURTHER_KEYS);
  if (isOff && path.length === 4 && ['then', 'per'].includes(scalarText(path[3])))
    return { feature: FURTHER_KEYS };
  const place = path.slice(0, 3);
  return { repair: sortRepair(keysIn(valueAt(query, place)), place, contract) };
};

export const orderRule: Rule = (place) => certainValue(place.path, orderIn(place.value)) ?? sortRule(place);

export const countRule: Rule = ({ path, value }) =>
  certainValue(path, typeof value === 'string' && /^[1-9]\d{0,8}$/.test(value) ? Number(value) : undefined);

/** Moves a sort from the result into the view that the result uses. */
export const movedSortRule: Rule = ({ query, path, value, contract }) => {
  const use = valueAt(query, ['result', 'use']);
  const view = typeof use === 'string' ? valueAt(query, ['make', use]) : undefined;
  if (!isJsonObject(view) || typeof use !== 'string') return { given: { hint: 'sort' } };
  const moved = sortRepair(keysIn(value), ['make', use, 'sort'], contract);
  if (moved === undefined) return { given: { hint: 'sort' } };
  const isCertain = moved.certain && view.sort === undefined;
  return { repair: { certain: isCertain, edits: [remove(path), ...moved.edits] } };
};

function sortRepair(keys: readonly LooseKey[], place: Path, contract: Contract): Repair | undefined {
  const [first, ...others] = keys;
  if (first === undefined || (others.length > 0 && !isEnabled(contract, FURTHER_KEYS))) return undefined;
  const then = others.map(({ by, order = 'asc' }) => ({ by, order }));
  const sort: JsonObject = {
    by: first.by,
    order: first.order ?? 'desc',
    ...(then.length > 0 && { then }),
  };
  const isOrdered = keys.every(({ order }) => order !== undefined);
  return (isOrdered ? certainly : probably)(write(place, sort));
}

/** The keys of a sort; empty if any entry is not a key. */
function keysIn(value: JsonValue | undefined): readonly LooseKey[] {
  const entries =
    typeof value === 'string' && value.length <= MAX_TEXT_LENGTH
      ? value.split(',')
      : isJsonList(value)
        ? value
        : [value];
  if (entries.length > MAX_KEYS) return [];
  const keys = entries.flatMap((entry) => keyIn(entry) ?? []);
  return keys.length === entries.length ? keys : [];
}

/** Reads `views desc`, or an object with `by` and an optional `order`. */
function keyIn(entry: JsonValue | undefined): LooseKey | undefined {
  if (typeof entry === 'string') {
    const [, by, order] = /^\s*([\w.]{1,128})(?:\s+(asc|desc))?\s*$/i.exec(entry) ?? [];
    return by === undefined || orderIn(by) !== undefined ? undefined : { by, order: orderIn(order) };
  }
  if (!isJsonObject(entry)) return undefined;
  const { by, order, ...others } = entry;
  const isKey = typeof by === 'string' && Object.keys(others).length === 0;
  return isKey ? { by, order: orderIn(order) } : undefined;
}

function orderIn(value: JsonValue | undefined): 'asc' | 'desc' | undefined {
  const [, word] = /^\s*(asc|desc)(?:ending)?\s*$/i.exec(typeof value === 'string' ? value : '') ?? [];
  return word === undefined ? undefined : /^a/i.test(word) ? 'asc' : 'desc';
}
