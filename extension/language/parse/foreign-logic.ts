// The operators `and`, `or` and `not` from other languages. In QAL, all conditions in a filter must hold, at least one filter in `any`,
// and none in `none`.
import { CONDITION_KEYS, logicWord, operatorForm, operatorSynonym } from '../names/foreign-operators';
import { type Contract, isEnabled, wordsOf } from '../types/contract';
import { DEEPEST_LIST, type FilterList, featureOf, filterPlace, listsInside } from '../types/filter-lists';
import {
  isJsonList,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  scalarText,
  valueAt,
} from '../types/json';
import { FILTER_OPERATORS, NEGATED } from '../types/parsed-query';
import { certainly, probably, rename, write } from '../types/repair';
import { filtersInText, operatorNamed } from './filter-text';
import { certainValue, type Meant, type Rule, type WrongPlace } from './foreign-form';

export const operatorsOf = (contract: Contract): readonly string[] =>
  Object.keys(wordsOf(contract, 'filter_operators'));

/** A key that is a logical operator. */
export const logicRule: Rule = (place) => {
  const { path } = place;
  switch (logicWord(scalarText(path.at(-1)))) {
    case 'and':
      return andRule(place);
    case 'not':
      return notRule(place);
    case 'or':
      return listRule(place, 'any');
    case 'none':
      return listRule(place, 'none');
    case undefined:
      return undefined;
  }
};

/** `[{"column": "pv", "op": "gte", "value": 2}]`, `[["pv", ">=", 2]]` or `pv >= 2` -> `{"pv": {"gte": 2}}`. */
export const conditionsRule: Rule = ({ path, value, contract }) => {
  const operators = operatorsOf(contract);
  if (typeof value === 'string') {
    const filters = filtersInText(value, operators);
    return filters && certainValue(path, allOf({}, filters));
  }
  if (!isJsonList(value) || value.length === 0) return undefined;
  const listed = value.flatMap((entry) => listedCondition(entry, operators) ?? []);
  if (listed.length === value.length) return certainValue(path, allOf({}, listed));
  const filter = allOf({}, value);
  // Several filters may be meant as alternatives.
  return filter && { repair: (value.length === 1 ? certainly : probably)(write(path, filter)) };
};

/** The filter for a condition with separate parts. */
function listedCondition(entry: JsonValue, operators: readonly string[]): JsonObject | undefined {
  const parts = partsOf(entry);
  const { column, operator, value } = parts;
  if (typeof column !== 'string' || value === undefined) return undefined;
  const length = parts.length();
  if (operator === undefined) return length === 2 ? { [column]: value } : undefined;
  if (typeof operator !== 'string') return undefined;
  const known = operatorNamed(operator, value, operators);
  const first =
    isJsonList(entry) && known === undefined ? operatorNamed(column, value, operators) : undefined;
  // `["is", "url", ["/a"]]`
  if (length === 3 && first !== undefined) return { [operator]: { [first]: value } };
  return length === 3 && known !== undefined ? { [column]: { [known]: value } } : undefined;
}

interface Parts {
  readonly column?: JsonValue | undefined;
  readonly operator?: JsonValue | undefined;
  readonly value?: JsonValue | undefined;
  /** Not counted in advance, since that takes milliseconds for an object with 20,000 keys. */
  length(): number;
}

/** The parts of a condition in an object or a list. */
export function partsOf(received: JsonValue): Parts {
  if (isJsonList(received)) {
    const [column, operator, value] = received;
    return { column, operator, value, length: () => received.length };
  }
  if (!isJsonObject(received)) return { length: () => 0 };
  const part = (keys: readonly string[]): JsonValue | undefined => {
    const key = keys.find((name) => Object.hasOwn(received, name));
    return key === undefined ? undefined : received[key];
  };
  const { column, operator, value } = CONDITION_KEYS;
  const length = () => Object.keys(received).length;
  return { column: part(column), operator: part(operator), value: part(value), length };
}

/** Merges filters that must all hold. Undefined if two have the same operator for a column, or if one is not a filter. */
function allOf(filter: JsonObject, others: readonly JsonValue[]): JsonObject | undefined {
  const all: Record<string, JsonValue> = { ...filter };
  for (const other of others) {
    if (!isJsonObject(other)) return undefined;
    for (const [column, test] of Object.entries(other)) {
      const before = all[column] ?? {};
      if (!Object.hasOwn(all, column)) all[column] = test;
      else if (!isJsonObject(before) || !isJsonObject(test) || Object.keys(test).some((it) => it in before))
        return undefined;
      else all[column] = { ...before, ...test };
    }
  }
  return all;
}

/** The filter around a place, without that place. */
function othersAround({ path, query }: WrongPlace): JsonObject {
  const around = valueAt(query, path.slice(0, -1));
  const { [scalarText(path.at(-1))]: _, ...others } = isJsonObject(around) ? around : {};
  return others;
}

function andRule(place: WrongPlace): Meant {
  const { path, value = null, contract } = place;
  const operators = operatorsOf(contract);
  const filters = (isJsonList(value) ? value : [value]).map((it) => listedCondition(it, operators) ?? it);
  const filter = allOf(othersAround(place), filters);
  return {
    fault: 'E_FILTER_INVALID and',
    path,
    repair: filter && certainly(write(path.slice(0, -1), filter)),
  };
}

/** Negates a condition. Never certain, since languages differ in how they treat null. */
function notRule(place: WrongPlace): Meant {
  const { path, value, contract } = place;
  const [[column, test] = [], ...others] = isJsonObject(value) ? Object.entries(value) : [];
  const condition = isJsonObject(test) ? test : { [isJsonList(test) ? 'in' : 'eq']: test ?? null };
  const opposite = others.length === 0 ? oppositeOf(condition, operatorsOf(contract)) : undefined;
  const filter =
    column === undefined || opposite === undefined
      ? undefined
      : allOf(othersAround(place), [{ [column]: opposite }]);
  return {
    fault: 'E_FILTER_INVALID not',
    path,
    repair: filter && probably(write(path.slice(0, -1), filter)),
  };
}

/** `{"contains": "x"}` -> `{"not_contains": "x"}`. */
export function oppositeOf(condition: JsonObject, operators: readonly string[]): JsonObject | undefined {
  const [[name, operand] = [], ...others] = Object.entries(condition);
  const known = name === undefined ? undefined : operatorSynonym(name, operators);
  const opposite = known && FILTER_OPERATORS.find((operator) => NEGATED[operator] === known);
  const isKnown = others.length === 0 && opposite !== undefined && operators.includes(opposite);
  return isKnown && operand !== undefined && operand !== null ? { [opposite]: operand } : undefined;
}

const isListOfObjects = (value: JsonValue | undefined): value is readonly JsonValue[] =>
  isJsonList(value) && value.every(isJsonObject);

/** A synonym of a list of filters, or such a list in another form or place. */
function listRule({ path, value, query, contract }: WrongPlace, list: FilterList): Meant | undefined {
  const key = scalarText(path.at(-1));
  const isNamed = key === list;
  const operators = operatorsOf(contract);
  const isOperator = (name: string) =>
    operatorSynonym(name, operators) !== undefined || operatorForm(name) !== undefined;
  // Tests a column with that name.
  if (isNamed && isJsonObject(value) && Object.keys(value).some(isOperator)) return undefined;
  const { around } = filterPlace(path);
  if (!isEnabled(contract, featureOf(list))) {
    if (isNamed && isListOfObjects(value)) return { feature: featureOf(list), path };
    return list === 'any' ? { fault: 'E_FILTER_INVALID or', path, given: { hint: 'off' } } : undefined;
  }
  if (!listsInside(around).includes(list)) return tooDeep({ path, value, query }, list, around);
  const fault = isNamed ? 'E_FILTER_INVALID filters' : 'E_FILTER_INVALID or';
  const filter = valueAt(query, path.slice(0, -1));
  const isFree = isNamed || (isJsonObject(filter) && !(list in filter));
  if (isListOfObjects(value) && !isNamed)
    return { fault, path, repair: isFree ? certainly(rename(path, list)) : undefined };
  if (!isJsonObject(value) || !isFree) return { fault, path };
  // `{a, b}` under `or` or `none` may mean either of the two, or one filter with both.
  const filters = Object.entries(value).map(([column, test]) => ({ [column]: test }));
  const edits = isNamed ? [] : [rename(path, list)];
  return { fault, path, repair: probably(write(path, filters), ...edits) };
}

/** A list inside a list of the same name. `any` moves into the outer one, if its filter has no other conditions. */
function tooDeep(
  { path, value, query }: Pick<WrongPlace, 'path' | 'value' | 'query'>,
  list: FilterList,
  around: readonly FilterList[],
): Meant {
  const fault = 'E_FILTER_INVALID inside';
  if (around.at(-1) !== list) return { fault, path, given: { hint: 'deep', max: DEEPEST_LIST } };
  const outer = path.slice(0, -2);
  const entries = valueAt(query, outer);
  const filter = valueAt(query, path.slice(0, -1));
  const isAlone = isJsonObject(filter) && Object.keys(filter).length === 1;
  const flat =
    list === 'any' && isAlone && isListOfObjects(value) && isJsonList(entries)
      ? entries.flatMap((entry, index) => (index === path.at(-2) ? value : [entry]))
      : undefined;
  return { fault, path, repair: flat && certainly(write(outer, flat)) };
}
